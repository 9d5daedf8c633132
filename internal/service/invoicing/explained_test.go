package invoicing_test

import (
	"encoding/json"
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger/ledgertest"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store"
)

// soundExplanations computes the amount of every item from its explanation alone, as
// a customer can who has nothing but the JSON.
func (o *office) soundExplanations() {
	o.T.Helper()
	invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
	o.OK(err)
	o.OK(store.WithItems(o.Ctx, o.Read(), invoices))
	some := 0
	for n := range invoices {
		i := &invoices[n]
		for at := range i.Items {
			item := &i.Items[at]
			if _, counted := item.Key(); !counted {
				continue
			}
			some++
			change, _, _ := o.explained(item.Explanation, i.Currency)
			if change != item.Priced {
				o.T.Errorf("invoice %s, item %d of %d is explained as %d: %s", i.Number, at+1, item.Priced, change, item.Explanation)
			}
		}
	}
	notes, err := store.CreditNotes.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
	o.OK(err)
	for n := range notes {
		items, err := store.CreditItemsOf(o.Ctx, o.Read(), []billing.CreditNoteID{notes[n].ID})
		o.OK(err)
		for at := range items {
			item := &items[at]
			if notes[n].Kind != document.DifferenceCredit {
				continue
			}
			some++
			change, left, drawn := o.explained(item.Explanation, notes[n].Currency)
			if credit := min(left, -change-drawn); credit != item.Priced {
				o.T.Errorf("credit note %s, item %d of %d is explained as %d: %s", notes[n].Number, at+1, item.Priced, credit, item.Explanation)
			}
		}
	}
	if some < 50 {
		o.T.Errorf("there are only %d explanations", some)
	}
}

// explained computes the change of a key that an explanation is about, and reads
// what was left of the credited item and drawn from others.
func (o *office) explained(explanation []byte, c money.Currency) (change, left, drawn money.Amount) {
	o.T.Helper()
	var e struct {
		Period                                      [2]string
		Pieces                                      [][3]string
		Exact, BilledBefore, Forgiven, Target, Left string
		Drawn                                       string
	}
	o.OK(json.Unmarshal(explanation, &e))
	minor := func(text string) money.Amount {
		if text == "" {
			return 0
		}
		exact := o.fraction(text)
		for range c.Digits {
			exact.Mul(exact, big.NewRat(10, 1))
		}
		if !exact.IsInt() {
			o.T.Errorf("%q is no amount in %s", text, c.Code)
		}
		return money.Amount(exact.Num().Int64())
	}
	exact := new(big.Rat)
	for _, piece := range e.Pieces {
		value := o.fraction(piece[2])
		exact.Add(exact, value.Mul(value, big.NewRat(o.daysOf(piece[0], piece[1]), o.daysOf(e.Period[0], e.Period[1]))))
	}
	for range c.Digits {
		exact.Mul(exact, big.NewRat(10, 1))
	}
	target := max(0, money.Amount(ledgertest.Round(exact))-minor(e.Forgiven))
	if o.fraction(e.Exact).Cmp(exact) != 0 || minor(e.Target) != target {
		o.T.Errorf("an explanation contradicts itself: %s", explanation)
	}
	return target - minor(e.BilledBefore), minor(e.Left), minor(e.Drawn)
}

func (o *office) fraction(text string) *big.Rat {
	o.T.Helper()
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		o.T.Fatalf("%q is no number", text)
	}
	return value
}

// daysOf counts the days from one to another.
func (o *office) daysOf(from, to string) int64 {
	o.T.Helper()
	first, err := billing.ParseDate(from)
	o.OK(err)
	last, err := billing.ParseDate(to)
	o.OK(err)
	return int64(first.DaysUntil(last.AddDays(1)))
}

// creditEverything credits all that is left of all invoices: what was credited of
// each group of taxes is exactly what was billed, and no more than that of an invoice
// that was written off.
func (o *office) creditEverything() {
	o.T.Helper()
	all := func() []document.Invoice {
		invoices, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 10_000})
		o.OK(err)
		o.OK(store.WithItems(o.Ctx, o.Read(), invoices))
		return invoices
	}
	for _, i := range all() {
		left := false
		for n := range i.Items {
			left = left || i.Items[n].Creditable() > 0
		}
		if left && !i.WrittenOff {
			_, err := o.Invoicing.InvoiceCredit(o.Ctx, i.ID, nil, "everything")
			o.OK(err)
		}
	}
	for _, i := range all() {
		for n := range i.Items {
			if item := &i.Items[n]; item.Credited < 0 || item.WrittenOff < 0 || item.Creditable() < 0 {
				o.T.Errorf("invoice %s: of %d, %d were credited and %d written off", i.Number, item.Priced, item.Credited, item.WrittenOff)
			}
		}
		for g := range i.Taxes {
			net, tax := i.Taxes[g].Net-i.Credited[g].Net, i.Taxes[g].Tax-i.Credited[g].Tax
			if net < 0 || tax < 0 || !i.WrittenOff && net+tax > 0 {
				o.T.Errorf("invoice %s: of %d and tax %d, %d and tax %d were credited", i.Number, i.Taxes[g].Net, i.Taxes[g].Tax, i.Credited[g].Net, i.Credited[g].Tax)
			}
		}
	}
	o.Equal("the sum of all that was credited",
		o.QueryText(`SELECT CAST(COALESCE(SUM(credit_note_item.amount), 0) AS BIGINT) FROM credit_note_item JOIN invoice ON invoice.id = invoice_id WHERE invoice.stage <> 'UNPAID'`),
		o.QueryText(`SELECT CAST(COALESCE(SUM(subtotal), 0) AS BIGINT) FROM invoice WHERE number <> '' AND stage <> 'UNPAID'`))
}
