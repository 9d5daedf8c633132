package document

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Payment is money that an account has paid to an entity.
type Payment struct {
	ID         billing.PaymentID
	UUID       string
	AccountID  billing.AccountID
	EntityID   billing.EntityID
	Currency   money.Currency
	Amount     money.Amount
	ReceivedAt billing.Date
	// Reference is what the bank or the program says of it.
	Reference string
	// AmountApplied is what invoices have used of it; the rest waits as credit.
	AmountApplied money.Amount
	// AmountReturned is what was given back of what waited, or taken back by the
	// customer's bank.
	AmountReturned money.Amount
	// TestClockID is the clock of the account if the payment is only a test.
	TestClockID          *billing.TestClockID
	CreatedAt, UpdatedAt time.Time
}

// AmountUnapplied is what waits to be used.
func (p *Payment) AmountUnapplied() money.Amount {
	return p.Amount - p.AmountApplied - p.AmountReturned
}

// State says how much of the payment was used.
func (p *Payment) State() CreditNoteState {
	return usedUp(p.Amount, p.AmountApplied+p.AmountReturned)
}

// Check returns what is wrong with a payment that somebody records.
func (p *Payment) Check(today billing.Date) error {
	switch {
	case p.Amount <= 0:
		return billing.Fail(billing.Invalid, "amount", "The amount of a payment is above 0, not %s.", p.Currency.Format(p.Amount))
	case p.Amount > money.MaxDocument:
		return billing.Fail(billing.Invalid, "amount", "The amount is too large: at most %s.", p.Currency.Format(money.MaxDocument))
	case p.ReceivedAt.After(today):
		return billing.Fail(billing.Invalid, "receivedAt", "A payment was received by today, %s, not on %s.", today, p.ReceivedAt)
	}
	if e := billing.ShortText("reference", p.Reference); e != nil {
		return e
	}
	return nil
}

// Application is how much of a credit note or of a payment pays an invoice.
type Application struct {
	ID                   billing.ApplicationID
	InvoiceID            billing.InvoiceID
	CreditNoteID         *billing.CreditNoteID
	PaymentID            *billing.PaymentID
	Amount               money.Amount
	AppliedOn            billing.Date
	CreatedAt, UpdatedAt time.Time
}

// PendingItem is an item that somebody made by hand. It waits for the next
// invoice of its account in its currency.
type PendingItem struct {
	ID             billing.PendingItemID
	AccountID      billing.AccountID
	SubscriptionID *billing.SubscriptionID
	Currency       money.Currency
	LineText       string
	// Quantity is a decimal; Price is that of a unit, nil if only the amount is
	// known.
	Quantity             string
	Price                *billing.Price
	Amount               money.Amount
	TaxCode              string
	DueOn                billing.Date
	CreatedAt, UpdatedAt time.Time
}

// EventKind says what a billing event is about.
type EventKind string

// The kinds of billing events.
const (
	InvoiceIssued     EventKind = "InvoiceIssued"
	InvoicePaid       EventKind = "InvoicePaid"
	InvoiceVoided     EventKind = "InvoiceVoided"
	InvoiceWrittenOff EventKind = "InvoiceWrittenOff"
	InvoiceReopened   EventKind = "InvoiceReopened"
	CreditNoteIssued  EventKind = "CreditNoteIssued"
	PaymentReceived   EventKind = "PaymentReceived"
	PaymentReversed   EventKind = "PaymentReversed"
	PaymentRefunded   EventKind = "PaymentRefunded"
)

// Event is a fact of billing that other systems follow. Sequence counts the events
// of an account from 1 without a gap.
type Event struct {
	ID         billing.BillingEventID
	AccountID  billing.AccountID
	Sequence   int64
	Kind       EventKind
	DocumentID int64
	Data       map[string]any
	At         time.Time
}
