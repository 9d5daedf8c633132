package subscription

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// The catalog of these tests: one product with three price lists, and one list
// of another product.
const (
	usersID, storageID billing.FeatureID   = 1, 2
	monthlyID          billing.PriceListID = 10
	annualID           billing.PriceListID = 20
	splitID            billing.PriceListID = 30
	foreignID          billing.PriceListID = 40
)

func recurring(id billing.ChargeID, code string, feature *billing.FeatureID) catalog.Charge {
	return catalog.Charge{ID: id, Code: code, Name: strings.ToUpper(code), FeatureID: feature, ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, BillingTiming: new(catalog.InAdvance), PricingModel: catalog.Flat, Price: new(billing.Price("9.9"))}
}

func yearly(c catalog.Charge) catalog.Charge {
	c.BillingPeriod = catalog.Annual
	return c
}

func withBounds(c catalog.Charge, least, most int) catalog.Charge {
	c.QuantityMin, c.QuantityMax = &least, &most
	return c
}

var offers = map[billing.PriceListID]*Offer{
	monthlyID: {
		PriceList: catalog.PriceList{
			ID: monthlyID, Code: "monthly", CurrencyID: "EUR", RenewalTermMonths: 1,
			TrialAllowed: true, TrialLengthDays: new(14), TrialExpirationAction: new(catalog.TrialActivate),
		},
		ProductID: 1,
		Charges: []catalog.Charge{
			recurring(101, "base", nil),
			withBounds(recurring(102, "seats", new(usersID)), 1, 100),
			yearly(recurring(103, "space", new(storageID))),
			{ID: 104, Code: "setup", Name: "SETUP", ChargeType: catalog.OneTime, BillingPeriod: catalog.Once, PricingModel: catalog.Flat, Price: new(billing.Price("50"))},
			{ID: 105, Code: "calls", Name: "CALLS", ChargeType: catalog.Usage, BillingPeriod: catalog.Monthly, BillingTiming: new(catalog.InArrears), PricingModel: catalog.Flat, Price: new(billing.Price("0.01"))},
		},
		Features: map[billing.FeatureID]catalog.PricedFeature{usersID: {Code: "users", Kind: catalog.Quantity}, storageID: {Code: "storage", Kind: catalog.Quantity, Included: new(10)}},
	},
	annualID: {
		PriceList: catalog.PriceList{ID: annualID, Code: "annual", CurrencyID: "EUR", RenewalTermMonths: 12},
		ProductID: 1,
		Charges: []catalog.Charge{
			recurring(201, "base", nil),
			withBounds(recurring(202, "licences", new(usersID)), 5, 50),
			{ID: 204, Code: "setup", Name: "SETUP", ChargeType: catalog.OneTime, BillingPeriod: catalog.Once, PricingModel: catalog.Flat, Price: new(billing.Price("50"))},
		},
		Features: map[billing.FeatureID]catalog.PricedFeature{usersID: {Code: "users", Kind: catalog.Quantity}},
	},
	splitID: {
		PriceList: catalog.PriceList{
			ID: splitID, Code: "split", CurrencyID: "EUR", RenewalTermMonths: 1,
			TrialAllowed: true, TrialLengthDays: new(30), TrialExpirationAction: new(catalog.TrialCancel),
		},
		ProductID: 1,
		Charges: []catalog.Charge{
			yearly(recurring(301, "extra", new(usersID))),
			recurring(302, "seats", new(usersID)),
		},
		Features: map[billing.FeatureID]catalog.PricedFeature{usersID: {Code: "users", Kind: catalog.Quantity}},
	},
	foreignID: {PriceList: catalog.PriceList{ID: foreignID, Code: "foreign", RenewalTermMonths: 1}, ProductID: 2},
}

func findOffer(id billing.PriceListID) (*Offer, error) {
	if o := offers[id]; o != nil {
		return o, nil
	}
	return nil, errors.New("no such price list")
}

// only finds one offer, whichever is asked for.
func only(o *Offer) Offers { return func(billing.PriceListID) (*Offer, error) { return o, nil } }

