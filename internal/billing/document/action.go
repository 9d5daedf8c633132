package document

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// Part is how much of an item is to be credited, as it is priced.
type Part struct {
	ItemID billing.InvoiceItemID
	Amount money.Amount
}

// CreditByHand forgives parts of an invoice: all that is left if none are given.
// The days stay billed; what is forgiven is to be added to their keys.
func (i *Invoice) CreditByHand(parts []Part, reason string, today billing.Date) (CreditNote, error) {
	if state := i.State(today); state != NotDue && state != Due && state != Paid {
		return CreditNote{}, i.refused(state, "credited")
	}
	if err := i.refuseImported("credited"); err != nil {
		return CreditNote{}, err
	}
	if parts == nil {
		return NewCreditNote(ManualCredit, reason, i.rest())
	}
	var credits []Credit
	for _, part := range parts {
		n := i.find(part.ItemID)
		if n < 0 {
			return CreditNote{}, billing.Missing("items", "item of invoice "+i.Number, part.ItemID)
		}
		credits = append(credits, i.creditOn(n, part.Amount))
	}
	return NewCreditNote(ManualCredit, reason, credits)
}

// Void takes back all that is left of an invoice. It is refused if anything was
// paid, and if an item that was billed later belongs to the key of one of the
// invoice's: that has to be voided first.
func (i *Invoice) Void(reason string, hasLater func(item *Item) bool, today billing.Date) (CreditNote, error) {
	if state := i.State(today); state != NotDue && state != Due {
		return CreditNote{}, i.refused(state, "voided")
	}
	if err := i.refuseImported("voided"); err != nil {
		return CreditNote{}, err
	}
	if i.AmountPaid > 0 {
		return CreditNote{}, billing.Fail(billing.NotAllowed, "", "Invoice %s cannot be voided: %s of it were paid. Credit it and refund the payment.", i.Number, i.Currency.Format(i.AmountPaid))
	}
	for n := range i.Items {
		if hasLater(&i.Items[n]) {
			return CreditNote{}, billing.Fail(billing.NotAllowed, "", "Invoice %s cannot be voided: a later invoice has an item for the same period as its item %d. Void that invoice first.", i.Number, n+1)
		}
	}
	note, err := NewCreditNote(CancellationCredit, reason, i.rest())
	i.Voided = err == nil
	return note, err
}

// Forgiven is what the ledger keeps of a key after a credit by hand.
func Forgiven(b ledger.Billed, credit money.Amount) ledger.Billed {
	b.Net, b.Forgiven = b.Net-credit, b.Forgiven+credit
	return b
}

// VoidedKey is what the ledger keeps of a key after an invoice with an item of it
// was voided. Its days are billed again, or all is forgiven.
func VoidedKey(b ledger.Billed, credit money.Amount, rebill bool) ledger.Billed {
	if !rebill {
		return Forgiven(b, credit)
	}
	b.Net, b.Pieces = b.Net-credit, nil
	return b
}

// WriteOff gives up what is still due of an invoice. No tax is corrected, unless
// correctTax is true: then the amount is divided as that of the invoice is. The
// days stay billed.
func (i *Invoice) WriteOff(reason string, correctTax bool, today billing.Date) (CreditNote, error) {
	if state := i.State(today); state != NotDue && state != Due {
		return CreditNote{}, i.refused(state, "written off")
	}
	if correctTax && i.Kind == ImportedInvoice {
		return CreditNote{}, billing.Fail(billing.NotAllowed, "correctTax", "Invoice %s was imported: how it was taxed is not known, so a write-off cannot correct its tax. Correct it in the system that issued it.", i.Number)
	}
	note := CreditNote{Kind: WriteOffCredit, Reason: reason, EntityID: i.EntityID, AccountID: i.AccountID, Currency: i.Currency, Amount: i.AmountDue()}
	if !correctTax {
		group := tax.Group{Treatment: tax.Treatment{Category: tax.NotSubject, Percent: "0"}}
		note.add(group, tax.Credited{Net: note.Amount})
		note.Items = []CreditItem{{InvoiceID: i.ID, InvoiceNumber: i.Number, Tax: group.Treatment, Priced: note.Amount, Amount: note.Amount}}
	} else {
		i.writeOffTaxes(&note)
	}
	i.WrittenOff = true
	return note, nil
}

// writeOffTaxes divides a write-off among the groups of the invoice by what is
// left of each, and there into net amount and tax.
func (i *Invoice) writeOffTaxes(note *CreditNote) {
	weights := make([]money.Amount, len(i.Taxes))
	for g := range i.Taxes {
		net, taxes := i.leftOf(g)
		weights[g] = net + taxes
	}
	for g, share := range money.Allocate(note.Amount, weights) {
		if share == 0 {
			continue
		}
		net, taxes := i.leftOf(g)
		parts := money.Allocate(share, []money.Amount{net, taxes})
		credited := tax.Credited{Net: parts[0], Tax: parts[1]}
		note.add(i.Taxes[g], credited)
		note.Items = append(note.Items, CreditItem{InvoiceID: i.ID, InvoiceNumber: i.Number, Tax: i.Taxes[g].Treatment, Priced: share, Amount: credited.Net})
	}
}

// leftOf is what was not credited of a group.
func (i *Invoice) leftOf(g int) (net, taxes money.Amount) {
	return i.Taxes[g].Net - i.Credited[g].Net, i.Taxes[g].Tax - i.Credited[g].Tax
}

// rest is everything that is left of the invoice, as credits.
func (i *Invoice) rest() []Credit {
	var credits []Credit
	for n := range i.Items {
		if left := i.Items[n].Left(); left > 0 {
			credits = append(credits, i.creditOn(n, left))
		}
	}
	return credits
}

func (i *Invoice) creditOn(n int, amount money.Amount) Credit {
	item := &i.Items[n]
	return Credit{Invoice: i, Item: n, Amount: amount, LineText: item.LineText, StartDate: item.StartDate, EndDate: item.EndDate}
}

func (i *Invoice) find(id billing.InvoiceItemID) int {
	for n := range i.Items {
		if i.Items[n].ID == id {
			return n
		}
	}
	return -1
}

// CheckDelete refuses to delete an invoice that was issued.
func (i *Invoice) CheckDelete() error {
	if i.Number != "" {
		return billing.Fail(billing.NotAllowed, "", "Invoice %s has been issued and cannot be deleted. Void it instead.", i.Number)
	}
	return nil
}

func (i *Invoice) refused(state InvoiceState, action string) error {
	name := "Invoice " + i.Number
	if state == Draft {
		name = "A draft"
	}
	return billing.Fail(billing.NotAllowed, "", "%s is %s and cannot be %s.", name, state, action)
}
