package payment

import (
	"fmt"
	"math/big"
	"time"

	"github.com/tenantry/tenantry/internal/billing/money"
)

// State is what has come of a request.
type State string

// The states of a request.
const (
	Succeeded State = "SUCCEEDED" // the money was moved
	Declined  State = "DECLINED"  // the bank or the customer refused
	Pending   State = "PENDING"   // accepted, and decided later
	Unknown   State = "UNKNOWN"   // nobody knows whether it happened: look it up
	Failed    State = "FAILED"    // it did not happen, for another reason than the customer's
	// Reversed means that the money was moved and taken back, by a chargeback or a
	// returned debit. Only lookups and notices tell this.
	Reversed State = "REVERSED"
)

// Final reports whether a charge of this state has ended, but for a reversal.
func (s State) Final() bool { return s != Pending && s != Unknown }

// CodeLost is the code of a request that never arrived.
const CodeLost = "lost"

// Outcome is what is known of a charge or a refund.
type Outcome struct {
	State State
	// Code is the provider's reason, for programs, and Message for people.
	Code, Message string
	// Hard says that another try with the same method is useless.
	Hard bool
	// Reference is the provider's name of the charge or refund.
	Reference string
	// Amount was moved, in Currency, and Fee is what the provider kept of it. They
	// are zero if that is not known.
	Amount, Fee money.Amount
	Currency    money.Currency
	// Step is what the provider moves only multiples of, in minor units of Currency; 0 if
	// it can move every amount.
	Step money.Amount
	// ExpectedAt is when something new will be known, zero if the provider does not
	// say.
	ExpectedAt time.Time
}

// Matches returns an error if another amount or another currency was moved than
// that which was asked for. A person has to look at it. An amount that the provider cannot
// move is rounded half away from zero.
func (o Outcome) Matches(amount money.Amount, currency money.Currency) error {
	if o.Currency == (money.Currency{}) || o.Currency == currency && (o.Amount == amount || o.Amount == o.movable(amount)) {
		return nil
	}
	return fmt.Errorf("the provider moved %s %s for %s, not %s %s",
		o.Currency.Code, o.Currency.Format(o.Amount), o.Reference, currency.Code, currency.Format(amount))
}

// movable is what the provider moves if it is asked for an amount.
func (o Outcome) movable(amount money.Amount) money.Amount {
	if o.Step <= 1 {
		return amount
	}
	steps, err := money.Round(big.NewRat(int64(amount), int64(o.Step)))
	if err != nil {
		return amount
	}
	return steps * o.Step
}

// Subject is what a notice is about.
type Subject string

// The subjects of notices.
const (
	ChargeNotice Subject = "CHARGE"
	RefundNotice Subject = "REFUND"
	// MethodSaved and MethodChanged come with a token; what it stands for is read
	// from the provider. MethodRemoved means that it can no longer be charged.
	MethodSaved   Subject = "METHOD_SAVED"
	MethodChanged Subject = "METHOD_CHANGED"
	MethodRemoved Subject = "METHOD_REMOVED"
)

// Notice is something that a provider tells by itself. Notices come late, twice, in
// any order, and before the answer that they are about.
type Notice struct {
	// ID is the provider's; a notice with an id that was seen has no effect.
	ID      string
	Subject Subject
	// Key is that of the charge, refund or setup. It is empty where the provider
	// knows only its own reference: Outcome.Reference.
	Key     string
	Outcome Outcome
	// ChargeReference is the provider's name of the charge that a refund is of.
	ChargeReference string
	// Token is that of the payment method, if the notice is about one, and Mandate
	// names the permission to debit a bank account.
	Token, Mandate string
	// At is when it happened, by the provider's clock.
	At time.Time
}
