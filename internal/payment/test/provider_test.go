package test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/payment"
)

var (
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	eur  = money.Currency{Code: "EUR", Digits: 2}
)

const day = 24 * time.Hour

// clock is a time that tests set; waiting moves it.
type clock struct{ now time.Time }

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.now = c.now.Add(d)
	return nil
}

func newProvider() (*Provider, *clock, *Memory) {
	c, ledger := &clock{noon}, &Memory{}
	return &Provider{Now: func() time.Time { return c.now }, Wait: c.wait, Ledger: ledger}, c, ledger
}

func chargeOf(token string) payment.Charge {
	return payment.Charge{Key: "p1-1", Amount: 4900, Currency: eur, Token: token, At: noon}
}

func TestTokensSayWhatHappens(t *testing.T) {
	t.Parallel()
	type later struct {
		after time.Duration
		state payment.State
		code  string
	}
	for _, c := range []struct {
		token   string
		answer  payment.State
		code    string
		hard    bool
		moves   bool
		lookups []later
	}{
		{"ok", payment.Succeeded, "", false, true, []later{{0, payment.Succeeded, ""}, {90 * day, payment.Succeeded, ""}}},
		{"declined", payment.Declined, "insufficient_funds", false, false, []later{{day, payment.Declined, "insufficient_funds"}}},
		{"stolen", payment.Declined, "stolen_card", true, false, []later{{day, payment.Declined, "stolen_card"}}},
		{"pending:3d:ok", payment.Pending, "", false, true, []later{{3*day - 1, payment.Pending, ""}, {3 * day, payment.Succeeded, ""}}},
		{"pending:5d:returned", payment.Pending, "", false, false, []later{{4 * day, payment.Pending, ""}, {5 * day, payment.Declined, "returned"}}},
		{"pending:2h:stolen", payment.Pending, "", false, false, []later{{2 * time.Hour, payment.Declined, "stolen_card"}}},
		{"unknown:ok", payment.Unknown, "timeout", false, true, []later{{10 * time.Second, payment.Succeeded, ""}}},
		{"unknown:declined", payment.Unknown, "timeout", false, false, []later{{10 * time.Second, payment.Declined, "insufficient_funds"}}},
		{"unknown:lost", payment.Unknown, "timeout", false, false, []later{{10 * time.Second, payment.Failed, payment.CodeLost}}},
		{"slow:30s", payment.Succeeded, "", false, true, []later{{10 * time.Second, payment.Unknown, "timeout"}, {time.Minute, payment.Succeeded, ""}}},
		{"chargeback:10d", payment.Succeeded, "", false, true, []later{{9 * day, payment.Succeeded, ""}, {10 * day, payment.Reversed, "chargeback"}}},
	} {
		t.Run(c.token, func(t *testing.T) {
			p, clock, ledger := newProvider()
			got, err := p.Charge(t.Context(), chargeOf(c.token))
			if err != nil || got.State != c.answer || got.Code != c.code || got.Hard != c.hard {
				t.Errorf("%+v, %v", got, err)
			}
			if moved := len(ledger.Moved()) == 1; moved != c.moves {
				t.Errorf("money moved: %v", moved)
			}
			for _, l := range c.lookups {
				clock.now = noon.Add(l.after)
				other := &Provider{Now: p.Now} // another process, which knows nothing
				if got, err := other.Lookup(t.Context(), chargeOf(c.token)); err != nil || got.State != l.state || got.Code != l.code {
					t.Errorf("after %s: %+v, %v", l.after, got, err)
				}
			}
		})
	}
}

func TestPendingChargesSayWhenToLook(t *testing.T) {
	t.Parallel()
	p, clock, _ := newProvider()
	got, _ := p.Charge(t.Context(), chargeOf("pending:3d:ok"))
	at, more := payment.NextLookup(noon, got, clock.now)
	if !more || !at.Equal(noon.Add(3*day)) {
		t.Errorf("look again at %s, %v", at, more)
	}
}

func TestASlowAnswerIsUnknownWhenTheCallerGivesUp(t *testing.T) {
	t.Parallel()
	p, _, ledger := newProvider()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := p.Charge(ctx, chargeOf("slow:30s")); err != nil || got.State != payment.Unknown || len(ledger.Moved()) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAKeyMovesMoneyOnce(t *testing.T) {
	t.Parallel()
	p, _, ledger := newProvider()
	for range 3 {
		if got, err := p.Charge(t.Context(), chargeOf("unknown:ok")); err != nil || got.State != payment.Unknown {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if moved := ledger.Moved(); len(moved) != 1 || moved["p1-1"].Amount != 4900 || ledger.Requests("p1-1") != 3 {
		t.Errorf("moved %v by %d requests", moved, ledger.Requests("p1-1"))
	}
	other := chargeOf("ok")
	other.Amount++
	if got, err := p.Charge(t.Context(), other); err != nil || got.State != payment.Failed || got.Code != "key_reused" {
		t.Errorf("another amount: %+v, %v", got, err)
	}
	refund := payment.Refund{Key: "r1", Reference: "test_p1-1", Amount: 100, Currency: eur, At: noon}
	for range 2 {
		if got, err := p.Refund(t.Context(), refund); err != nil || got.State != payment.Succeeded || got.Matches(100, eur) != nil {
			t.Errorf("refund: %+v, %v", got, err)
		}
	}
	if ledger.Moved()["r1"].Amount != -100 {
		t.Errorf("moved %v", ledger.Moved())
	}
}

func TestTokensThatSayNothing(t *testing.T) {
	t.Parallel()
	p, _, ledger := newProvider()
	for _, token := range []string{"", "okay", "returned", "pending", "pending:3d", "pending:3d:", "pending:0d:ok", "pending:3w:ok", "pending:3d:lost", "unknown", "slow:x", "slow:30s:ok", "ok:ok", "pending:99999d:ok"} {
		if CheckToken(token) == nil {
			t.Errorf("%q is accepted", token)
		}
		if got, err := p.Charge(t.Context(), chargeOf(token)); err != nil || got.State != payment.Failed || !got.Hard {
			t.Errorf("%q: %+v, %v", token, got, err)
		}
		if got, err := p.Lookup(t.Context(), chargeOf(token)); err != nil || got.State != payment.Failed {
			t.Errorf("%q looked up: %+v, %v", token, got, err)
		}
	}
	if len(ledger.Moved()) != 0 {
		t.Errorf("moved %v", ledger.Moved())
	}
	if _, err := p.Notices(nil); !errors.Is(err, payment.ErrNoNotices) {
		t.Error(err)
	}
}
