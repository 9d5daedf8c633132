package document

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// EntryKind says what an entry of a statement of account is.
type EntryKind string

// The kinds of entries. Invoices and refunds raise what an account owes; credit
// notes and payments lower it.
const (
	InvoiceEntry    EntryKind = "INVOICE"
	CreditNoteEntry EntryKind = "CREDIT_NOTE"
	PaymentEntry    EntryKind = "PAYMENT"
	RefundEntry     EntryKind = "REFUND"
	// SettledEntry is what was paid or credited of an imported invoice elsewhere. Its
	// document is that invoice.
	SettledEntry EntryKind = "SETTLED"
)

// Entry is a line of a statement: what a document changed of the balance of an
// account with an entity in a currency.
type Entry struct {
	ID        billing.AccountEntryID
	AccountID billing.AccountID
	EntityID  billing.EntityID
	Currency  money.Currency
	Date      billing.Date
	Kind      EntryKind
	// Document is the id of the invoice, credit note or payment, and Number its
	// number or reference.
	Document int64
	Number   string
	Amount   money.Amount
}

// NewEntry makes an entry of a document with a positive amount.
func NewEntry(kind EntryKind, document int64, on billing.Date, amount money.Amount) Entry {
	if kind == CreditNoteEntry || kind == PaymentEntry || kind == SettledEntry {
		amount = -amount
	}
	return Entry{Date: on, Kind: kind, Document: document, Amount: amount}
}

// Balance is what an account owes an entity in a currency.
type Balance struct {
	// Balance is the sum of the entries, negative if the entity owes the account.
	Balance money.Amount
	// Credit is what waits of credit notes and payments.
	Credit money.Amount
	// Overdue is what should have been paid before today.
	Overdue money.Amount
}

// BalanceOf adds up a statement. open are the invoices with something due, and
// waiting the credits that were not applied.
func BalanceOf(entries []Entry, open, waiting []Open, today billing.Date) Balance {
	var b Balance
	for _, e := range entries {
		b.Balance += e.Amount
	}
	for _, o := range open {
		if o.On.Before(today) {
			b.Overdue += o.Amount
		}
	}
	for _, w := range waiting {
		b.Credit += w.Amount
	}
	return b
}
