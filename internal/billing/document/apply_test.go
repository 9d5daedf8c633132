package document

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

func TestApplication(t *testing.T) {
	open := []Open{{3, d("2026-03-03"), 300}, {1, d("2026-03-01"), 100}, {2, d("2026-03-02"), 200}, {4, d("2026-03-02"), 400}}
	ids := func(open []Open) (ids []int64) {
		for _, o := range open {
			ids = append(ids, o.ID)
		}
		return ids
	}
	if got := ids(OldestFirst(open)); !slices.Equal(got, []int64{1, 2, 4, 3}) {
		t.Errorf("oldest first: %v", got)
	}
	if got := ids(CreditedFirst(open, []int64{3, 99, 4})); !slices.Equal(got, []int64{3, 4, 1, 2}) {
		t.Errorf("credited first: %v", got)
	}
	named, err := Named(open, []int64{4, 1, 4})
	if err != nil || !slices.Equal(ids(named), []int64{4, 1}) {
		t.Errorf("named: %v, %v", named, err)
	}
	if _, err := Named(open, []int64{4, 99}); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("one that is not open: %v", err)
	}
	applied, left := Apply(450, named)
	if want := []Filled{{4, 400}, {1, 50}}; !slices.Equal(applied, want) || left != 0 {
		t.Errorf("450 to those: %v, left %d", applied, left)
	}
	if applied, left := Apply(600, named); len(applied) != 2 || left != 100 {
		t.Errorf("600 to those: %v, left %d", applied, left)
	}
	if applied, left := Apply(0, named); applied != nil || left != 0 {
		t.Errorf("nothing to those: %v, left %d", applied, left)
	}
}

func TestBalance(t *testing.T) {
	today := d("2026-03-15")
	entries := []Entry{
		NewEntry(InvoiceEntry, 1, d("2026-03-01"), 1000), NewEntry(InvoiceEntry, 2, d("2026-03-01"), 500), NewEntry(InvoiceEntry, 3, d("2026-03-02"), 100),
		NewEntry(CreditNoteEntry, 4, d("2026-03-02"), 200), NewEntry(PaymentEntry, 5, d("2026-03-03"), 300), NewEntry(RefundEntry, 6, d("2026-03-04"), 50),
	}
	open := []Open{{1, d("2026-03-14"), 700}, {2, today, 500}, {3, d("2026-03-16"), 100}}
	got := BalanceOf(entries, open, []Open{{4, d("2026-03-02"), 150}}, today)
	if want := (Balance{Balance: 1150, Credit: 150, Overdue: 700}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Whatever is invoiced, credited and paid, in whatever order: totals add up (9),
// tax credited ends at the tax billed (10), no application exceeds either side,
// and the balance is the sum of the statement and what the documents say (11).
func TestStatementAgreesWithDocuments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		today := d("2026-03-01")
		var invoices []*Invoice
		var entries []Entry
		var waiting []Open
		open := func() (open []Open) {
			for _, i := range invoices {
				if due := i.AmountDue(); due > 0 {
					open = append(open, Open{int64(i.ID), i.DueAt, due})
				}
			}
			return open
		}
		use := func(amount money.Amount, order []Open, credit bool) {
			applied, left := Apply(amount, order)
			for _, a := range applied {
				if i := invoices[a.ID-1]; credit {
					i.Credits += a.Amount
				} else {
					i.AmountPaid += a.Amount
				}
			}
			if left > 0 {
				waiting = append(waiting, Open{int64(len(entries)), today, left})
			}
		}
		for range rapid.IntRange(1, 15).Draw(t, "steps") {
			today = today.AddDays(rapid.IntRange(0, 20).Draw(t, "days"))
			switch rapid.IntRange(0, 4).Draw(t, "act") {
			case 0, 1:
				i := &Invoice{ID: billing.InvoiceID(len(invoices) + 1), Number: "x", Currency: eur, IssuedAt: today, DueAt: today.AddDays(14)}
				for n := range rapid.IntRange(1, 4).Draw(t, "items") {
					i.Items = append(i.Items, Item{ID: billing.InvoiceItemID(n), Kind: ManualItem, Priced: money.Amount(rapid.IntRange(0, 9999).Draw(t, "priced")), Inclusive: rapid.Bool().Draw(t, "inclusive"), Tax: vat19})
				}
				if err := i.Total(); err != nil {
					t.Fatal(err)
				}
				invoices, entries = append(invoices, i), append(entries, NewEntry(InvoiceEntry, int64(i.ID), today, i.Amount))
				taken, left := Apply(i.Amount, OldestFirst(waiting))
				i.Credits += i.Amount - left
				for _, a := range taken {
					n := slices.IndexFunc(waiting, func(w Open) bool { return w.ID == a.ID })
					waiting[n].Amount -= a.Amount
				}
			case 2:
				amount := money.Amount(rapid.IntRange(1, 30000).Draw(t, "paid"))
				entries = append(entries, NewEntry(PaymentEntry, 0, today, amount))
				use(amount, OldestFirst(open()), false)
			default:
				if len(invoices) == 0 {
					continue
				}
				i := rapid.SampledFrom(invoices).Draw(t, "invoice")
				var note CreditNote
				var err error
				if rapid.Bool().Draw(t, "void") {
					note, err = i.Void("", func(*Item) bool { return false }, today)
				} else {
					part := Part{i.Items[0].ID, max(1, i.Items[0].Left()/2)}
					note, err = i.CreditByHand([]Part{part}, "", today)
				}
				if err != nil {
					continue
				}
				if err := note.Verify(); err != nil || note.Amount <= 0 {
					t.Fatalf("%+v: %v", note, err)
				}
				entries = append(entries, NewEntry(CreditNoteEntry, 0, today, note.Amount))
				use(note.Amount, CreditedFirst(open(), []int64{int64(i.ID)}), true)
			}
			var due money.Amount
			for _, i := range invoices {
				var items, taxes money.Amount
				for _, item := range i.Items {
					items += item.Amount
					if item.Left() < 0 {
						t.Fatalf("%+v is credited by more than it was", item)
					}
				}
				for g, group := range i.Taxes {
					taxes += group.Tax
					if i.Voided && (i.Credited[g].Tax != group.Tax || i.Credited[g].Net != group.Net) {
						t.Fatalf("voided: %+v was billed, %+v credited", group, i.Credited[g])
					}
				}
				if items != i.Subtotal || taxes != i.TaxAmount || items+taxes != i.Amount || i.AmountDue() < 0 {
					t.Fatalf("%+v", i)
				}
				due += i.AmountDue()
			}
			for _, w := range waiting {
				if w.Amount < 0 {
					t.Fatalf("a credit of %d", w.Amount)
				}
			}
			b := BalanceOf(entries, open(), waiting, today)
			if b.Balance != due-b.Credit || b.Overdue > due {
				t.Fatalf("%+v, but %d are due", b, due)
			}
		}
	})
}