// d is the date of a text that is known to be one.
func d(text string) billing.Date {
	date, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return date
}

func order(code string, n int) QuantityOrder { return QuantityOrder{Code: code, Quantity: &n} }

// withFiveSeats is the draft of a subscription that renews, with five seats.
func withFiveSeats(draft Draft) Draft {
	draft.Evergreen, draft.Quantities = true, []QuantityOrder{order("seats", 5)}
	return draft
}

var (
	plainDraft          = withFiveSeats(Draft{})
	trialDraft          = withFiveSeats(Draft{Trial: true})
	pendingDraft        = withFiveSeats(Draft{StartDate: at(d("2026-02-01"))})
	laterTrialDraft     = withFiveSeats(Draft{Trial: true, TrialStartDate: at(d("2026-02-01"))})
	cancelingTrialDraft = withFiveSeats(Draft{Trial: true, TrialExpirationAction: new(catalog.TrialCancel)})
)

// story is the life of one subscription, with a line for each thing that
// happened: "DAY kind FROM>TO", "DAY nothing" or "DAY CODE field".
type story struct {
	t      *testing.T
	s      Subscription
	today  billing.Date
	log    []string
	change Change
	err    error
}

// newStory begins on a day with a new subscription.
func newStory(t *testing.T, today string, list billing.PriceListID, draft Draft) *story {
	t.Helper()
	y := &story{t: t, today: d(today)}
	s, change, err := New(draft, offers[list], y.today)
	if err != nil {
		t.Fatal(err)
	}
	s.ID = 7
	for i := range s.Charges {
		s.Charges[i].ID = billing.SubscriptionChargeID(i + 1)
	}
	y.record(s, change, nil)
	return y
}

func (y *story) record(s Subscription, change Change, err error) {
	y.change, y.err = change, err
	switch {
	case err != nil:
		problems, _ := billing.AsProblems(err)
		for _, p := range problems {
			y.log = append(y.log, strings.TrimSpace(fmt.Sprintf("%s %s %s", y.today, p.Code, strings.Join(p.Field, "."))))
		}
		if len(problems) == 0 {
			y.log = append(y.log, fmt.Sprintf("%s error", y.today))
		}
	case !change.Happened():
		y.log = append(y.log, fmt.Sprintf("%s nothing", y.today))
	default:
		y.log = append(y.log, fmt.Sprintf("%s %s %s>%s", y.today, change.Kind, change.From, change.To))
	}
	y.s = s
}

// until lets the days pass up to one, with all that is due.
func (y *story) until(day string) *story {
	y.t.Helper()
	for steps := 0; ; steps++ {
		due, some := y.s.Due()
		if !some || due.After(d(day)) {
			break
		}
		if steps > 10_000 {
			y.t.Fatal("it never ends")
		}
		s, change, err := y.s.Step(findOffer)
		if err != nil {
			y.t.Fatal(err)
		}
		y.today = due
		y.record(s, change, err)
	}
	y.today = d(day)
	return y
}

type action func(Subscription, billing.Date) (Subscription, Change, error)

// do acts today. What is due at once because of it happens too.
func (y *story) do(act action) *story {
	y.t.Helper()
	y.record(act(y.s, y.today))
	return y
}

// cancel ends the subscription on a day; an empty one is the end of the term.
func cancel(on string) action {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		if on == "" {
			return s.Cancel(Cancellation{AtTermEnd: true}, today)
		}
		return s.Cancel(Cancellation{On: at(d(on))}, today)
	}
}

// reinstate brings it back; an empty day is today.
func reinstate(effective string) action {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		if effective == "" {
			return s.Reinstate(nil, today)
		}
		return s.Reinstate(at(d(effective)), today)
	}
}

// quantities orders from a day on; an empty one is today.
func quantities(from string, orders ...QuantityOrder) action {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		u := QuantityUpdate{Orders: orders}
		if from != "" {
			u.StartDate = at(d(from))
		}
		return s.ChangeQuantities(u, findOffer, today)
	}
}

