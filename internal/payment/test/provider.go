// Package test is a payment provider that moves no money. The token of a payment
// method says what happens to its charges:
//
//	ok, declined, stolen     the answer, at once
//	pending:3d:ok            pending for three days, then it succeeds
//	pending:5d:returned      pending for five days, then the bank returns it
//	unknown:ok               the charge succeeds, but its answer is lost
//	unknown:lost             the request is lost
//	slow:30s                 the answer takes 30 seconds
//	chargeback:10d           succeeds, and is taken back after ten days
//
// What has become of a charge follows from the charge itself and the time alone. So
// every replica gives the same answer, also after a restart, and time may be that of
// a test clock.
package test

import (
	"context"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/internal/payment"
)

// Ledger notes the money that a Provider would have moved. Tests read from it
// whether an invoice was charged once.
type Ledger interface {
	// Move notes a movement. One with a key that was noted before is the same one;
	// it returns ErrKeyReused if that was of another amount.
	Move(ctx context.Context, m Movement) error
}

// Provider is the payment provider for tests.
type Provider struct {
	// Now is the time, also that of a test clock.
	Now func() time.Time
	// Wait returns after a time, or with an error when ctx ends.
	Wait func(ctx context.Context, d time.Duration) error
	// Ledger may be nil: then nothing is noted.
	Ledger Ledger
}

var _ payment.Provider = (*Provider)(nil)

// Charge does what the token says. A token that says nothing fails.
func (p *Provider) Charge(ctx context.Context, c payment.Charge) (payment.Outcome, error) {
	plan, err := parseToken(c.Token)
	if err != nil {
		return payment.Outcome{State: payment.Failed, Code: "no_such_method", Message: err.Error(), Hard: true}, nil
	}
	if err := p.move(ctx, c, plan); err != nil {
		return payment.Outcome{State: payment.Failed, Code: "key_reused", Message: err.Error()}, nil
	}
	if plan.silent || plan.slow > 0 && p.Wait(ctx, plan.slow) != nil {
		return payment.Outcome{State: payment.Unknown, Code: "timeout", Message: "No answer."}, nil
	}
	plan.slow = 0 // it has passed
	return p.outcome(c, plan), nil
}

// Lookup tells what has become of a charge by now.
func (p *Provider) Lookup(_ context.Context, c payment.Charge) (payment.Outcome, error) {
	plan, err := parseToken(c.Token)
	if err != nil {
		return payment.Outcome{State: payment.Failed, Code: "no_such_method", Message: err.Error(), Hard: true}, nil
	}
	return p.outcome(c, plan), nil
}

// move notes the money of a charge that succeeds, now or later.
func (p *Provider) move(ctx context.Context, c payment.Charge, plan plan) error {
	if p.Ledger == nil || plan.lost || plan.end != succeeds {
		return nil
	}
	return p.Ledger.Move(ctx, Movement{Key: c.Key, Amount: c.Amount, Currency: c.Currency})
}

// outcome is what is known of a charge by now.
func (p *Provider) outcome(c payment.Charge, plan plan) payment.Outcome {
	now, known := p.Now(), c.At.Add(plan.pending)
	o := payment.Outcome{Reference: "test_" + c.Key}
	switch {
	case plan.lost:
		return payment.Outcome{State: payment.Failed, Code: payment.CodeLost, Message: "The request was lost."}
	case now.Before(c.At.Add(plan.slow)):
		return payment.Outcome{State: payment.Unknown, Code: "timeout", Message: "No answer yet."}
	case now.Before(known):
		o.State, o.ExpectedAt = payment.Pending, known
	case plan.end == isDeclined:
		o.State, o.Code, o.Message = payment.Declined, "insufficient_funds", "The account has insufficient funds."
	case plan.end == isStolen:
		o.State, o.Code, o.Message, o.Hard = payment.Declined, "stolen_card", "The card is reported stolen.", true
	case plan.end == isReturned:
		o.State, o.Code, o.Message = payment.Declined, "returned", "The bank returned the debit."
	case plan.reversed > 0 && !now.Before(c.At.Add(plan.reversed)):
		o.State, o.Code, o.Message, o.Hard = payment.Reversed, "chargeback", "The customer disputed the charge.", true
		o.Amount, o.Currency = c.Amount, c.Currency
	default:
		o.State, o.Amount, o.Currency = payment.Succeeded, c.Amount, c.Currency
		if plan.reversed > 0 {
			o.ExpectedAt = c.At.Add(plan.reversed)
		}
	}
	return o
}

// Refund succeeds at once.
func (p *Provider) Refund(ctx context.Context, r payment.Refund) (payment.Outcome, error) {
	if p.Ledger != nil {
		if err := p.Ledger.Move(ctx, Movement{Key: r.Key, Amount: -r.Amount, Currency: r.Currency}); err != nil {
			return payment.Outcome{State: payment.Failed, Code: "key_reused", Message: err.Error()}, nil
		}
	}
	return payment.Outcome{State: payment.Succeeded, Reference: "test_" + r.Key, Amount: r.Amount, Currency: r.Currency}, nil
}

// Notices returns payment.ErrNoNotices: everything is told by Lookup.
func (p *Provider) Notices(*http.Request) ([]payment.Notice, error) {
	return nil, payment.ErrNoNotices
}
