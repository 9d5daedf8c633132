package dunning

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestStandingOfAnInvoice(t *testing.T) {
	t.Parallel()
	p := NewPolicy()
	suspended, restricted := Progress{Suspend: 21, Restrict: 7}, Progress{Restrict: 7}
	for _, c := range []struct {
		name    string
		policy  *Policy
		invoice Invoice
		day     int
		want    billing.Standing
	}{
		{"before it is due", &p, unpaid(), -1, billing.Good},
		{"on the due day", &p, unpaid(), 0, billing.Good},
		{"the day after", &p, unpaid(), 1, billing.PastDue},
		{"while a payment is pending", &p, unpaid(func(i *Invoice) { i.Attempt, i.AttemptOn = Pending, due }), 1, billing.PastDue},
		{"suspension that was not carried out yet", &p, unpaid(), 21, billing.PastDue},
		{"restricted", &p, unpaid(func(i *Invoice) { i.Done = restricted }), 7, billing.Restricted},
		{"suspended", &p, unpaid(func(i *Invoice) { i.Done = suspended }), 21, billing.Suspended},
		{"a hold gives nothing back", &p, unpaid(func(i *Invoice) { i.Done, i.HoldUntil = suspended, due.AddDays(60) }), 22, billing.Suspended},
		{"paid", &p, unpaid(func(i *Invoice) { i.Done, i.AmountDue = suspended, 0 }), 22, billing.Good},
		{"written off and restored", &p, unpaid(func(i *Invoice) { i.Done, i.AmountDue = suspended, 0 }), 50, billing.Good},
		{"written off before anything was taken away", &p, unpaid(func(i *Invoice) { i.AmountDue, i.Forfeited = 0, true }), 50, billing.Good},
		{"written off and not restored", &p, unpaid(func(i *Invoice) { i.Done, i.AmountDue, i.Forfeited = suspended, 0, true }), 50, billing.Suspended},
		{"of no subscription", &p, unpaid(func(i *Invoice) { i.OneOff = true }), 50, billing.Good},
		{"without dunning", nil, unpaid(func(i *Invoice) { i.Done = suspended }), 50, billing.Good},
	} {
		if got := c.policy.Standing(&c.invoice, due.AddDays(c.day)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	p := NewPolicy()
	claim := func(number string, dueAfter int, done Progress) Claim {
		return Claim{&p, &Invoice{Number: number, Due: due.AddDays(dueAfter), Currency: eur, AmountDue: 1, Done: done}}
	}
	forfeited := claim("F", 0, Progress{Suspend: 21})
	forfeited.Invoice.Forfeited = true
	for _, c := range []struct {
		claims []Claim
		day    int
		want   billing.Standing
		why    string
	}{
		{nil, 0, billing.Good, ""},
		{[]Claim{claim("A", 0, nil)}, 0, billing.Good, ""},
		{[]Claim{claim("A", 0, nil)}, 1, billing.PastDue, "past due: invoice A is 1 day overdue"},
		{[]Claim{claim("B", 5, nil), claim("A", 0, nil), claim("C", 0, nil)}, 9, billing.PastDue, "past due: invoice A is 9 days overdue"},
		{[]Claim{claim("A", 0, nil), claim("B", 2, Progress{Restrict: 5})}, 9, billing.Restricted, "restricted: invoice B is 7 days overdue"},
		{[]Claim{claim("A", 0, Progress{Restrict: 5}), claim("INV-2026-000017", 2, Progress{Suspend: 21})}, 23, billing.Suspended, "suspended: invoice INV-2026-000017 is 21 days overdue"},
		{[]Claim{forfeited}, 90, billing.Suspended, "suspended: invoice F was written off"},
		{[]Claim{claim("M", 30, Progress{Suspend: 21})}, 22, billing.Suspended, "suspended: invoice M is unpaid"},
	} {
		got := Judge(c.claims, due.AddDays(c.day))
		if got.Standing != c.want || got.Why() != c.why {
			t.Errorf("%s, %q; want %s, %q", got.Standing, got.Why(), c.want, c.why)
		}
	}
}

func TestOverdueCountsFromTheDueDayAfterAChargeback(t *testing.T) {
	t.Parallel()
	p := NewPolicy()
	i := unpaid(func(i *Invoice) { i.Restarted, i.Done = due.AddDays(60), Progress{Suspend: 21} })
	if got := Judge([]Claim{{&p, &i}}, due.AddDays(81)).Why(); got != "suspended: invoice INV-1 is 81 days overdue" {
		t.Error(got)
	}
}

func TestChangeEvent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to billing.Standing
		want     string
	}{
		{billing.Good, billing.PastDue, ""}, {billing.PastDue, billing.Good, ""}, {billing.Suspended, billing.Suspended, ""},
		{billing.PastDue, billing.Restricted, EventRestricted}, {billing.Suspended, billing.Restricted, EventRestricted},
		{billing.Good, billing.Suspended, EventSuspended}, {billing.Restricted, billing.Suspended, EventSuspended},
		{billing.Suspended, billing.Good, EventRestored}, {billing.Suspended, billing.PastDue, EventRestored}, {billing.Restricted, billing.Good, EventRestored},
	} {
		if got := ChangeEvent(c.from, c.to); got != c.want {
			t.Errorf("%s to %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	if !billing.Suspended.Worse(billing.Restricted) || billing.Good.Worse(billing.Good) || !billing.PastDue.HasAllFeatures() || billing.Restricted.HasAllFeatures() {
		t.Error("standings are out of order")
	}
	var none billing.Date
	if got := Judge(nil, none); got.Standing != billing.Good {
		t.Errorf("without invoices: %+v", got)
	}
}
