package payment

import (
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/money"
)

var began = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func TestUnknownOutcomesAreLookedUpForADay(t *testing.T) {
	t.Parallel()
	var waits []time.Duration
	now := began
	for {
		at, more := NextLookup(began, Outcome{State: Unknown}, now)
		if !more {
			break
		}
		waits, now = append(waits, at.Sub(began)), at
	}
	want := []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute}
	for hour := range 24 {
		want = append(want, time.Duration(hour+1)*time.Hour)
	}
	if len(waits) != len(want) {
		t.Fatalf("lookups after %v", waits)
	}
	for i := range want {
		if waits[i] != want[i] {
			t.Errorf("lookup %d after %s, want %s", i+1, waits[i], want[i])
		}
	}
}

func TestALateLookupLeavesOutWhatWasMissed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ after, want time.Duration }{
		{5 * time.Minute, 10 * time.Minute}, {90 * time.Minute, 2 * time.Hour}, {-time.Minute, 10 * time.Second},
	} {
		if at, more := NextLookup(began, Outcome{State: Unknown}, began.Add(c.after)); !more || at.Sub(began) != c.want {
			t.Errorf("after %s: %s, want %s", c.after, at.Sub(began), c.want)
		}
	}
	if _, more := NextLookup(began, Outcome{State: Unknown}, began.Add(30*time.Hour)); more {
		t.Error("an old one is looked up again")
	}
}

func TestPendingOutcomesAreLookedUpDaily(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, c := range []struct{ expected, after, want time.Duration }{
		{0, time.Hour, day}, {0, 40 * day, 41 * day}, {3 * day, time.Hour, 3 * day}, {3 * day, 3 * day, 4 * day},
	} {
		last := Outcome{State: Pending}
		if c.expected > 0 {
			last.ExpectedAt = began.Add(c.expected)
		}
		if at, more := NextLookup(began, last, began.Add(c.after)); !more || at.Sub(began) != c.want {
			t.Errorf("%+v: %s, want %s", c, at.Sub(began), c.want)
		}
	}
}

func TestFinalOutcomesAreLookedUpOnlyIfMoreIsExpected(t *testing.T) {
	t.Parallel()
	if at, more := NextLookup(began, Outcome{State: Succeeded}, began); more {
		t.Errorf("look again at %s", at)
	}
	later := began.Add(240 * time.Hour)
	if at, more := NextLookup(began, Outcome{State: Succeeded, ExpectedAt: later}, began); !more || !at.Equal(later) {
		t.Errorf("look again at %s, %v", at, more)
	}
	if _, more := NextLookup(began, Outcome{State: Succeeded, ExpectedAt: later}, later); more {
		t.Error("looks again after that")
	}
}

func TestOutcomesOfAnotherAmount(t *testing.T) {
	t.Parallel()
	eur, usd := money.Currency{Code: "EUR", Digits: 2}, money.Currency{Code: "USD", Digits: 2}
	moved := Outcome{State: Succeeded, Reference: "pi_1", Amount: 4900, Currency: eur}
	if err := moved.Matches(4900, eur); err != nil {
		t.Error(err)
	}
	if err := (Outcome{State: Unknown}).Matches(4900, eur); err != nil {
		t.Error(err)
	}
	if err := moved.Matches(4901, eur); err == nil || err.Error() != "the provider moved EUR 49.00 for pi_1, not EUR 49.01" {
		t.Error(err)
	}
	if moved.Matches(4900, usd) == nil {
		t.Error("another currency is accepted")
	}
	kwd := money.Currency{Code: "KWD", Digits: 3}
	rounded := Outcome{State: Succeeded, Reference: "pi_2", Amount: 6100, Currency: kwd, Step: 10}
	for asked, matches := range map[money.Amount]bool{6100: true, 6098: true, 6095: true, 6104: true, 6094: false, 6105: false} {
		if err := rounded.Matches(asked, kwd); (err == nil) != matches {
			t.Errorf("6.100 for %s: %v", kwd.Format(asked), err)
		}
	}
}

func TestFinalStates(t *testing.T) {
	t.Parallel()
	for state, final := range map[State]bool{Succeeded: true, Declined: true, Failed: true, Reversed: true, Pending: false, Unknown: false} {
		if state.Final() != final {
			t.Errorf("%s is final: %v", state, !final)
		}
	}
}
