package subscription

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"pgregory.net/rapid"
)

// Whatever is done to a subscription, and however many days pass, it stays
// whole. The days are walked one by one, and jumped over beside that.
func TestSubscriptionStaysWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLife(t)
		t.Repeat(map[string]func(*rapid.T){
			"":      l.check,
			"day":   func(t *rapid.T) { l.pass(t, 1) },
			"days":  func(t *rapid.T) { l.pass(t, rapid.IntRange(2, 45).Draw(t, "days")) },
			"years": func(t *rapid.T) { l.pass(t, rapid.IntRange(300, 800).Draw(t, "days")) },
			"term": func(t *rapid.T) {
				l.pass(t, max(1, l.today.DaysUntil(l.s.EndDate)+rapid.IntRange(0, 1).Draw(t, "more")))
			},
			"cancel": func(t *rapid.T) {
				c := Cancellation{On: at(l.date(t)), Unused: drawUnused(t)}
				l.act(t, func(s Subscription) result { return of(s.Cancel(c, l.today)) })
			},
			"reinstate":  func(t *rapid.T) { l.reinstate(t) },
			"quantities": func(t *rapid.T) { l.quantities(t) },
			"take back":  func(t *rapid.T) { l.takeBack(t) },
			"plan": func(t *rapid.T) {
				offer := offers[rapid.SampledFrom([]billing.PriceListID{monthlyID, annualID, splitID, foreignID}).Draw(t, "list")]
				u := PlanUpdate{
					AtTermEnd: rapid.Bool().Draw(t, "later"), Quantities: drawOrders(t), Scheduled: drawScheduled(t),
					Term: rapid.SampledFrom([]TermChange{"", "", KeepTerm, RestartTerm}).Draw(t, "term"),
				}
				l.act(t, func(s Subscription) result { return of(s.ChangePlan(offer, u, findOffer, l.today)) })
			},
			"renew": func(t *rapid.T) {
				on := rapid.Bool().Draw(t, "on")
				l.act(t, func(s Subscription) result { return of(s.SetAutoRenew(on)) })
			},
			"extend": func(t *rapid.T) {
				end := l.date(t)
				l.act(t, func(s Subscription) result { return of(s.ExtendTrial(end, findOffer, l.today)) })
			},
			"convert": func(t *rapid.T) {
				l.act(t, func(s Subscription) result { return of(s.ConvertTrial(findOffer, l.today)) })
			},
			"update": func(t *rapid.T) { l.update(t) },
		})
		l.checkHistory(t)
	})
}

// result is what an action returns.
type result struct {
	s      Subscription
	change Change
	err    error
}

func of(s Subscription, change Change, err error) result { return result{s, change, err} }

// life is a subscription with what the test remembers of it.
type life struct {
	s            Subscription
	today, first billing.Date
	// lived has what counted at the end of each day on which it was live.
	lived map[billing.Date]livedDay
	// kept are earlier subscriptions with copies, to see that none is touched.
	kept []keptSubscription
}

type livedDay struct {
	list       billing.PriceListID
	quantities map[billing.ChargeID]*int
}

type keptSubscription struct{ original, copied Subscription }

func newLife(t *rapid.T) *life {
	today := d("2023-12-25").AddDays(rapid.IntRange(0, 800).Draw(t, "today"))
	l := &life{today: today, first: today, lived: map[billing.Date]livedDay{}}
	draft := Draft{
		Trial: rapid.Bool().Draw(t, "trial"), Evergreen: rapid.Bool().Draw(t, "evergreen"),
		Quantities: []QuantityOrder{order("seats", rapid.IntRange(1, 100).Draw(t, "seats"))},
	}
	near := func(name string, from int) *billing.Date {
		return at(today.AddDays(rapid.IntRange(from, 60).Draw(t, name)))
	}
	if rapid.Bool().Draw(t, "start given") {
		draft.StartDate = near("start", -400)
	}
	if draft.Trial {
		draft.TrialExpirationAction = new(rapid.SampledFrom([]catalog.TrialExpirationAction{catalog.TrialActivate, catalog.TrialCancel}).Draw(t, "trial ends with"))
	}
	if rapid.Bool().Draw(t, "length given") {
		draft.RenewalTermMonths = new(rapid.IntRange(1, 24).Draw(t, "months"))
	}
	if rapid.IntRange(0, 3).Draw(t, "end given") == 0 {
		draft.EndDate = near("end", -20)
	}
	list := rapid.SampledFrom([]billing.PriceListID{monthlyID, splitID}).Draw(t, "list")
	s, change, err := New(draft, offers[list], today)
	if err != nil {
		t.Skip(err)
	}
	if !change.Happened() || change.Kind != KindCreated || change.To != s.State {
		t.Fatalf("created as %s to %s, is %s", change.Kind, change.To, s.State)
	}
	s.ID = 7
	l.become(s)
	return l
}