// orderQuantities orders with all that an order can say.
func orderQuantities(u QuantityUpdate) action {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ChangeQuantities(u, findOffer, today)
	}
}

func plan(list billing.PriceListID, atTermEnd bool) action {
	return changePlan(list, PlanUpdate{AtTermEnd: atTermEnd})
}

// changePlan changes the plan with all that a change can say.
func changePlan(list billing.PriceListID, u PlanUpdate) action {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ChangePlan(offers[list], u, findOffer, today)
	}
}

// takeBack takes back what is scheduled; kind and day name it.
func takeBack(kind, on string) action {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		id := fmt.Sprintf("%d-%s-%s", s.ID, kind, on)
		for _, c := range s.ScheduledChanges() {
			if strings.HasPrefix(c.ID, id) {
				id = c.ID
			}
		}
		return s.TakeBack(id, findOffer, today)
	}
}

func update(u Update) action {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.Update(u, findOffer, today)
	}
}

func extend(end string) action {
	return func(s Subscription, today billing.Date) (Subscription, Change, error) {
		return s.ExtendTrial(d(end), findOffer, today)
	}
}

func convert(s Subscription, today billing.Date) (Subscription, Change, error) {
	return s.ConvertTrial(findOffer, today)
}

func autoRenew(evergreen bool) action {
	return func(s Subscription, _ billing.Date) (Subscription, Change, error) {
		return s.SetAutoRenew(evergreen)
	}
}

// happened compares the log, and empties it.
func (y *story) happened(want ...string) *story {
	y.t.Helper()
	if !slices.Equal(y.log, want) {
		y.t.Fatalf("happened:\n\t%s\nwant:\n\t%s\nlast error: %v", strings.Join(y.log, "\n\t"), strings.Join(want, "\n\t"), y.err)
	}
	y.log = nil
	return y
}

// said fails unless the last error has that part in its message.
func (y *story) said(part string) *story {
	y.t.Helper()
	if y.err == nil || !strings.Contains(y.err.Error(), part) {
		y.t.Fatalf("error is %v, want one with %q", y.err, part)
	}
	return y
}

// is compares the sketch of the subscription.
func (y *story) is(want string) *story {
	y.t.Helper()
	if got := sketch(&y.s); got != want {
		y.t.Fatalf("is   %s\nwant %s", got, want)
	}
	return y
}

// has compares the lines of a charge, given as "QUANTITY FROM..TO" in their
// order.
func (y *story) has(code string, want ...string) *story {
	y.t.Helper()
	var got []string
	for _, line := range linesOf(&y.s, code) {
		quantity := "-"
		switch {
		case line.Off:
			quantity = "off"
		case line.Quantity != nil:
			quantity = fmt.Sprint(*line.Quantity)
		}
		got = append(got, fmt.Sprintf("%s %s..%s", quantity, line.StartDate, line.EndDate))
	}
	if !slices.Equal(got, want) {
		y.t.Fatalf("%s has\n\t%s\nwant\n\t%s", code, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	return y
}

func linesOf(s *Subscription, code string) []Line {
	var lines []Line
	for _, line := range s.Charges {
		if line.Code == code {
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(a.StartDate.Compare(b.StartDate), a.EndDate.Compare(b.EndDate))
	})
	return lines
}

// sketch is the subscription in a line: state, first paid day if it is not that
// of the term, term, and what else is set.
func sketch(s *Subscription) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s..%s", s.State, s.TermStartDate, s.EndDate)
	if s.StartDate != s.TermStartDate {
		fmt.Fprintf(&b, " paid from %s", s.StartDate)
	}
	if s.TrialStartDate != nil {
		fmt.Fprintf(&b, " trial %s..%s", *s.TrialStartDate, *s.TrialEndDate)
	}
	if s.CancellationDate != nil {
		fmt.Fprintf(&b, " canceled %s", *s.CancellationDate)
	}
	if s.NextPriceList != nil {
		fmt.Fprintf(&b, " list %d on %s", s.NextPriceList.ID, s.NextPriceList.On)
	}
	return b.String()
}