// TestQuotedIn finds the number of an invoice in what a bank says of a transfer.
func TestQuotedIn(t *testing.T) {
	t.Parallel()
	for number, texts := range map[string]map[string]bool{
		"INV-2026-000017": {
			"INV-2026-000017": true, "inv-2026-000017": true, "Acme, INV-2026-000017, thanks": true, "INV-2026-0000171 and INV-2026-000017.": true,
			"INV-2026-000016/INV-2026-000017": true, "inv-2026-000017/INV-2026-000018": true, "Acme INV-2026-000016/INV-2026-000017/INV-2026-1000018.": true, "INV-2025-000017/INV-2026-000017": true,
			"INV-2026-000017/18": false, "CN-2026-000016/INV-2026-000017": false, "INV-2026-000017/INV-2026-000018-2": false, "INV-2026-000017-1/INV-2026-000018": false, "": false, "INV-2026-0000171": false, "XINV-2026-000017": false, "INV-2026-000018": false, "INV-2026-00001": false,
		},
		"2026-0017": {
			"2026-0017": true, "2026-0017/12-2026": false, "2026-0017/2026-0018": true, "No.2026-0017": false, "No. 2026-0017": true, "(2026-0017)": true, "- 2026-0017 -": true, "-2026-0017/": true, "2026-0017.": true, "_2026-0017_": true, "Rg.:2026-0017": true,
			"CN-2026-0017": false, "CN/2026-0017": false, "CN.2026-0017": false, "CN_2026-0017": false, "Ü-2026-0017": false,
			"2026-0017-1": false, "2026-0017/1": false, "2026-0017.5": false, "2026-0017_b": false, "CN-2026-0017, 2026-0017": true, "2026-00172026-0017": false,
		},
		"2":         {"2": true, " 2\n": true, "Instalment 2 of 3": false, "2 of 3": false, "2.": false, "12": false},
		"A-1":       {"a-1": true, "invoice A-1": false},
		"2026/0017": {"2026/0017": true, "2026/0017/2026/0018": false, "2026/0017, 2026/0018": true, "12026/0017": false},
		"1017":      {"1017/1018": false, "1017/2026": false, "1017": true, "Invoice 1017": true, "1,017.00": false, "10171017": false},
		"Ä17":       {"ä17": true, "Nr Ä17": false},
		"":          {"": false, "INV-2026-000017": false},
	} {
		for text, want := range texts {
			if (&Invoice{Number: number}).QuotedIn(text) != want {
				t.Errorf("%q in %q: %v", number, text, !want)
			}
		}
	}
}
