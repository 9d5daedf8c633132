package ledger_test

import (
	"iter"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

func ledgerAmount(minor int64) money.Amount { return money.Amount(minor) }

func itemsOf(b *book) iter.Seq[item] {
	return func(yield func(item) bool) {
		for _, key := range b.order {
			for _, it := range b.keys[key].items {
				if !yield(it) {
					return
				}
			}
		}
	}
}

// march is 31.00 a month from 1 March 2026, billed.
func march(t *testing.T, quantity int) *book {
	b := newBook(t, monthly("2026-03-01", line(1, flat("31", catalog.Monthly), quantity, "2026-03-01")))
	b.run(d("2026-03-01"))
	return b
}

func arrears(price billing.Price) *rate.Rate {
	r := flat(price, catalog.Monthly)
	r.BillingTiming = catalog.InArrears
	return r
}

func once(price billing.Price) *rate.Rate {
	return &rate.Rate{ChargeType: catalog.OneTime, BillingPeriod: catalog.Once, PricingModel: catalog.Flat, Price: &price}
}

// TestEdgesInTheLedger has those of an ordinary subscription; every row has the day and what is
// issued then, after what is done on that day.
func TestEdgesInTheLedger(t *testing.T) {
	type step struct {
		on             string
		do             func(*book)
		items, credits amounts
	}
	bill := func(on string, items, credits amounts) step { return step{on, func(*book) {}, items, credits} }
	for name, edge := range map[string]struct {
		book  func(*testing.T) *book
		steps []step
	}{
		"quantity down, unused days kept, then up": {func(t *testing.T) *book { return march(t, 10) }, []step{
			{"2026-03-11", func(b *book) { b.setQuantity(1, 5, d("2026-03-11"), true) }, nil, nil},
			// 5 more than the 10 that were kept: 11 of 31 days
			{"2026-03-21", func(b *book) { b.setQuantity(1, 15, d("2026-03-21"), false) }, amounts{5500}, nil},
			bill("2026-04-01", amounts{46500}, nil),
		}},
		"quantity down, unused days kept": {func(t *testing.T) *book { return march(t, 10) }, []step{
			{"2026-03-11", func(b *book) { b.setQuantity(1, 5, d("2026-03-11"), true) }, nil, nil},
			bill("2026-04-01", amounts{15500}, nil),
		}},
		"several changes on one day": {func(t *testing.T) *book { return march(t, 5) }, []step{
			{"2026-03-11", func(b *book) {
				b.setQuantity(1, 9, d("2026-03-11"), false)
				b.setQuantity(1, 5, d("2026-03-11"), false)
			}, nil, nil},
		}},
		"change back later": {func(t *testing.T) *book { return march(t, 5) }, []step{
			{"2026-03-11", func(b *book) { b.setQuantity(1, 6, d("2026-03-11"), false) }, amounts{2100}, nil},
			{"2026-03-21", func(b *book) { b.setQuantity(1, 5, d("2026-03-21"), false) }, nil, amounts{1100}},
			bill("2026-04-01", amounts{15500}, nil),
		}},
		"plan change at the end of the term": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) { b.changePlan(line(2, flat("62", catalog.Monthly), 1, "2026-04-01"), 0) }, nil, nil},
			bill("2026-04-01", amounts{6200}, nil),
		}},
		"plan changed away and back on the same day": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) {
				b.changePlan(line(2, flat("62", catalog.Monthly), 1, "2026-03-20"), 0)
				b.changePlan(line(1, flat("31", catalog.Monthly), 1, "2026-03-20"), 0)
			}, nil, nil},
		}},
		"plan to another currency": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) {
				to := line(2, flat("3100", catalog.Monthly), 1, "2026-03-20")
				to.Currency = currency("JPY")
				b.changePlan(to, 0)
			}, amounts{1200}, amounts{1200}},
		}},
		"plan change in the trial": {func(t *testing.T) *book {
			return newBook(t, monthly("2026-01-15", line(1, flat("31", catalog.Monthly), 1, "2026-01-01")))
		}, []step{
			{"2026-01-10", func(b *book) { b.changePlan(line(2, flat("62", catalog.Monthly), 1, "2026-01-10"), 0) }, nil, nil},
			bill("2026-01-15", amounts{6200}, nil),
		}},
		"trial converted on its first day": {func(t *testing.T) *book {
			return newBook(t, monthly("2026-01-01", line(1, flat("31", catalog.Monthly), 1, "2026-01-01")))
		}, []step{
			bill("2026-01-01", amounts{3100}, nil),
		}},
		"expiry": {func(t *testing.T) *book {
			timeline := monthly("2026-03-01", line(1, flat("31", catalog.Monthly), 1, "2026-03-01"), line(2, flat("365", catalog.Annual), 1, "2026-03-01"))
			timeline.End = d("2026-04-01")
			return newBook(t, timeline)
		}, []step{
			bill("2026-03-01", amounts{3100, 3100}, nil),
			bill("2027-03-01", nil, nil),
		}},
		"days that are not paid, such as those of a suspension": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-21", func(b *book) {
				b.line.Lines[0].To = d("2026-03-10")
				b.line.Lines = append(b.line.Lines, line(1, flat("31", catalog.Monthly), 1, "2026-03-21"))
			}, nil, amounts{1000}},
		}},
		"cancel today, credit": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) { b.cancel(d("2026-03-20"), false) }, nil, amounts{1200}},
		}},
		"cancel today, keep": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) { b.cancel(d("2026-03-20"), true) }, nil, nil},
			bill("2026-05-01", nil, nil),
		}},
		"cancel on the first day, keep": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-01", func(b *book) { b.cancel(d("2026-03-01"), true) }, nil, amounts{3100}},
		}},
		"cancel on the first day, with a one-time charge": {func(t *testing.T) *book {
			b := newBook(t, monthly("2026-03-01", line(1, flat("31", catalog.Monthly), 1, "2026-03-01"), line(2, once("100"), 1, "2026-03-01")))
			b.run(d("2026-03-01"))
			return b
		}, []step{
			{"2026-03-01", func(b *book) { b.cancel(d("2026-03-01"), false) }, nil, amounts{3100, 10000}},
		}},
		"cancel in arrears, keep or not": {func(t *testing.T) *book {
			return newBook(t, monthly("2026-03-01", line(1, arrears("31"), 1, "2026-03-01")))
		}, []step{
			bill("2026-03-19", nil, nil),
			{"2026-03-20", func(b *book) { b.cancel(d("2026-03-20"), true) }, amounts{1900}, nil},
		}},
		"in arrears": {func(t *testing.T) *book {
			return newBook(t, monthly("2026-03-01", line(1, arrears("31"), 1, "2026-03-01")))
		}, []step{
			{"2026-03-16", func(b *book) { b.setQuantity(1, 2, d("2026-03-16"), false) }, nil, nil},
			bill("2026-03-31", nil, nil),
			bill("2026-04-01", amounts{4700}, nil),
		}},
		"scheduled cancellation of an annual charge": {func(t *testing.T) *book {
			b := newBook(t, monthly("2026-01-01", line(1, flat("365", catalog.Annual), 1, "2026-01-01")))
			b.run(d("2026-01-01"))
			return b
		}, []step{
			// January and February of the next year only
			{"2026-12-31", func(b *book) { b.cancel(d("2027-03-01"), false) }, nil, nil},
			bill("2027-01-01", amounts{5900}, nil),
			{"2027-02-01", func(b *book) { b.line.End = billing.Date{} }, nil, nil},
			bill("2027-03-01", amounts{30600}, nil),
		}},
		"reinstated after the end": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) { b.cancel(d("2026-03-20"), false) }, nil, amounts{1200}},
			{"2026-03-25", func(b *book) { b.reinstate(d("2026-03-25")) }, amounts{3100}, nil},
			bill("2026-04-24", nil, nil),
			bill("2026-04-25", amounts{3100}, nil),
		}},
		"reinstated from an earlier day": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) { b.cancel(d("2026-03-20"), false) }, nil, amounts{1200}},
			{"2026-03-25", func(b *book) { b.reinstate(d("2026-03-10")) }, amounts{3100}, amounts{1000}},
		}},
		"reinstated after days were kept": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) { b.cancel(d("2026-03-20"), true) }, nil, nil},
			{"2026-03-25", func(b *book) { b.reinstate(d("2026-03-25")) }, amounts{3100}, amounts{700}},
		}},
		"trial becomes active": {func(t *testing.T) *book {
			b := newBook(t, monthly("2026-01-15", line(1, flat("31", catalog.Monthly), 1, "2026-01-01"), line(2, once("100"), 2, "2026-01-01")))
			return b
		}, []step{
			bill("2026-01-14", nil, nil),
			bill("2026-01-15", amounts{3100, 20000}, nil),
			bill("2026-02-14", nil, nil),
			bill("2026-02-15", amounts{3100}, nil),
		}},
		"trial extended": {func(t *testing.T) *book {
			return newBook(t, monthly("2026-01-15", line(1, flat("31", catalog.Monthly), 1, "2026-01-01"), line(2, once("100"), 1, "2026-01-01")))
		}, []step{
			{"2026-01-10", func(b *book) {
				b.line.StartDate = d("2026-01-20")
				b.line.Epochs = ledger.FirstEpoch(d("2026-01-20"), d("2026-02-19"), 20, 1)
			}, nil, nil},
			bill("2026-01-15", nil, nil),
			bill("2026-01-20", amounts{3100, 10000}, nil),
		}},
		"trial that never becomes a paid term": {func(t *testing.T) *book {
			timeline := monthly("2026-01-15", line(1, flat("31", catalog.Monthly), 1, "2026-01-01"), line(2, once("100"), 1, "2026-01-01"))
			timeline.End = d("2026-01-15")
			return newBook(t, timeline)
		}, []step{
			bill("2026-06-01", nil, nil),
		}},
		"one-time charge ordered later": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-20", func(b *book) { b.line.Lines = append(b.line.Lines, line(2, once("0.005"), 3, "2026-03-20")) }, amounts{2}, nil},
			{"2026-03-25", func(b *book) { b.cancel(d("2026-03-25"), false) }, nil, amounts{700}},
		}},
		"start in the past": {func(t *testing.T) *book {
			return newBook(t, monthly("2026-01-01", line(1, flat("31", catalog.Monthly), 1, "2026-01-01")))
		}, []step{
			bill("2026-03-10", amounts{3100, 3100, 3100}, nil),
		}},
		"start in the past, billed elsewhere": {func(t *testing.T) *book {
			timeline := monthly("2026-01-01", line(1, flat("31", catalog.Monthly), 1, "2026-01-01"), line(2, once("100"), 1, "2026-01-01"))
			timeline.BillingStartsOn = d("2026-03-11")
			return newBook(t, timeline)
		}, []step{
			bill("2026-03-10", nil, nil),
			bill("2026-03-11", amounts{2100}, nil),
		}},
		"term made shorter, not renewed": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-10", func(b *book) { b.line.End = d("2026-03-22") }, nil, nil},
			bill("2026-03-22", nil, amounts{1000}),
		}},
		"term made shorter, renewed": {func(t *testing.T) *book { return march(t, 1) }, []step{
			{"2026-03-10", func(b *book) { b.line.Epochs = b.line.Epochs.Renewed(d("2026-03-22"), 22, 1) }, nil, nil},
			bill("2026-03-22", amounts{3100}, amounts{1000}),
		}},
		"leap year": {func(t *testing.T) *book {
			return newBook(t, termed("2024-01-01", 12, line(1, flat("1200", catalog.Annual), 1, "2024-07-01")))
		}, []step{
			bill("2024-07-01", amounts{60328}, nil), // 184/366
		}},
		"clock set back": {func(t *testing.T) *book { return march(t, 1) }, []step{
			bill("2026-04-01", amounts{3100}, nil),
			bill("2026-03-15", nil, nil),
		}},
		"a price of nothing": {func(t *testing.T) *book {
			return newBook(t, monthly("2026-03-01", line(1, flat("0", catalog.Monthly), 1, "2026-03-01"), line(2, flat("31", catalog.Monthly), 0, "2026-03-01")))
		}, []step{
			bill("2026-03-01", nil, nil),
			{"2026-03-01", func(b *book) {
				if len(b.keys) != 2 || len(b.changes(d("2026-03-31"))) != 0 {
					b.t.Fatalf("the days were not recorded")
				}
			}, nil, nil},
			{"2026-03-16", func(b *book) { b.setQuantity(2, 1, d("2026-03-16"), false) }, amounts{1600}, nil},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := edge.book(t)
			for _, s := range edge.steps {
				s.do(b)
				b.expect(s.on, b.run(d(s.on)), s.items, s.credits)
				if again := b.run(d(s.on)); len(again.items)+len(again.credits) > 0 {
					t.Fatalf("%s: billed again: %v", s.on, again)
				}
			}
		})
	}
}

func TestSubscriptionsThatCannotBeBilled(t *testing.T) {
	large := line(1, flat("999999999999999", catalog.Monthly), 1, "2026-03-01")
	unknown := line(1, nil, 1, "2026-03-01")
	strange := line(1, flat("31", catalog.Once), 1, "2026-03-01")
	for says, timeline := range map[string]ledger.Timeline{
		"too large":    monthly("2026-03-01", large),
		"is not known": monthly("2026-03-01", unknown),
		"cannot be":    monthly("2026-03-01", strange),
		"no terms":     {StartDate: d("2026-03-01"), Lines: []ledger.Line{line(1, flat("31", catalog.Monthly), 1, "2026-03-01")}},
	} {
		_, err := timeline.Changes(nil, billing.Date{}, d("2026-03-01"))
		if _, clear := billing.AsProblems(err); !clear || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	// Days that are never billed need no rate.
	unknown.To = d("2026-02-28")
	timeline := monthly("2026-03-01", unknown)
	if changes, err := timeline.Changes(nil, billing.Date{}, d("2026-03-01")); err != nil || len(changes) > 0 {
		t.Errorf("an unknown rate before billing starts: %v, %v", changes, err)
	}
}
