package document

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
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

// Waiting are the items made by hand that a credit note took back, to be invoiced
// again. Of one that had been credited in part, it is the rest.
func (i *Invoice) Waiting(note *CreditNote) (items []PendingItem) {
	for n := range note.Items {
		credit := &note.Items[n]
		if credit.ItemID == nil {
			continue
		}
		at := i.find(*credit.ItemID)
		if at < 0 || i.Items[at].Kind != ManualItem {
			continue
		}
		item := &i.Items[at]
		again := PendingItem{
			AccountID: i.AccountID, SubscriptionID: item.SubscriptionID, Currency: i.Currency, LineText: item.LineText, Quantity: item.Quantity, Price: item.Price,
			Amount: credit.Priced, TaxCode: item.TaxCode, DueOn: item.StartDate,
		}
		if again.Amount != item.Priced {
			again.Quantity, again.Price = "1", nil
		}
		items = append(items, again)
	}
	return items
}

// rest is everything that is left of the invoice, as credits.
func (i *Invoice) rest() []Credit {
	var credits []Credit
	for n := range i.Items {
		if left := i.Items[n].Creditable(); left > 0 {
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

// CheckUpdate refuses to change an invoice that has been issued.
func (i *Invoice) CheckUpdate() error {
	if i.Number != "" {
		return billing.Fail(billing.NotAllowed, "id", "Invoice %s has been issued and cannot be changed. Credit or void it, and make another one.", i.Number)
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
