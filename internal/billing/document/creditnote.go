package document

import (
	"encoding/json"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// CreditKind says why a credit note was issued.
type CreditKind string

// The kinds of credit notes: for what was taken back, for what somebody forgave,
// for an invoice that was voided, and for one that will not be paid.
const (
	DifferenceCredit   CreditKind = "DIFFERENCE"
	ManualCredit       CreditKind = "CREDIT"
	CancellationCredit CreditKind = "CANCELLATION"
	WriteOffCredit     CreditKind = "WRITE_OFF"
)

// CreditNote gives money back. Its amounts are positive.
type CreditNote struct {
	ID            billing.CreditNoteID
	UUID          string
	Number        string
	Kind          CreditKind
	Reason        string
	EntityID      billing.EntityID
	AccountID     billing.AccountID
	Currency      money.Currency
	IssuedAt      billing.Date
	Items         []CreditItem
	Seller, Buyer json.RawMessage
	Locale        string

	Taxes                       []tax.Group
	Subtotal, TaxAmount, Amount money.Amount

	// AmountApplied is what invoices and refunds have used of it.
	AmountApplied money.Amount
	// TestClockID is the clock of the account if the credit note is only a test.
	TestClockID *billing.TestClockID
	Link
	CreatedAt, UpdatedAt time.Time
}

// CreditItem is a credit on an item of an invoice. It is taxed as the item was.
type CreditItem struct {
	ID           billing.CreditNoteItemID
	CreditNoteID billing.CreditNoteID
	Position     int // from 1
	InvoiceID    billing.InvoiceID
	// ItemID is nil in a write-off, which is on an invoice as a whole.
	ItemID *billing.InvoiceItemID
	// InvoiceNumber and ItemPosition say the same for whoever reads the document.
	InvoiceNumber      string
	ItemPosition       int
	LineText           string
	StartDate, EndDate billing.Date
	Tax                tax.Treatment
	// Priced is the credit as the item is priced, Amount its net amount.
	Priced      money.Amount
	Amount      money.Amount
	Explanation json.RawMessage
}

// Credit is a part of a credit note that is to be made: so much of an item of an
// invoice, as it is priced.
type Credit struct {
	Invoice            *Invoice
	Item               int // its index
	Amount             money.Amount
	LineText           string
	StartDate, EndDate billing.Date
	Explanation        json.RawMessage
}

// CreditNoteState says how much of a credit note was used.
type CreditNoteState string

// The states of a credit note.
const (
	Ready            CreditNoteState = "READY"
	PartiallyApplied CreditNoteState = "PARTIALLY_APPLIED"
	Applied          CreditNoteState = "APPLIED"
)

// AmountUnapplied is what waits to be used.
func (c *CreditNote) AmountUnapplied() money.Amount { return c.Amount - c.AmountApplied }

// State is the state of the credit note.
func (c *CreditNote) State() CreditNoteState { return usedUp(c.Amount, c.AmountApplied) }

func usedUp(amount, applied money.Amount) CreditNoteState {
	switch applied {
	case amount:
		return Applied
	case 0:
		return Ready
	}
	return PartiallyApplied
}

// invoiceGroup is a group of taxes of one of the invoices that are credited.
type invoiceGroup struct {
	invoice *Invoice
	group   int
}

// NewCreditNote makes a credit note of credits on items of invoices of one
// account, entity and currency, and adds them to what was credited of those. A
// credit above what is left of its item is refused, and nothing is changed then.
func NewCreditNote(kind CreditKind, reason string, credits []Credit) (CreditNote, error) {
	if len(credits) == 0 {
		return CreditNote{}, billing.Fail(billing.NotAllowed, "items", "There is nothing to credit.")
	}
	first := credits[0].Invoice
	note := CreditNote{Kind: kind, Reason: reason, EntityID: first.EntityID, AccountID: first.AccountID, Currency: first.Currency}
	sums, err := sumByGroup(credits)
	if err != nil {
		return CreditNote{}, err
	}
	credited := make([]tax.Credited, len(sums))
	for n, s := range sums {
		group := &s.invoice.Taxes[s.group]
		if credited[n], err = group.Credit(s.invoice.Credited[s.group], s.priced); err != nil {
			return CreditNote{}, err
		}
	}
	for n, s := range sums {
		s.credit(&note, credits, credited[n])
	}
	note.Amount, err = note.Currency.Total(note.Subtotal, note.TaxAmount)
	return note, err
}

// groupSum is what is credited of a group in all, and the credits that are.
type groupSum struct {
	invoiceGroup
	priced  money.Amount
	credits []int
}

func sumByGroup(credits []Credit) ([]groupSum, error) {
	var sums []groupSum
	at := map[invoiceGroup]int{}
	asked := map[*Item]money.Amount{}
	for n := range credits {
		c := &credits[n]
		item := &c.Invoice.Items[c.Item]
		if asked[item] += c.Amount; c.Amount <= 0 || asked[item] > item.Creditable() {
			f := c.Invoice.Currency.Format
			return nil, billing.Fail(billing.NotAllowed, "amount", "A credit on item %d of invoice %s is above 0 and at most what is left of it, %s; %s is not.", c.Item+1, c.Invoice.Number, f(item.Creditable()), f(asked[item]))
		}
		key := invoiceGroup{c.Invoice, c.Invoice.group(item)}
		i, known := at[key]
		if !known {
			i = len(sums)
			at[key], sums = i, append(sums, groupSum{invoiceGroup: key})
		}
		sums[i].priced += c.Amount
		sums[i].credits = append(sums[i].credits, n)
	}
	return sums, nil
}

// credit adds the credits of a group to the note and to the invoice.
func (s *groupSum) credit(note *CreditNote, credits []Credit, credited tax.Credited) {
	weights := make([]money.Amount, len(s.credits))
	for i, n := range s.credits {
		weights[i] = credits[n].Amount
	}
	nets := money.Allocate(credited.Net, weights)
	for i, n := range s.credits {
		c := &credits[n]
		item := &c.Invoice.Items[c.Item]
		item.Credited += c.Amount
		note.Items = append(note.Items, CreditItem{
			Position: len(note.Items) + 1, InvoiceID: c.Invoice.ID, ItemID: &item.ID, InvoiceNumber: c.Invoice.Number, ItemPosition: item.Position, LineText: c.LineText, StartDate: c.StartDate, EndDate: c.EndDate,
			Tax: item.Tax, Priced: c.Amount, Amount: nets[i], Explanation: c.Explanation,
		})
	}
	done := &s.invoice.Credited[s.group]
	done.Net, done.Tax = done.Net+credited.Net, done.Tax+credited.Tax
	note.add(s.invoice.Taxes[s.group], credited)
}

// add adds what was credited of a group to the totals.
func (c *CreditNote) add(g tax.Group, credited tax.Credited) {
	c.Subtotal, c.TaxAmount = c.Subtotal+credited.Net, c.TaxAmount+credited.Tax
	for i := range c.Taxes {
		if t := &c.Taxes[i]; t.Treatment == g.Treatment && t.Inclusive == g.Inclusive {
			t.Net, t.Tax = t.Net+credited.Net, t.Tax+credited.Tax
			return
		}
	}
	c.Taxes = append(c.Taxes, tax.Group{Treatment: g.Treatment, Inclusive: g.Inclusive, Net: credited.Net, Tax: credited.Tax})
}
