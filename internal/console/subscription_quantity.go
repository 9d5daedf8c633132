package console

import (
	"context"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// offerOf is what a price list offers, nil if there is no such list.
func offerOf(c *call, list billing.PriceListID) (*subscription.Offer, error) {
	if list == 0 {
		return nil, nil
	}
	return store.LoadOffer(c.ctx(), c.q(), list)
}

// chargeFeatures are the features that an offer's charges are for.
func chargeFeatures(o *subscription.Offer) []billing.FeatureID {
	return ids(o.Charges, func(c *catalog.Charge) billing.FeatureID { return ui.Deref(c.FeatureID) })
}

// askSections ask for the numbers of charges, each with its bounds and price
// beside it, and say what the plan gives without a charge.
func askSections(c *call, o *subscription.Offer, asks []subscription.Ask) ([]ui.Section[order], error) {
	features, err := store.Features.ByIDs(c.ctx(), c.q(), chargeFeatures(o))
	if err != nil {
		return nil, err
	}
	var sections []ui.Section[order]
	if len(asks) > 0 {
		numbers := ui.Section[order]{Title: "Quantities"}
		for _, ask := range asks {
			numbers.Inputs = append(numbers.Inputs, askInput(ask, ask.Charge.Sentence(o.PriceList.CurrencyID, features)))
		}
		sections = append(sections, numbers)
	}
	plans, err := store.LoadCatalog(c.ctx(), c.q(), []billing.PriceListID{o.PriceList.ID})
	if err != nil {
		return nil, err
	}
	given := ui.Section[order]{Title: "Included in the plan"}
	if contents := plans.Contents[o.PriceList.PlanID]; contents != nil {
		for _, f := range contents.Features {
			if f.Kind == catalog.Quantity && !prices(o, f.ID) {
				given.Inputs = append(given.Inputs, ui.Fixed[order]("", f.Name, includedWords(f.Priced(f.PlanValue).Included)))
			}
		}
	}
	if len(given.Inputs) > 0 {
		given.Folded = len(given.Inputs) > 6
		sections = append(sections, given)
	}
	return sections, nil
}

// prices reports whether a recurring charge is for a feature.
func prices(o *subscription.Offer, feature billing.FeatureID) bool {
	for i := range o.Charges {
		if c := &o.Charges[i]; c.ChargeType == catalog.Recurring && c.FeatureID != nil && *c.FeatureID == feature {
			return true
		}
	}
	return false
}

// includedWords says how much of a feature a plan gives without a charge.
func includedWords(n *int) string {
	if n == nil {
		return noLimit
	}
	return ui.Grouped(*n) + " included in the plan"
}

// askInput is the field for the number of a charge.
func askInput(ask subscription.Ask, price string) ui.Input[order] {
	code := ask.Charge.Code
	help := strings.TrimSuffix(price, " ("+ask.Charge.Name+")") + "."
	if ask.Included != nil {
		help += " If empty, " + includedWords(ask.Included) + "."
	}
	switch {
	case ask.Required || ask.Included != nil || ask.Quantity != nil:
	case ask.Counts:
		help += " If empty, 1."
	default:
		help += " If empty, not ordered."
	}
	if !ask.Fits(ask.Quantity) {
		help += " The subscription has " + numberWord(ask.Quantity) + "."
	}
	return ui.Input[order]{
		Field: ui.Field{Name: "quantity:" + code, Label: ask.Charge.Name, Kind: ui.FieldNumber, Help: help, Required: ask.Required},
		Get: func(o *order) string {
			if typed, said := o.Quantities[code]; said {
				return typed
			}
			if ask.Quantity == nil {
				return ""
			}
			return strconv.Itoa(*ask.Quantity)
		},
		Set: func(o *order, typed string) *billing.Error {
			if o.Quantities == nil {
				o.Quantities = map[string]string{}
			}
			o.Quantities[code] = strings.TrimSpace(typed)
			return nil
		},
	}
}

// ordersOf are the numbers that were typed, without those that stay what they
// are. also may name charges that are ordered anyway.
func ordersOf(asks []subscription.Ask, typed map[string]string, also func(billing.ChargeID) bool) ([]subscription.QuantityOrder, error) {
	var orders []subscription.QuantityOrder
	var problems billing.Problems
	for _, ask := range asks {
		text, said := typed[ask.Charge.Code]
		if !said {
			continue
		}
		var number *int
		if text != "" {
			n, e := ui.ParseInt("quantity:"+ask.Charge.Code, text)
			if e != nil {
				problems = append(problems, e)
				continue
			}
			number = &n
		}
		same := number == nil && ask.Quantity == nil || number != nil && ask.Quantity != nil && *number == *ask.Quantity
		stays := same && ask.Fits(number) && (ask.Kept || number == nil)
		if !stays || also != nil && also(ask.Charge.ID) {
			orders = append(orders, subscription.QuantityOrder{Code: ask.Charge.Code, Quantity: number})
		}
	}
	return orders, problems.Err()
}

// Moments to choose from.
const (
	whenNow = "now"
	whenDay = "day"
	whenEnd = "end" // of the term
)

// quantityInputs ask for new quantities, from when they count, and what becomes
// of those that are scheduled.
func quantityInputs(c *call, s *subscription.Subscription) ([]ui.Section[order], error) {
	today, err := c.today(s.TestClockID)
	if err != nil {
		return nil, err
	}
	offer, err := offerOf(c, s.PriceListID)
	if err != nil || offer == nil {
		return nil, err
	}
	sections, err := askSections(c, offer, s.AsksToChange(offer, s.Earliest(today)))
	if err != nil {
		return nil, err
	}
	scheduled, err := scheduledOf(c, s)
	if err != nil {
		return nil, err
	}
	now := ui.Option{Value: whenNow, Text: "From today"}
	if s.Earliest(today) != today {
		now.Text = "From its first day (" + ui.DayText(s.Earliest(today)) + ")"
	}
	moments := []ui.Option{now}
	if next, follows := s.NextTerm(); follows {
		moments = append(moments, ui.Option{Value: whenEnd, Text: "From the next term (" + ui.DayText(next) + ")"})
	}
	moments = append(moments, ui.Option{Value: whenDay, Text: "From a day"})
	sections = append(sections, ui.Section[order]{Title: "When", Inputs: []ui.Input[order]{
		ui.Choice("when", "New quantities apply", func(o *order) *string { return &o.When }, moments...),
		dayInput("startDate", "The day").Help("The first day with the new quantities, if you chose “From a day”."),
		unusedInput(),
	}})
	later := ofKinds(scheduled, subscription.ScheduledQuantity)
	return append(sections, scheduledSection(later, ": a new quantity applies only until then", false)...), nil
}

// changeQuantities sets the quantities that were changed in the form.
func changeQuantities(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
	today, err := c.today(s.TestClockID)
	if err != nil {
		return nil, err
	}
	update := subscription.QuantityUpdate{Scheduled: o.Scheduled, Unused: o.Unused}
	from := s.Earliest(today)
	var problems problemList
	day := problems.day("startDate", o.Day)
	switch {
	case len(problems) > 0:
	case o.When == whenDay && day == nil:
		problems.add(billing.Fail(billing.Required, "startDate", "Enter the first day."))
	case o.When == whenDay:
		from, update.StartDate = *day, day
	case day != nil:
		problems.add(billing.Fail(billing.Invalid, "startDate", "Choose “From a day” for this day to count, or empty it."))
	case o.When == whenEnd:
		from, update.AtTermEnd = s.TermEnd(), true
	}
	offer, err := offerOf(c, s.PriceListID)
	if err != nil || offer == nil {
		return nil, err
	}
	replaced := func(id billing.ChargeID) bool {
		return o.Scheduled == subscription.ReplaceScheduled && changesAfter(s, id, from)
	}
	o.sent, err = ordersOf(asksFrom(s, offer, s.Earliest(today), from), o.Quantities, replaced)
	if problems.add(err); len(problems) > 0 {
		return nil, billing.Problems(problems)
	}
	if len(o.sent) == 0 {
		return nil, billing.Fail(billing.Required, "", "Nothing would change: every quantity is what it is already. Change at least one.")
	}
	update.Orders = o.sent
	return c.service.Subscriptions.SubscriptionQuantityUpdate(ctx, s.ID, update)
}

// asksFrom are the charges that the form has, with the quantities that count
// from a day on.
func asksFrom(s *subscription.Subscription, o *subscription.Offer, shown, from billing.Date) []subscription.Ask {
	asks := s.AsksToChange(o, shown)
	for _, then := range s.AsksToChange(o, from) {
		for i := range asks {
			if asks[i].Charge.ID == then.Charge.ID {
				asks[i] = then
			}
		}
	}
	return asks
}

// changesAfter reports whether a quantity is to change after a day.
func changesAfter(s *subscription.Subscription, id billing.ChargeID, day billing.Date) bool {
	_, changes := nextLine(s, id, day)
	return changes
}

// nextLine is the line of a charge that begins first after a day.
func nextLine(s *subscription.Subscription, id billing.ChargeID, day billing.Date) (next subscription.Line, found bool) {
	for _, line := range s.Charges {
		if line.ChargeID == id && line.StartDate.After(day) && (!found || line.StartDate.Before(next.StartDate)) {
			next, found = line, true
		}
	}
	return next, found
}

// numberNotes says which of the numbers that were given count only for a while,
// and where none is sold.
func numberNotes(then *subscription.Subscription, sent []subscription.QuantityOrder) []string {
	var notes []string
	for _, q := range sent {
		if q.Quantity == nil {
			notes = append(notes, "No quantity is sold for the charge "+q.Code+": what the plan includes applies.")
			continue
		}
		for _, line := range then.Charges {
			if line.PriceListID != then.PriceListID || line.Code != q.Code || line.Quantity == nil || *line.Quantity != *q.Quantity || line.EndDate.Before(then.AsOf) {
				continue
			}
			if next, found := nextLine(then, line.ChargeID, line.StartDate); found {
				notes = append(notes, ui.Grouped(*q.Quantity)+" applies only until "+ui.DayText(next.StartDate)+", when "+numberWord(next.Quantity)+" is scheduled.")
			}
		}
	}
	return notes
}

// notesOf says what is to know before something is done: which numbers count
// only for a while, what becomes of the term, what the last day is, and what is scheduled no
// more.
func notesOf(c *call, s, then *subscription.Subscription, o *order) ([]string, error) {
	notes := numberNotes(then, o.sent)
	switch moved := then.EndDate != s.EndDate; {
	case then.PriceListID != s.PriceListID && !moved:
		notes = append(notes, "The term keeps its end, "+ui.DayText(then.EndDate)+".")
	case moved && s.State == subscription.StateTrial && then.State == subscription.StateActive:
		notes = append(notes, "The paid term starts today and ends on "+ui.DayText(then.EndDate)+".")
	case moved && then.PriceListID != s.PriceListID:
		notes = append(notes, restartWords(then.TermStartDate, then.EndDate, then.TermStartDate == then.AsOf))
	}
	if on := then.CancellationDate; on != nil && s.CancellationDate == nil && on.After(then.AsOf) {
		notes = append(notes, "It ends on "+ui.DayText(*on)+". "+lastDayWords(*on))
	}
	before, err := scheduledOf(c, s)
	if err != nil {
		return nil, err
	}
	left := map[string]bool{}
	for _, change := range then.ScheduledChanges() {
		left[change.ID] = true
	}
	for _, item := range before {
		if !left[item.ID] && item.On.After(then.AsOf) {
			notes = append(notes, "No longer scheduled: "+item.Words()+".")
		}
	}
	if then.CancellationDate == nil || s.CancellationDate != nil {
		return notes, nil
	}
	if !then.State.Ended() {
		notes = append(notes, "Its features end on "+ui.DayText(*then.CancellationDate)+". It can be reinstated later.")
	}
	after, err := scheduledOf(c, then)
	for _, item := range after {
		if item.Moot {
			notes = append(notes, "Will not happen, because the subscription ends first: "+item.Words()+".")
		}
	}
	return notes, err
}
