package document

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// draw takes back so much of an item as the ledger does, and returns what is given
// back.
func draw(t rapid.TB, i *Invoice, n int, amount money.Amount) (given money.Amount) {
	t.Helper()
	covered := i.Items[n].TakeWrittenOff(amount)
	if covered == amount {
		return 0
	}
	note, err := NewCreditNote(DifferenceCredit, "", []Credit{{Invoice: i, Item: n, Amount: amount - covered}})
	if err != nil {
		t.Fatal(err)
	}
	return note.Amount
}

// TestWrittenOffIsNotGivenBack takes back days of an invoice that was written off:
// 59.50 were billed, 20.00 of them were paid.
func TestWrittenOffIsNotGivenBack(t *testing.T) {
	for _, c := range []struct {
		name             string
		paid, take, give money.Amount
		correct          bool
	}{
		{"nothing paid", 0, 5000, 0, false},
		{"nothing paid, tax corrected", 0, 5000, 0, true},
		{"some paid, less taken back than written off", 2000, 3319, 0, false},
		{"some paid, more taken back", 2000, 4000, 810, false}, // 10.00 + 1.90 are owed then
		{"some paid, more taken back, tax corrected", 2000, 4000, 810, true},
		{"some paid, all taken back", 2000, 5000, 2000, true},
	} {
		i := invoice(t, 5000)
		i.AmountPaid = c.paid
		if _, err := i.WriteOff("insolvent", c.correct, d("2026-06-01")); err != nil {
			t.Fatal(err)
		}
		if given := draw(t, i, 0, c.take); given != c.give || i.Items[0].Credited != c.take {
			t.Errorf("%s: %s is given back and %s noted as taken back, want %s and %s", c.name, eur.Format(given), eur.Format(i.Items[0].Credited), eur.Format(c.give), eur.Format(c.take))
		}
	}
}

// TestWriteOffProperties pays for invoices, writes them off, opens them again and
// takes parts back, at random.
func TestWriteOffProperties(t *testing.T) {
	treatments := []tax.Treatment{vat19, {Category: tax.Standard, Percent: "7"}, {Category: tax.Exempt, Percent: "0"}}
	rapid.Check(t, func(t *rapid.T) {
		i := &Invoice{ID: 1, Number: "INV-1", Currency: eur, DueAt: d("2026-01-15")}
		for n := range rapid.IntRange(1, 4).Draw(t, "items") {
			item := Item{ID: billing.InvoiceItemID(n + 1), Kind: ManualItem, Quantity: "1", Priced: money.Amount(rapid.IntRange(0, 20000).Draw(t, "priced")), Inclusive: rapid.Bool().Draw(t, "inclusive")}
			item.Tax = rapid.SampledFrom(treatments).Draw(t, "tax")
			i.Items = append(i.Items, item)
		}
		if err := i.Total(); err != nil {
			t.Fatal(err)
		}
		corrected := true
		var given money.Amount
		take := func(n int, amount money.Amount) {
			back := draw(t, i, n, amount)
			given += back
			i.Credits += min(back, i.AmountDue())
		}
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			switch due := int(i.AmountDue()); rapid.IntRange(0, 2).Draw(t, "step") {
			case 0:
				i.AmountPaid += money.Amount(rapid.IntRange(0, due).Draw(t, "paid"))
			case 1:
				if due == 0 {
					continue
				}
				correct := rapid.Bool().Draw(t, "correct tax")
				note, err := i.WriteOff("insolvent", correct, d("2026-06-01"))
				if err != nil || note.Verify() != nil || note.Amount != money.Amount(due) {
					t.Fatal(note, err, note.Verify())
				}
				corrected = corrected && correct
				given += note.Amount
				i.Credits, i.WrittenOff = i.Credits+note.Amount, false // an application is taken back
			case 2:
				n := rapid.IntRange(0, len(i.Items)-1).Draw(t, "item")
				if left := int(i.Items[n].Left()); left > 0 {
					take(n, money.Amount(rapid.IntRange(1, left).Draw(t, "taken back")))
				}
			}
			for n := range i.Items {
				if item := &i.Items[n]; item.WrittenOff < 0 || item.Creditable() < 0 || item.Credited < 0 {
					t.Fatalf("of item %d, %d of %d is credited and %d written off", n, item.Credited, item.Priced, item.WrittenOff)
				}
			}
		}
		for n := range i.Items {
			if left := i.Items[n].Left(); left > 0 {
				take(n, left)
			}
		}
		for g, credited := range i.Credited {
			whole := tax.Credited{Net: i.Taxes[g].Net, Tax: i.Taxes[g].Tax}
			if corrected && credited != whole || credited.Net > whole.Net || credited.Tax > whole.Tax {
				t.Errorf("of a group of %+v, %+v is credited in the end", whole, credited)
			}
		}
		// A share of a write-off that is not taxed may be a unit off for each group.
		if given > i.Amount+money.Amount(len(i.Taxes)*12) || corrected && given != i.Amount {
			t.Errorf("%d was billed, and %d credited and written off in the end", i.Amount, given)
		}
	})
}
