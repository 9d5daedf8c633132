package collect

import (
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// State is what has become of a collection.
type State string

// The states of a collection.
const (
	Pending   State = "PENDING"   // an attempt is under way, or nobody knows its outcome
	Succeeded State = "SUCCEEDED" // the money has arrived
	Failed    State = "FAILED"    // the last attempt has failed; there may be another
	Reversed  State = "REVERSED"  // the money was taken back, by a chargeback or a returned debit, or given back at the provider
)

// Outcome is what is known of an attempt.
type Outcome string

// The outcomes of attempts.
const (
	Waiting      Outcome = "WAITING" // the request was not answered, or not sent yet
	OutSucceeded Outcome = "SUCCEEDED"
	OutDeclined  Outcome = "DECLINED" // the bank or the customer refused
	OutPending   Outcome = "PENDING"  // accepted, and decided later
	OutUnknown   Outcome = "UNKNOWN"  // nobody knows whether money was moved
	OutFailed    Outcome = "FAILED"   // no money was moved, for another reason
	OutReversed  Outcome = "REVERSED"
)

// Result is what a provider says about an attempt.
type Result struct {
	Outcome       Outcome
	Code, Message string
	// Hard says that another attempt with the same payment method is useless.
	Hard bool
	// Reference is the provider's name of the charge.
	Reference string
	// Amount was moved, in Currency, and Fee is what the provider kept. They are zero
	// if that is not known.
	Amount, Fee money.Amount
	Currency    money.Currency
}

// Collection asks a payment method for what invoices ask for. Its attempts are
// numbered from 1.
type Collection struct {
	ID              billing.PaymentCollectionID
	UUID            string
	AccountID       billing.AccountID
	EntityID        billing.EntityID
	PaymentMethodID billing.PaymentMethodID
	Provider        Provider
	Currency        money.Currency
	Amount          money.Amount
	// LineText is what the customer sees, such as the number of the invoice.
	LineText string
	State    State
	Attempts int
	// Outcome is that of the last attempt. Code, Message and Hard say more of it.
	Outcome       Outcome
	Code, Message string
	Hard          bool
	// Reference is the provider's name of the charge, and Fee what it kept.
	Reference string
	Fee       money.Amount
	// PaymentID is the payment that came of it.
	PaymentID *billing.PaymentID
	// NextAt is when the provider is asked, for the money or what has become of it; nil
	// for never.
	NextAt               *time.Time
	TestClockID          *billing.TestClockID
	CreatedAt, UpdatedAt time.Time
}

// Part is what a collection asks for an invoice.
type Part struct {
	CollectionID billing.PaymentCollectionID
	InvoiceID    billing.InvoiceID
	Amount       money.Amount
}

// Attempt is a request to a provider.
type Attempt struct {
	ID           billing.PaymentAttemptID
	CollectionID billing.PaymentCollectionID
	Number       int
	StartedAt    time.Time
	// SentAt is when the request was about to be sent. From then on nobody may send
	// another one without knowing what has become of it.
	SentAt, FinishedAt *time.Time
	Outcome            Outcome
	Code, Message      string
	Hard               bool
	// Reference is the provider's name of the charge, and PaymentID the payment that
	// came of it.
	Reference string
	PaymentID *billing.PaymentID
	// MethodRevision is that of the payment method when the attempt began.
	MethodRevision int
}

// Key is the idempotency key of an attempt: all requests with it move money once.
func (c *Collection) Key(attempt int) string { return fmt.Sprintf("%s-%d", c.UUID, attempt) }

// IsOpen reports whether money may still be moved by the last attempt, so that nothing
// else may ask for it, whatever has become of the attempts before.
func (c *Collection) IsOpen() bool { return !c.Outcome.IsFinal() }

// CanSettle reports whether a person can say what has become of the last attempt: nobody
// knows it, and nobody has promised to decide about it.
func (c *Collection) CanSettle() bool { return c.Outcome == OutUnknown }

// NeedsPerson reports whether nothing goes on until a person says what has become of the
// last attempt: the provider is not asked any more.
func (c *Collection) NeedsPerson() bool { return c.IsOpen() && c.NextAt == nil }

// Begin starts the next attempt with the payment method, to be sent at once. With one that
// was declined for good it starts after that, also on a clock that stands still: it is a
// try, see Method.Refuses.
func (c *Collection) Begin(m *Method, now time.Time) Attempt {
	c.Attempts++
	c.State, c.Outcome, c.Code, c.Message, c.Hard, c.NextAt = Pending, Waiting, "", "", false, &now
	started := now
	if m.RefusedAt != nil && !m.RefusedAt.Before(now) {
		started = m.RefusedAt.Add(time.Millisecond)
	}
	return Attempt{CollectionID: c.ID, Number: c.Attempts, StartedAt: started, Outcome: Waiting, MethodRevision: m.Revision}
}

// Change is what follows from a result.
type Change int

// What can follow from a result.
const (
	Nothing  Change = iota
	Noted           // more is known, but not how it ends
	Paid            // the money has arrived
	Declined        // the attempt has failed
	TakenBack
)

// Take notes what a provider says about an attempt, and returns what follows. Results
// come late, twice and in any order; money that has arrived counts whatever was
// thought before, also that of an attempt that seemed lost while a later one is under
// way.
func (c *Collection) Take(a *Attempt, r Result) Change {
	switch {
	case r.Outcome == OutSucceeded && a.Outcome == OutReversed && r.Code == "":
		return Nothing // an old notice; that of a dispute that was won has a code
	case r.Outcome == a.Outcome && a.Outcome.IsFinal():
		return Nothing
	case r.Outcome == OutSucceeded:
		c.note(a, r)
		c.State = Succeeded
		return Paid
	case r.Outcome == OutReversed:
		had := a.Outcome == OutSucceeded
		c.note(a, r)
		c.State = Reversed
		if had {
			return TakenBack
		}
		return Declined
	case a.Outcome.IsFinal(), a.Outcome == OutPending && r.Outcome == OutUnknown:
		return Nothing // less than what is known
	}
	c.note(a, r)
	switch {
	case !r.Outcome.IsFinal():
		return Noted
	case c.State == Pending && a.Number == c.Attempts:
		c.State = Failed
		return Declined
	}
	return Noted
}

// IsFinal reports whether an attempt with this outcome has ended, but for a reversal.
func (o Outcome) IsFinal() bool { return o != Waiting && o != OutPending && o != OutUnknown }

// note keeps what a result says.
func (c *Collection) note(a *Attempt, r Result) {
	a.Outcome, a.Code, a.Message, a.Hard = r.Outcome, r.Code, r.Message, r.Hard
	if r.Reference != "" {
		a.Reference, c.Reference = r.Reference, r.Reference
	}
	if r.Fee != 0 {
		c.Fee = r.Fee
	}
	if a.Number == c.Attempts {
		c.Outcome, c.Code, c.Message, c.Hard = r.Outcome, r.Code, r.Message, r.Hard
	}
}

// Moved is what was moved: what the provider says, or else what was asked for.
func (c *Collection) Moved(r Result) (money.Amount, money.Currency) {
	if r.Currency == (money.Currency{}) || r.Amount == 0 {
		return c.Amount, c.Currency
	}
	return r.Amount, r.Currency
}

// Last is the last collection of an invoice, for the decision about the next one.
type Last struct {
	InvoiceID       billing.InvoiceID
	CollectionID    billing.PaymentCollectionID
	PaymentMethodID billing.PaymentMethodID
	State           State
	Outcome         Outcome
	Hard            bool
	// At is when its last attempt began.
	At time.Time
}
