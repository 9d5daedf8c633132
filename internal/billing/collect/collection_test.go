package collect_test

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/money"
	"pgregory.net/rapid"
)

var (
	noon     = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	outcomes = []collect.Outcome{collect.OutSucceeded, collect.OutDeclined, collect.OutPending, collect.OutUnknown, collect.OutFailed, collect.OutReversed}
)

// TestResults takes results of one attempt, one after the other.
func TestResults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		results []collect.Result
		changes []collect.Change
		state   collect.State
	}{
		{"paid", []collect.Result{{Outcome: collect.OutSucceeded}, {Outcome: collect.OutSucceeded}}, []collect.Change{collect.Paid, collect.Nothing}, collect.Succeeded},
		{"a notice before the answer", []collect.Result{{Outcome: collect.OutSucceeded}, {Outcome: collect.OutUnknown}, {Outcome: collect.OutPending}}, []collect.Change{collect.Paid, collect.Nothing, collect.Nothing}, collect.Succeeded},
		{"looked up", []collect.Result{{Outcome: collect.OutUnknown}, {Outcome: collect.OutUnknown}, {Outcome: collect.OutDeclined}}, []collect.Change{collect.Noted, collect.Noted, collect.Declined}, collect.Failed},
		{"less than what is known", []collect.Result{{Outcome: collect.OutPending}, {Outcome: collect.OutUnknown}}, []collect.Change{collect.Noted, collect.Nothing}, collect.Pending},
		{"late", []collect.Result{{Outcome: collect.OutFailed}, {Outcome: collect.OutSucceeded}}, []collect.Change{collect.Declined, collect.Paid}, collect.Succeeded},
		{"late refusals", []collect.Result{{Outcome: collect.OutSucceeded}, {Outcome: collect.OutDeclined}}, []collect.Change{collect.Paid, collect.Nothing}, collect.Succeeded},
		{"a chargeback", []collect.Result{{Outcome: collect.OutSucceeded}, {Outcome: collect.OutReversed}, {Outcome: collect.OutReversed}, {Outcome: collect.OutSucceeded}}, []collect.Change{collect.Paid, collect.TakenBack, collect.Nothing, collect.Nothing}, collect.Reversed},
		{"a dispute that was won", []collect.Result{{Outcome: collect.OutSucceeded}, {Outcome: collect.OutReversed}, {Outcome: collect.OutSucceeded, Code: "dispute_won"}}, []collect.Change{collect.Paid, collect.TakenBack, collect.Paid}, collect.Succeeded},
		{"taken back before it was known to be there", []collect.Result{{Outcome: collect.OutReversed}, {Outcome: collect.OutSucceeded}}, []collect.Change{collect.Declined, collect.Nothing}, collect.Reversed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var collection collect.Collection
			attempt := collection.Begin(&collect.Method{}, noon)
			for n, result := range c.results {
				if change := collection.Take(&attempt, result); change != c.changes[n] {
					t.Errorf("result %d: change %d, want %d", n+1, change, c.changes[n])
				}
			}
			if collection.State != c.state {
				t.Errorf("it is %s, want %s", collection.State, c.state)
			}
		})
	}
}

// TestMoneyIsCountedOnce takes results of several attempts in any order: money counts for
// an attempt exactly while its outcome is that it has succeeded.
func TestMoneyIsCountedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := collect.Collection{UUID: "u"}
		attempts := []*collect.Attempt{new(c.Begin(&collect.Method{}, noon))}
		counted := map[*collect.Attempt]int{}
		for range rapid.IntRange(1, 30).Draw(t, "results") {
			if !c.IsOpen() && rapid.Bool().Draw(t, "another attempt") {
				attempts = append(attempts, new(c.Begin(&collect.Method{}, noon)))
			}
			a := rapid.SampledFrom(attempts).Draw(t, "attempt")
			r := collect.Result{Outcome: rapid.SampledFrom(outcomes).Draw(t, "outcome"), Code: rapid.SampledFrom([]string{"", "code"}).Draw(t, "code")}
			switch c.Take(a, r) {
			case collect.Paid:
				counted[a]++
			case collect.TakenBack:
				counted[a]--
			}
			if open := !attempts[len(attempts)-1].Outcome.IsFinal(); c.IsOpen() != open {
				t.Fatalf("open: %v, and the last attempt is %s", c.IsOpen(), attempts[len(attempts)-1].Outcome)
			}
			for _, a := range attempts {
				want := 0
				if a.Outcome == collect.OutSucceeded {
					want = 1
				}
				if counted[a] != want {
					t.Fatalf("attempt %d is %s, and its money is counted %d times", a.Number, a.Outcome, counted[a])
				}
			}
		}
	})
}

func TestMoved(t *testing.T) {
	t.Parallel()
	eur, usd := money.Currency{Code: "EUR", Digits: 2}, money.Currency{Code: "USD", Digits: 2}
	c := collect.Collection{Amount: 100, Currency: eur}
	if amount, currency := c.Moved(collect.Result{}); amount != 100 || currency != eur {
		t.Errorf("%d %s", amount, currency.Code)
	}
	if amount, currency := c.Moved(collect.Result{Amount: 7, Currency: usd}); amount != 7 || currency != usd {
		t.Errorf("%d %s", amount, currency.Code)
	}
}

func TestRefundsThatFailStaySo(t *testing.T) {
	t.Parallel()
	r := collect.Refund{State: collect.Pending, NextAt: &noon}
	if r.Take(collect.Result{Outcome: collect.OutUnknown}) || r.State != collect.Pending {
		t.Errorf("%+v", r)
	}
	if !r.Take(collect.Result{Outcome: collect.OutFailed, Reference: "re_1"}) || r.State != collect.Failed || r.Reference != "re_1" || r.NextAt != nil {
		t.Errorf("%+v", r)
	}
	if r.Take(collect.Result{Outcome: collect.OutFailed}) || r.Take(collect.Result{Outcome: collect.OutSucceeded}) || r.State != collect.Failed {
		t.Errorf("%+v", r)
	}
}

func TestWordsOfMethods(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method collect.Method
		words  string
	}{
		{collect.Method{Kind: collect.Card, Brand: "visa", Last4: "4242"}, "visa card ending in 4242"},
		{collect.Method{Kind: collect.Card, Last4: "4242"}, "Card ending in 4242"},
		{collect.Method{Kind: collect.SEPADebit, Last4: "3000"}, "Bank account ending in 3000"},
		{collect.Method{Kind: collect.TestKind, Last4: "ok"}, "Test method ok"},
	} {
		if words := c.method.Words(); words != c.words {
			t.Errorf("%q, want %q", words, c.words)
		}
	}
	if expires := collect.ExpiresOn(2027, 3); *expires != "2027-03" || collect.ExpiresOn(0, 0) != nil {
		t.Error("wrong month")
	}
}
