package console

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// shownField holds what the fields of a form were made for: a price list and a
// moment. Without scripts, whoever changes one of them is shown the form again.
const shownField = "shownFor"

// restated reports whether a form came with another choice than its fields were
// made for. Numbers that were typed for another price list are forgotten: its
// charges are others.
func restated(c *call) bool {
	list, when, _ := strings.Cut(c.value(shownField), " ")
	other := c.value("priceListId") != "" && c.value("priceListId") != list
	if !c.r.Form.Has(shownField) || !other && (!c.r.Form.Has("when") || c.value("when") == when) {
		return false
	}
	forget(c.r.Form, func(name string) bool {
		return name == shownField || other && (strings.HasPrefix(name, "quantity:") || name == "term")
	})
	return true
}

// forget drops fields from a form that was sent.
func forget(typed url.Values, goes func(name string) bool) {
	names := slices.DeleteFunc(strings.Fields(typed.Get("fields")), goes)
	typed.Set("fields", strings.Join(names, " "))
}

// shownInput carries what the fields were made for.
func shownInput(list billing.PriceListID, when string) ui.Input[order] {
	return ui.Input[order]{Field: ui.Field{Name: shownField, Kind: ui.FieldHidden}, Get: func(*order) string { return ui.IDText(list) + " " + when }}
}

// listName is the name of a price list with that of its plan.
func listName(c *call, l *catalog.PriceList) (string, error) {
	plan, err := store.Plans.Get(c.ctx(), c.q(), l.PlanID)
	if err != nil || plan == nil {
		return l.Name, err
	}
	return planAndList(plan.Name, l.Name), nil
}

// planAndList names a price list with its plan: "Pro: Monthly". Many a list has
// the plan in its own name, which then says enough: "Pro, monthly".
func planAndList(plan, list string) string {
	if strings.Contains(strings.ToLower(list), strings.ToLower(plan)) {
		return list
	}
	return plan + ": " + list
}

// planChangeInputs ask for a price list and the moment, and for what follows
// from them.
func planChangeInputs(c *call, s *subscription.Subscription) ([]ui.Section[order], error) {
	options, err := priceListOptions(c, s.ProductID, s.PriceListID)
	if err != nil {
		return nil, err
	}
	today, err := c.today(s.TestClockID)
	if err != nil {
		return nil, err
	}
	list := queryID[billing.PriceListID](c, "priceListId")
	if list == 0 && len(options) == 1 {
		list = parseID[billing.PriceListID](options[0].Value)
	}
	here := subscriptionHref(s.ID) + "/plan"
	moments := []ui.Option{{Value: whenNow, Text: "Now"}}
	if s.Earliest(today) != today {
		moments[0].Text = "From its first day, " + ui.DayText(s.Earliest(today))
	}
	next, follows := s.NextTerm()
	when := whenNow
	if follows {
		if c.value("when") == whenEnd {
			when = whenEnd
		}
		moments = append(moments, ui.Option{Value: whenEnd, Text: "From the next term (" + ui.DayText(next) + ")"})
	}
	lists := ui.Reference("priceListId", "Price list", func(o *order) *billing.PriceListID { return &o.PriceList }, options).Required().Wide().Refreshes(here)
	lists.Get = func(*order) string { return ui.IDText(list) }
	sections := []ui.Section[order]{{Inputs: []ui.Input[order]{
		lists,
		ui.Choice("when", "When", func(o *order) *string { return &o.When }, moments...).Refreshes(here),
		shownInput(list, when),
	}}}
	offer, err := offerOf(c, list)
	if err != nil {
		return nil, err
	}
	if offer == nil || offer.ProductID != s.ProductID || list == s.PriceListID {
		sections[0].Help = "Choose a price list to see the quantities it needs."
		return sections, nil
	}
	on := s.Earliest(today)
	if when == whenEnd {
		on = next
	} else if term := termInput(s, offer, today); term != nil {
		sections[0].Inputs = append(sections[0].Inputs, *term)
	}
	numbers, err := askSections(c, offer, s.AsksToMove(offer, on))
	if err != nil {
		return nil, err
	}
	scheduled, err := scheduledOf(c, s)
	if err != nil {
		return nil, err
	}
	return slices.Concat(sections, numbers, scheduledSection(ofKinds(scheduled, subscription.ScheduledPlan, subscription.ScheduledQuantity), "", true)), nil
}

