package document

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// InvoiceKind says where an invoice came from.
type InvoiceKind string

// Invoices are made by billing or by hand, or another system issued them.
const (
	SubscriptionInvoice InvoiceKind = "SUBSCRIPTION"
	OneOffInvoice       InvoiceKind = "ONE_OFF"
	ImportedInvoice     InvoiceKind = "IMPORTED"
)

// Invoice asks an account for money. Once it has a number, nothing of it changes
// but what has been credited and paid.
type Invoice struct {
	ID        billing.InvoiceID
	UUID      string
	Number    string
	Kind      InvoiceKind
	EntityID  billing.EntityID
	AccountID billing.AccountID
	// SubscriptionID is that of a subscription that has invoices of its own.
	SubscriptionID *billing.SubscriptionID
	Currency       money.Currency
	// A draft has none of these days. The outcome of an operation is kept as JSON, which
	// has no day that is none.
	IssuedAt billing.Date `json:",omitzero"`
	DueAt    billing.Date `json:",omitzero"`
	Items    []Item
	// Seller and Buyer are JSON copies of entity and account at issue.
	Seller, Buyer                           json.RawMessage
	Notes, PONumber, BuyerReference, Locale string
	// GivenPONumber is a purchase order that somebody gave a draft, instead of that of
	// the subscriptions or the account.
	GivenPONumber string

	// AppliedAtIssue is what waiting credit paid of it when it was issued, as it is
	// printed.
	AppliedAtIssue money.Amount

	// What Total computes.
	PeriodStart, PeriodEnd      billing.Date `json:",omitzero"`
	Taxes                       []tax.Group
	Subtotal, TaxAmount, Amount money.Amount

	// What becomes of it: credit notes and payments that were applied, and what was
	// credited of each group of Taxes.
	Credits, AmountPaid money.Amount
	Credited            []tax.Credited
	Voided, WrittenOff  bool

	// TestClockID is the clock of the account if the invoice is only a test.
	TestClockID *billing.TestClockID
	// IssueAfter is when a draft is issued by itself, nil if somebody has to.
	IssueAfter *time.Time
	Link
	CreatedAt, UpdatedAt time.Time
}

// Total computes the amounts of the invoice from its items.
func (i *Invoice) Total() error {
	lines := make([]tax.Line, len(i.Items))
	for n := range i.Items {
		item := &i.Items[n]
		if item.Priced < 0 {
			return billing.Fail(billing.Invalid, "invoiceItems", "An item of an invoice is not negative; item %d is %s.", n+1, i.Currency.Format(item.Priced))
		}
		if err := i.Currency.CheckItem(item.Priced); err != nil {
			return err
		}
		lines[n] = tax.Line{Treatment: item.Tax, Inclusive: item.Inclusive, Amount: item.Priced}
	}
	groups, nets, err := tax.Compute(i.Currency, lines)
	if err != nil {
		return err
	}
	i.Subtotal, i.TaxAmount, i.Taxes, i.Credited = 0, 0, groups, make([]tax.Credited, len(groups))
	for n := range i.Items {
		i.Items[n].Amount, i.Items[n].Position = nets[n], n+1
	}
	for _, g := range groups {
		i.Subtotal, i.TaxAmount = i.Subtotal+g.Net, i.TaxAmount+g.Tax
	}
	i.PeriodStart, i.PeriodEnd = i.period()
	i.Amount, err = i.Currency.Total(i.Subtotal, i.TaxAmount)
	return err
}

// period is the first and the last day of the items.
func (i *Invoice) period() (start, end billing.Date) {
	for n := range i.Items {
		item := &i.Items[n]
		if n == 0 || item.StartDate.Before(start) {
			start = item.StartDate
		}
		if n == 0 || item.EndDate.After(end) {
			end = item.EndDate
		}
	}
	return start, end
}

// IsNeeded reports whether the invoice is made at all: not if it asks for nothing
// and has nothing to show.
func (i *Invoice) IsNeeded() bool {
	for n := range i.Items {
		if !IsZero(i.Items[n].Quantity) || i.Items[n].Priced > 0 {
			return true
		}
	}
	return false
}

// IsZero reports whether a quantity is 0, however it is written, or missing.
func IsZero(quantity string) bool { return strings.Trim(quantity, "0.") == "" }

// AmountDue is what is still to be paid.
func (i *Invoice) AmountDue() money.Amount { return i.Amount - i.Credits - i.AmountPaid }

// InvoiceState is where an invoice is in its life.
type InvoiceState string

// The states of an invoice. NOT_DUE and DUE differ by the date alone.
const (
	Draft  InvoiceState = "DRAFT"
	NotDue InvoiceState = "NOT_DUE"
	Due    InvoiceState = "DUE"
	Paid   InvoiceState = "PAID"
	Unpaid InvoiceState = "UNPAID"
	Voided InvoiceState = "VOIDED"
)

// State is the state of the invoice on a day.
func (i *Invoice) State(today billing.Date) InvoiceState {
	switch {
	case i.Number == "":
		return Draft
	case i.Voided:
		return Voided
	case i.WrittenOff:
		return Unpaid
	case i.AmountDue() == 0:
		return Paid
	case i.DueAt.After(today):
		return NotDue
	}
	return Due
}

// StateForetold is the state of an invoice in a preview on its day: one that has a date
// would be issued.
func (i *Invoice) StateForetold() InvoiceState {
	issued := *i
	if i.IssuedAt != (billing.Date{}) {
		issued.Number = "to come"
	}
	return issued.State(i.IssuedAt)
}

// AsDraft is the invoice as a draft: without dates, and without what pays it.
func (i *Invoice) AsDraft() *Invoice {
	draft := *i
	draft.IssuedAt, draft.DueAt = billing.Date{}, billing.Date{}
	draft.Credits, draft.AmountPaid, draft.AppliedAtIssue = 0, 0, 0
	return &draft
}

// group is the index in Taxes of the group that an item belongs to.
func (i *Invoice) group(item *Item) int {
	for g := range i.Taxes {
		if i.Taxes[g].Treatment == item.Tax && i.Taxes[g].Inclusive == item.Inclusive {
			return g
		}
	}
	return -1
}
