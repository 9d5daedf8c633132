package print

import (
	"iter"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// Kind is what a document is.
type Kind int

// The kinds of documents.
const (
	Invoice Kind = iota
	CreditNote
)

// Document is an invoice or a credit note as it is printed. What is empty is not
// printed.
type Document struct {
	Kind Kind
	// Number is empty for a draft, which is marked as one.
	Number string
	// Test marks the document of an account on a test clock.
	Test bool
	// Locale decides the language and the form of numbers and dates: a language such
	// as de, or with a country, de-CH. English stands for languages that there are
	// no texts of.
	Locale                                  string
	Currency                                money.Currency
	IssuedAt, DueAt, PeriodStart, PeriodEnd billing.Date
	Seller, Buyer                           Party
	PONumber, BuyerReference, Notes         string

	// Credited are the invoices that a credit note credits, and Reason is why.
	Credited []Reference
	Reason   string

	// Lines are the items, read once each time the document is printed.
	Lines                       iter.Seq2[Line, error]
	Taxes                       []tax.Group
	Subtotal, TaxAmount, Amount money.Amount
	// Credits and AmountPaid are what was applied to an invoice when it was issued.
	Credits, AmountPaid money.Amount

	// Hash is the one of the chain.
	Hash document.Hash
}

// Reference is a document that another one is about.
type Reference struct {
	ID       int64
	Number   string
	IssuedAt billing.Date
}

// Line is an item as it is printed.
type Line struct {
	Text, TenantCode string
	Start, End       billing.Date
	// Days of the item, of as many as its period has.
	Days, PeriodDays           int
	Quantity, PreviousQuantity string
	UnitName                   string
	// Price is that of a unit. It is printed if ByUnit is true, and the amount is
	// quantity × price then.
	Price  *billing.Price
	ByUnit bool
	Tax    tax.Treatment
	// Amount is net. Inclusive says that the item was priced with tax, at Priced.
	Amount, Priced money.Amount
	Inclusive      bool
	// InvoiceID is the invoice that a credit is on.
	InvoiceID int64
}

// OfInvoice is an invoice as it is printed, with what waiting credit paid of it
// when it was issued. For an invoice whose items are not loaded, set Lines.
func OfInvoice(i *document.Invoice) (Document, error) {
	d := Document{
		Kind: Invoice, Number: i.Number, Locale: i.Locale, Currency: i.Currency, IssuedAt: i.IssuedAt, DueAt: i.DueAt,
		PeriodStart: i.PeriodStart, PeriodEnd: i.PeriodEnd, PONumber: i.PONumber, BuyerReference: i.BuyerReference, Notes: i.Notes,
		Lines: InvoiceLines(each(i.Items)), Taxes: i.Taxes, Subtotal: i.Subtotal, TaxAmount: i.TaxAmount, Amount: i.Amount,
		Credits: i.AppliedAtIssue, Test: i.TestClockID != nil, Hash: i.Hash,
	}
	return d, d.readParties(i.Seller, i.Buyer)
}

// OfCreditNote is a credit note as it is printed. The invoices that it credits
// are not part of it: set Credited. Its references are the buyer's, and without a locale
// of its own, it has that of the buyer.
func OfCreditNote(c *document.CreditNote) (Document, error) {
	d := Document{
		Kind: CreditNote, Number: c.Number, Locale: c.Locale, Currency: c.Currency, IssuedAt: c.IssuedAt, Reason: c.Reason, Test: c.TestClockID != nil, Hash: c.Hash,
		Lines: CreditLines(each(c.Items)), Taxes: c.Taxes, Subtotal: c.Subtotal, TaxAmount: c.TaxAmount, Amount: c.Amount,
	}
	err := d.readParties(c.Seller, c.Buyer)
	if d.Locale == "" {
		d.Locale = d.Buyer.Locale
	}
	d.PONumber, d.BuyerReference = d.Buyer.PONumber, d.Buyer.BuyerReference
	return d, err
}

// InvoiceLines are items of an invoice as they are printed.
func InvoiceLines(items iter.Seq2[document.Item, error]) iter.Seq2[Line, error] {
	return convert(items, func(i *document.Item) Line {
		l := Line{
			Text: i.LineText, TenantCode: i.TenantCode, Start: i.StartDate, End: i.EndDate, Days: i.Days, PeriodDays: i.PeriodDays,
			Quantity: i.Quantity, UnitName: i.UnitName, Price: i.Price, ByUnit: i.IsByUnit(), Tax: i.Tax,
			Amount: i.Amount, Priced: i.Priced, Inclusive: i.Inclusive,
		}
		if i.PreviousQuantity != nil {
			l.PreviousQuantity = *i.PreviousQuantity
		}
		return l
	})
}

// CreditLines are items of a credit note as they are printed.
func CreditLines(items iter.Seq2[document.CreditItem, error]) iter.Seq2[Line, error] {
	return convert(items, func(i *document.CreditItem) Line {
		return Line{Text: i.LineText, Start: i.StartDate, End: i.EndDate, Tax: i.Tax, Amount: i.Amount, Priced: i.Priced, InvoiceID: int64(i.InvoiceID)}
	})
}

func convert[T any](items iter.Seq2[T, error], line func(*T) Line) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for item, err := range items {
			if err != nil {
				yield(Line{}, err)
				return
			}
			if !yield(line(&item), nil) {
				return
			}
		}
	}
}

// each reads items that are in memory.
func each[T any](items []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}
