package document

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// WriteOff gives up what is still due of an invoice. No tax is corrected, unless
// correctTax is true: then the amount is divided as that of the invoice is. The
// days stay billed. What is given up of each item is noted on it: no credit gives
// it back later.
func (i *Invoice) WriteOff(reason string, correctTax bool, today billing.Date) (CreditNote, error) {
	if state := i.State(today); state != NotDue && state != Due {
		return CreditNote{}, i.refused(state, "written off")
	}
	if correctTax && i.Kind == ImportedInvoice {
		return CreditNote{}, billing.Fail(billing.NotAllowed, "correctTax", "Invoice %s was imported: how it was taxed is not known, so a write-off cannot correct its tax. Correct it in the system that issued it.", i.Number)
	}
	note := CreditNote{Kind: WriteOffCredit, Reason: reason, EntityID: i.EntityID, AccountID: i.AccountID, Currency: i.Currency, Amount: i.AmountDue()}
	parts, err := i.giveUp(note.Amount)
	if err != nil {
		return CreditNote{}, err
	}
	untaxed := note.Amount
	for g, part := range parts {
		if correctTax && part != (tax.Credited{}) {
			untaxed -= part.Net + part.Tax
			i.Credited[g].Net, i.Credited[g].Tax = i.Credited[g].Net+part.Net, i.Credited[g].Tax+part.Tax
			i.writeOffGroup(&note, i.Taxes[g], part)
		}
	}
	if untaxed > 0 {
		i.writeOffGroup(&note, tax.Group{Treatment: tax.Treatment{Category: tax.NotSubject, Percent: "0"}}, tax.Credited{Net: untaxed})
	}
	i.WrittenOff = true
	return note, nil
}

// writeOffGroup adds what is given up of a group of taxes to a write-off.
func (i *Invoice) writeOffGroup(note *CreditNote, g tax.Group, part tax.Credited) {
	note.add(g, part)
	note.Items = append(note.Items, CreditItem{
		Position: len(note.Items) + 1, InvoiceID: i.ID, InvoiceNumber: i.Number, Tax: g.Treatment, Priced: part.Net + part.Tax, Amount: part.Net,
	})
}

// giveUp divides an amount among the groups of taxes by what can still be credited
// of each, there into net amount and tax, and notes it on the items. What is due
// beyond that, because a credit on the invoice paid for another, is on none.
func (i *Invoice) giveUp(amount money.Amount) ([]tax.Credited, error) {
	worth, all := make([]tax.Credited, len(i.Taxes)), money.Amount(0)
	weights := make([]money.Amount, len(i.Taxes))
	members := make([][]*Item, len(i.Taxes))
	for n := range i.Items {
		g := i.group(&i.Items[n])
		members[g] = append(members[g], &i.Items[n])
	}
	for g := range i.Taxes {
		priced := money.Amount(0)
		for _, item := range members[g] {
			priced += item.Creditable()
		}
		var err error
		if worth[g], err = i.Taxes[g].Credit(i.Credited[g], priced); err != nil {
			return nil, err
		}
		weights[g] = worth[g].Net + worth[g].Tax
		all += weights[g]
	}
	parts := make([]tax.Credited, len(i.Taxes))
	for g, share := range money.Allocate(min(amount, all), weights) {
		if share == 0 {
			continue
		}
		divided := money.Allocate(share, []money.Amount{worth[g].Net, worth[g].Tax})
		if parts[g] = (tax.Credited{Net: divided[0], Tax: divided[1]}); !i.Taxes[g].Inclusive {
			share = divided[0]
		}
		left := make([]money.Amount, len(members[g]))
		for n, item := range members[g] {
			left[n] = item.Creditable()
		}
		for n, given := range money.Allocate(share, left) {
			members[g][n].WrittenOff += given
		}
	}
	return parts, nil
}

// TakeWrittenOff takes a credit on the item, as it is priced, from what was written
// off of it, and returns how much of it that covers. The customer owes so much less
// of what nobody expects to be paid: nothing is given back for it.
func (i *Item) TakeWrittenOff(credit money.Amount) (covered money.Amount) {
	covered = min(credit, i.WrittenOff)
	i.WrittenOff, i.Credited = i.WrittenOff-covered, i.Credited+covered
	return covered
}