// become goes on with the subscription and keeps it to be compared later.
func (l *life) become(s Subscription) {
	l.kept = append(l.kept, keptSubscription{s, deepCopy(s)})
	l.s = s
	l.live()
}

// live remembers what counts today.
func (l *life) live() {
	if !l.s.State.Live() {
		delete(l.lived, l.today)
		return
	}
	day := livedDay{l.s.PriceListID, map[billing.ChargeID]*int{}}
	for i := range l.s.Charges {
		if line := &l.s.Charges[i]; line.covers(l.today) {
			day.quantities[line.ChargeID] = line.Quantity
		}
	}
	l.lived[l.today] = day
}

// date is a day near today, or near one that matters.
func (l *life) date(t *rapid.T) billing.Date {
	days := []billing.Date{l.today, l.today, l.s.StartDate, l.s.EndDate, l.s.FirstDay(), l.s.LastTermDay(), l.s.TermStartDate}
	for _, special := range []*billing.Date{l.s.CancellationDate, l.s.TrialEndDate} {
		if special != nil {
			days = append(days, *special)
		}
	}
	near := rapid.SampledFrom(days).Draw(t, "near")
	if rapid.Bool().Draw(t, "close") {
		return near.AddDays(rapid.IntRange(-1, 2).Draw(t, "off"))
	}
	return near.AddDays(rapid.IntRange(-40, 60).Draw(t, "off"))
}

// pass lets days go by, each with what is due, up to ten years.
func (l *life) pass(t *rapid.T, days int) {
	start := l.s
	for range min(days, l.today.DaysUntil(l.first.AddMonths(120))) {
		l.today = l.today.AddDays(1)
		l.runDue(t)
		l.live()
	}
	jumped := start
	for {
		due, some := jumped.Due()
		if !some || due.After(l.today) {
			break
		}
		jumped, _, _ = jumped.Step(findOffer)
	}
	if !reflect.DeepEqual(jumped, l.s) {
		t.Fatalf("day by day it is %s\n%+v\nat one go %s\n%+v", sketch(&l.s), l.s, sketch(&jumped), jumped)
	}
}

// runDue does what is due today, and checks each step and their order.
func (l *life) runDue(t *rapid.T) {
	last := -1
	for {
		due, some := l.s.Due()
		if !some || due.After(l.today) {
			return
		}
		before := l.s
		next, change, err := before.Step(findOffer)
		if err != nil {
			t.Fatalf("%s: %v", sketch(&before), err)
		}
		rank := stepRank(t, &before, &next, change)
		if due != l.today || change.On != due || rank <= last || change.From != before.State || change.To != next.State {
			t.Fatalf("step %s (%d after %d) on %s, due %s, today %s", change.Kind, rank, last, change.On, due, l.today)
		}
		was, is := projected(t, &before, l.today), projected(t, &next, l.today)
		if first, changed := ledger.FirstChange(&was, &is); changed {
			t.Fatalf("step %s on %s changes what is owed from %s on", change.Kind, change.On, first)
		}
		last = rank
		l.become(next)
	}
}