// termInput asks what becomes of the term when the plan changes at once, with
// the days that follow; nil if it makes no difference.
func termInput(s *subscription.Subscription, o *subscription.Offer, today billing.Date) *ui.Input[order] {
	first, last := s.RestartedTerm(o.PriceList.RenewalTermMonths, today)
	if last == s.EndDate {
		return nil
	}
	restart := "Restarts today, ends on " + ui.DayText(last) // short enough for a telephone
	if first != today {
		restart = "From " + ui.DayText(first) + " to " + ui.DayText(last)
	}
	usual := subscription.KeepTerm
	if o.PriceList.RenewalTermMonths != s.RenewalTermMonths {
		usual = subscription.RestartTerm
	}
	in := ui.Choice("term", "The term", func(o *order) *subscription.TermChange { return &o.Term },
		ui.Option{Value: string(subscription.KeepTerm), Text: "Keeps its end, " + ui.DayText(s.EndDate)}, ui.Option{Value: string(subscription.RestartTerm), Text: restart}).Wide()
	in.Get = func(o *order) string {
		if o.Term == "" {
			return string(usual)
		}
		return string(o.Term)
	}
	return &in
}

// restartWords says when a term that restarts begins and ends.
func restartWords(first, last billing.Date, today bool) string {
	if today {
		return "The term restarts today and ends on " + ui.DayText(last) + "."
	}
	return "The paid term starts on " + ui.DayText(first) + " and ends on " + ui.DayText(last) + "."
}

// changePlan moves a subscription to another price list, with the numbers that
// are not carried over.
func changePlan(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
	if o.PriceList == 0 {
		return nil, billing.Fail(billing.Required, "priceListId", "Choose a price list.")
	}
	today, err := c.today(s.TestClockID)
	if err != nil {
		return nil, err
	}
	offer, err := offerOf(c, o.PriceList)
	if err != nil {
		return nil, err
	}
	update := subscription.PlanUpdate{AtTermEnd: o.When == whenEnd, Scheduled: o.Scheduled}
	on := s.TermEnd()
	if !update.AtTermEnd {
		on, update.Term = s.Earliest(today), o.Term
	}
	if offer != nil {
		if o.sent, err = ordersOf(s.AsksToMove(offer, on), o.Quantities, nil); err != nil {
			return nil, err
		}
		update.Quantities = o.sent
		if asksScheduled(s) && o.Scheduled == "" {
			return nil, billing.Fail(billing.Required, "scheduled", "Something is already scheduled: choose whether to keep it.")
		}
	}
	return c.service.Subscriptions.SubscriptionPlanChange(ctx, s.ID, subscriptions.PriceListRef{ID: &o.PriceList}, update)
}

// asksScheduled reports whether a change of plan is asked what becomes of
// something that is scheduled.
func asksScheduled(s *subscription.Subscription) bool {
	return slices.ContainsFunc(s.ScheduledChanges(), func(c subscription.ScheduledChange) bool { return c.Kind != subscription.ScheduledCancellation })
}

// convertInputs ask for the price list and the quantities of the paid term.
func convertInputs(c *call, s *subscription.Subscription) ([]ui.Section[order], error) {
	options, err := priceListOptions(c, s.ProductID, 0)
	if err != nil {
		return nil, err
	}
	list := queryID[billing.PriceListID](c, "priceListId")
	if list == 0 {
		list = s.PriceListID
	}
	lists := ui.Choice("priceListId", "Price list", func(*order) *string { return nil }, options...).Refreshes(subscriptionHref(s.ID) + "/convert-trial")
	lists.Get = func(o *order) string { return ui.IDText(o.PriceList) }
	lists.Set = func(o *order, typed string) *billing.Error {
		o.PriceList = parseID[billing.PriceListID](typed)
		return nil
	}
	sections := []ui.Section[order]{{Inputs: []ui.Input[order]{lists, shownInput(list, "")}}}
	asks, offer, err := convertAsks(c, s, list)
	if err != nil || offer == nil {
		return sections, err
	}
	numbers, err := askSections(c, offer, asks)
	return append(sections, numbers...), err
}

// convertAsks are the numbers to ask for when a trial is converted on a price
// list.
func convertAsks(c *call, s *subscription.Subscription, list billing.PriceListID) ([]subscription.Ask, *subscription.Offer, error) {
	today, err := c.today(s.TestClockID)
	if err != nil {
		return nil, nil, err
	}
	offer, err := offerOf(c, list)
	switch {
	case err != nil || offer == nil || offer.ProductID != s.ProductID:
		return nil, nil, err
	case list == s.PriceListID:
		return s.AsksToChange(offer, today), offer, nil
	}
	return s.AsksToMove(offer, today), offer, nil
}

// convertTrial ends a trial, on the price list and with the numbers of the form.
func convertTrial(c *call, ctx context.Context, s *subscription.Subscription, o *order) (*subscription.Subscription, error) {
	if o.PriceList == 0 {
		o.PriceList = s.PriceListID
	}
	asks, _, err := convertAsks(c, s, o.PriceList)
	if err != nil {
		return nil, err
	}
	if o.sent, err = ordersOf(asks, o.Quantities, nil); err != nil {
		return nil, err
	}
	var list subscriptions.PriceListRef
	if o.PriceList != s.PriceListID {
		list.ID = &o.PriceList
	}
	return c.service.Subscriptions.SubscriptionTrialConvert(ctx, s.ID, list, o.sent)
}