// stepRank is the place of a step among those of one instant.
func stepRank(t *rapid.T, before, after *Subscription, change Change) int {
	switch {
	case change.Kind == KindStateChanged && after.State == StateCanceled:
		return 0
	case change.Kind == KindStateChanged && before.State == StatePending:
		return 1
	case change.Kind == KindStateChanged && before.State == StateTrial:
		return 2
	case change.Kind == KindPlanChanged && after.PriceListID == before.NextPriceList.ID:
		return 3
	case change.Kind == KindStateChanged && after.State == StateExpired:
		return 4
	case change.Kind == KindRenewed:
		following := before.EndDate.AddDays(1)
		end := following.AddMonthsAnchored(after.RenewalTermMonths, before.AnchorDay).AddDays(-1)
		if after.TermStartDate != following || after.EndDate != end || after.StartDate != before.StartDate || after.AnchorDay != before.AnchorDay {
			t.Fatalf("renewed from %s to %s", sketch(before), sketch(after))
		}
		return 4
	case change.Kind == KindQuantityChanged && after.AsOf == change.On:
		return 5
	}
	t.Fatalf("step %s from %s to %s", change.Kind, sketch(before), sketch(after))
	return 0
}

// act does something to the subscription and what is due because of it.
func (l *life) act(t *rapid.T, do func(Subscription) result) {
	before := l.s
	r := do(before)
	same := reflect.DeepEqual(r.s, before)
	switch {
	case r.err != nil:
		problems, known := billing.AsProblems(r.err)
		if !known || len(problems) == 0 || !same || r.change.Happened() {
			t.Fatalf("refused with %v, changed: %t", r.err, !same)
		}
		for _, p := range problems {
			named := strings.Contains(p.Message, strings.ReplaceAll(before.State.Wire(), "_", " "))
			if p.Message == "" || p.Code == billing.NotAllowed && len(p.Field) == 0 && !named || p.Code != billing.NotAllowed && len(p.Field) == 0 {
				t.Fatalf("%s %s: %s", p.Code, p.Field, p.Message)
			}
		}
	case !r.change.Happened():
		if !same {
			t.Fatalf("nothing happened, but %s became %s", sketch(&before), sketch(&r.s))
		}
	default:
		compared := r.s
		if compared.AsOf = before.AsOf; reflect.DeepEqual(compared, before) {
			t.Fatalf("%s happened, but nothing changed", r.change.Kind)
		}
		if r.change.From != before.State || r.change.To != r.s.State || r.change.On != (billing.Date{}) {
			t.Fatalf("%s from %s to %s, is %s", r.change.Kind, r.change.From, r.change.To, r.s.State)
		}
	}
	checkNoted(t, &before, &r.s, l.today)
	l.become(r.s)
	l.runDue(t)
}

func (l *life) reinstate(t *rapid.T) {
	var effective *billing.Date
	if rapid.Bool().Draw(t, "effective given") {
		effective = at(l.date(t))
	}
	l.act(t, func(s Subscription) result { return of(s.Reinstate(effective, l.today)) })
}

func (l *life) quantities(t *rapid.T) {
	u := QuantityUpdate{Orders: drawOrders(t), AtTermEnd: rapid.IntRange(0, 3).Draw(t, "at term end") == 0, Scheduled: drawScheduled(t), Unused: drawUnused(t)}
	if rapid.IntRange(0, 3).Draw(t, "from given") > 0 {
		u.StartDate = at(l.date(t))
	}
	l.act(t, func(s Subscription) result { return of(s.ChangeQuantities(u, findOffer, l.today)) })
}

func (l *life) takeBack(t *rapid.T) {
	id := "7-plan-2020-01-01"
	if scheduled := l.s.ScheduledChanges(); len(scheduled) > 0 {
		id = rapid.SampledFrom(scheduled).Draw(t, "scheduled").ID
	}
	l.act(t, func(s Subscription) result { return of(s.TakeBack(id, findOffer, l.today)) })
}

func drawOrders(t *rapid.T) []QuantityOrder {
	var orders []QuantityOrder
	for range rapid.IntRange(0, 3).Draw(t, "orders") {
		o := QuantityOrder{Code: rapid.SampledFrom([]string{"seats", "licences", "users", "extra", "space", "base", "setup", "nothing"}).Draw(t, "code")}
		if rapid.IntRange(0, 4).Draw(t, "quoted") > 0 {
			o.Quantity = new(rapid.SampledFrom([]int{-1, 0, 1, 5, 6, 7, 50, 60, 101}).Draw(t, "quantity"))
		}
		orders = append(orders, o)
	}
	return orders
}

func drawScheduled(t *rapid.T) Scheduled {
	return rapid.SampledFrom([]Scheduled{"", KeepScheduled, ReplaceScheduled}).Draw(t, "scheduled")
}

func drawUnused(t *rapid.T) UnusedDays {
	return rapid.SampledFrom([]UnusedDays{"", CreditUnused, KeepUnused}).Draw(t, "unused")
}

func (l *life) update(t *rapid.T) {
	var u Update
	given := func(name string) bool { return rapid.IntRange(0, 2).Draw(t, name) == 0 }
	if given("evergreen given") {
		u.Evergreen = new(rapid.Bool().Draw(t, "evergreen"))
	}
	if given("months given") {
		u.RenewalTermMonths = new(rapid.IntRange(0, 14).Draw(t, "months"))
	}
	if given("start given") {
		u.StartDate = at(l.date(t))
	}
	if given("end given") {
		u.EndDate = at(l.date(t))
	}
	if given("action given") {
		u.TrialExpirationAction = new(rapid.SampledFrom([]catalog.TrialExpirationAction{catalog.TrialActivate, catalog.TrialCancel}).Draw(t, "action"))
	}
	l.act(t, func(s Subscription) result { return of(s.Update(u, findOffer, l.today)) })
}

func deepCopy(s Subscription) Subscription {
	s.TenantID, s.TrialStartDate, s.TrialEndDate = copied(s.TenantID), copied(s.TrialStartDate), copied(s.TrialEndDate)
	s.TrialExpirationAction, s.CancellationDate, s.Unused = copied(s.TrialExpirationAction), copied(s.CancellationDate), copied(s.Unused)
	s.NextPriceList, s.Problem, s.Charges = copied(s.NextPriceList), copied(s.Problem), slices.Clone(s.Charges)
	for i := range s.Charges {
		line := &s.Charges[i]
		line.FeatureID, line.Quantity, line.Price = copied(line.FeatureID), copied(line.Quantity), copied(line.Price)
		line.KeptTo = copied(line.KeptTo)
	}
	return s
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Terms do not drift: the nth begins where n lengths after the first day are.
func TestTermsDoNotDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := d("2023-01-01").AddDays(rapid.IntRange(0, 2000).Draw(t, "start"))
		if rapid.Bool().Draw(t, "at the month's end") {
			start.Day = billing.LastDayOfMonth(start.Year, start.Month)
		}
		months := rapid.IntRange(1, 40).Draw(t, "months")
		s, _, err := New(Draft{RenewalTermMonths: &months, Evergreen: true}, offers[monthlyID], start)
		for n := 1; err == nil && n*months <= 144; n++ {
			s, _, err = s.Step(findOffer)
			if want := start.AddMonths(n * months); s.TermStartDate != want {
				t.Fatalf("term %d begins on %s, want %s", n, s.TermStartDate, want)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// A subscription that starts in the past is what one that was made then became.
func TestPastStartIsWhatTimeMakesOfIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := d("2023-06-01").AddDays(rapid.IntRange(0, 1000).Draw(t, "start"))
		today := start.AddDays(rapid.IntRange(0, 3000).Draw(t, "days"))
		draft := Draft{
			StartDate: &start, Trial: rapid.Bool().Draw(t, "trial"), Evergreen: rapid.Bool().Draw(t, "evergreen"),
			Quantities: []QuantityOrder{order("seats", 5)},
		}
		offer := offers[rapid.SampledFrom([]billing.PriceListID{monthlyID, splitID}).Draw(t, "list")]
		then, _, err := New(draft, offer, start)
		now, _, err2 := New(draft, offer, today)
		if err := cmp.Or(err, err2); err != nil {
			t.Fatal(err)
		}
		for {
			due, some := then.Due()
			if !some || due.After(today) {
				break
			}
			then, _, _ = then.Step(findOffer)
		}
		if then.AsOf = today; !reflect.DeepEqual(then, now) {
			t.Fatalf("became %s, made %s", sketch(&then), sketch(&now))
		}
	})
}
