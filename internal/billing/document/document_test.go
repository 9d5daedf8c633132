package document

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

var eur = money.Currency{Code: "EUR", Digits: 2}

var vat19 = tax.Treatment{Category: tax.Standard, Percent: "19"}

// invoice is an issued invoice with items at 19 %.
func invoice(t testing.TB, priced ...money.Amount) *Invoice {
	t.Helper()
	i := &Invoice{ID: 1, Number: "INV-1", Kind: OneOffInvoice, Currency: eur, IssuedAt: d("2026-03-01"), DueAt: d("2026-03-15")}
	for n, amount := range priced {
		i.Items = append(i.Items, Item{ID: billing.InvoiceItemID(n + 1), Kind: ManualItem, Quantity: "1", Priced: amount, Tax: vat19, StartDate: d("2026-03-01"), EndDate: d("2026-03-31")})
	}
	if err := i.Total(); err != nil {
		t.Fatal(err)
	}
	return i
}

func TestTotals(t *testing.T) {
	i := invoice(t, 33, 33, 33)
	i.Items[1].StartDate, i.Items[2].EndDate = d("2026-02-10"), d("2026-05-01")
	if err := i.Total(); err != nil || i.Subtotal != 99 || i.TaxAmount != 19 || i.Amount != 118 || i.AmountDue() != 118 {
		t.Errorf("%d + %d = %d, %v", i.Subtotal, i.TaxAmount, i.Amount, err)
	}
	if i.PeriodStart != d("2026-02-10") || i.PeriodEnd != d("2026-05-01") {
		t.Errorf("the period is %s to %s", i.PeriodStart, i.PeriodEnd)
	}
	i.Items[0].Priced = -1
	if err := i.Total(); !billing.Is(err, billing.Invalid) {
		t.Errorf("a negative item: %v", err)
	}
	i.Items[0].Priced = money.MaxItem + 1
	if err := i.Total(); !billing.Is(err, billing.Invalid) {
		t.Errorf("an item that is too large: %v", err)
	}
	for name, want := range map[string]bool{"nothing": false, "free": true, "none of it": false, "none of it, in tenths": false, "none of it, but it costs": true, "a tenth": true} {
		empty := &Invoice{}
		switch name {
		case "free":
			empty.Items = []Item{{Quantity: "1"}}
		case "none of it":
			empty.Items = []Item{{Quantity: "0"}}
		case "none of it, in tenths":
			empty.Items = []Item{{Quantity: "0.0"}, {Quantity: "00.00"}}
		case "none of it, but it costs":
			empty.Items = []Item{{Quantity: "0.0", Priced: 1}}
		case "a tenth":
			empty.Items = []Item{{Quantity: "0.1"}}
		}
		if empty.IsNeeded() != want {
			t.Errorf("%s: an invoice is made: %v", name, !want)
		}
	}
}

func TestStatesOfAnInvoice(t *testing.T) {
	for _, row := range []struct {
		name  string
		today string
		do    func(*Invoice)
		want  InvoiceState
	}{
		{"draft", "2026-03-01", func(i *Invoice) { i.Number = "" }, Draft},
		{"issued", "2026-03-14", func(*Invoice) {}, NotDue},
		{"due day", "2026-03-15", func(*Invoice) {}, Due},
		{"overdue", "2026-03-16", func(*Invoice) {}, Due},
		{"issued for nothing", "2026-03-01", func(i *Invoice) { i.Amount = 0 }, Paid},
		{"partly paid", "2026-03-16", func(i *Invoice) { i.AmountPaid = 1 }, Due},
		{"paid", "2026-03-16", func(i *Invoice) { i.AmountPaid, i.Credits = 1000, 190 }, Paid},
		{"payment reversed", "2026-03-14", func(i *Invoice) { i.AmountPaid, i.Credits = 0, 190 }, NotDue},
		{"voided", "2026-03-16", func(i *Invoice) { i.Voided, i.Credits = true, 1190 }, Voided},
		{"written off", "2026-03-16", func(i *Invoice) { i.WrittenOff, i.Credits = true, 1190 }, Unpaid},
	} {
		i := invoice(t, 1000)
		row.do(i)
		if got := i.State(d(row.today)); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

// 100.00 + 19.00; 33.33 credited, then the rest.
func TestCreditByHand(t *testing.T) {
	i := invoice(t, 5000, 5000)
	first, err := i.CreditByHand([]Part{{1, 3000}, {2, 333}}, "outage", d("2026-03-02"))
	if err != nil || first.Subtotal != 3333 || first.TaxAmount != 633 || first.Amount != 3966 || first.Kind != ManualCredit {
		t.Fatalf("the first credit: %+v, %v", first, err)
	}
	rest, err := i.CreditByHand(nil, "all of it", d("2026-03-02"))
	if err != nil || rest.Subtotal != 6667 || rest.TaxAmount != 1267 || len(rest.Items) != 2 || rest.Items[0].Amount != 2000 {
		t.Fatalf("the rest: %+v, %v", rest, err)
	}
	for name, parts := range map[string][]Part{
		"above what is left": {{1, 1}}, "an item of another invoice": {{77, 1}}, "nothing": {{1, 0}}, "everything again": nil, "no parts": {},
	} {
		if note, err := i.CreditByHand(parts, "", d("2026-03-02")); err == nil {
			t.Errorf("%s: %+v", name, note)
		} else if _, clear := billing.AsProblems(err); !clear {
			t.Errorf("%s: %v", name, err)
		}
	}
	i = invoice(t, 5000, 5000)
	if note, err := i.CreditByHand([]Part{{1, 3000}, {1, 3000}}, "", d("2026-03-02")); !billing.Is(err, billing.NotAllowed) || i.Items[0].Credited != 0 || i.Credited[0].Net != 0 {
		t.Errorf("an item named twice: %+v, %v, credited %d", note, err, i.Items[0].Credited)
	}
	if i.Number = ""; true {
		if _, err := i.CreditByHand(nil, "", d("2026-03-02")); !billing.Is(err, billing.NotAllowed) || !strings.Contains(err.Error(), "A draft is DRAFT") {
			t.Errorf("a draft: %v", err)
		}
	}
}

func TestVoid(t *testing.T) {
	never := func(*Item) bool { return false }
	today := d("2026-03-20")
	i := invoice(t, 5000, 2500)
	if _, err := i.CreditByHand([]Part{{2, 1000}}, "", today); err != nil {
		t.Fatal(err)
	}
	note, err := i.Void("wrong address", never, today)
	if err != nil || note.Kind != CancellationCredit || note.Subtotal != 6500 || i.State(today) != Voided {
		t.Errorf("%+v, %v, %s", note, err, i.State(today))
	}
	if _, err := i.Void("again", never, today); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("voided twice: %v", err)
	}
	paid := invoice(t, 5000)
	paid.AmountPaid = 1
	if _, err := paid.Void("", never, today); !billing.Is(err, billing.NotAllowed) || !strings.Contains(err.Error(), "refund") || paid.Voided {
		t.Errorf("partly paid: %v", err)
	}
	paid.AmountPaid = paid.Amount
	if _, err := paid.Void("", never, today); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("paid: %v", err)
	}
	credited := invoice(t, 5000)
	credited.Credits = credited.Amount // by credit notes that waited
	if _, err := credited.Void("", never, today); !billing.Is(err, billing.NotAllowed) || credited.Voided {
		t.Errorf("paid by credit: %v", err)
	}
	followed := invoice(t, 5000)
	if _, err := followed.Void("", func(*Item) bool { return true }, today); !billing.Is(err, billing.NotAllowed) || followed.Voided {
		t.Errorf("with a later item of its key: %v", err)
	}
	billed := ledger.Billed{Pieces: make([]ledger.Piece, 1), Net: 8000, Forgiven: 2000}
	if again := VoidedKey(billed, 8000, true); again.Net != 0 || again.Forgiven != 2000 || again.Pieces != nil {
		t.Errorf("to be billed again: %+v", again)
	}
	if gone := VoidedKey(billed, 8000, false); gone.Net != 0 || gone.Forgiven != 10000 || len(gone.Pieces) != 1 {
		t.Errorf("forgiven: %+v", gone)
	}
	if err := i.CheckDelete(); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("deleted after issue: %v", err)
	}
	i.Number = ""
	if err := i.CheckDelete(); err != nil {
		t.Errorf("a draft: %v", err)
	}
}

func TestWriteOff(t *testing.T) {
	today := d("2026-06-01")
	i := invoice(t, 10000)
	i.AmountPaid = 1900
	note, err := i.WriteOff("insolvent", false, today)
	if err != nil || note.Amount != 10000 || note.Subtotal != 10000 || note.TaxAmount != 0 || note.Kind != WriteOffCredit || i.State(today) != Unpaid {
		t.Errorf("without tax: %+v, %v, %s", note, err, i.State(today))
	}
	if _, err := i.WriteOff("again", false, today); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("written off twice: %v", err)
	}
	i = invoice(t, 10000)
	i.Items = append(i.Items, Item{ID: 2, Kind: ManualItem, Priced: 5000, Tax: tax.Treatment{Category: tax.Standard, Percent: "7"}})
	if err := i.Total(); err != nil {
		t.Fatal(err)
	}
	note, err = i.WriteOff("insolvent", true, today)
	if err != nil || note.Amount != 17250 || note.Subtotal != 15000 || note.TaxAmount != 2250 || len(note.Taxes) != 2 {
		t.Errorf("with tax: %+v, %v", note, err)
	}
}

func TestPricesWithTax(t *testing.T) {
	i := &Invoice{Number: "INV-1", Currency: eur, Items: []Item{{ID: 1, Priced: 4990, Inclusive: true, Tax: vat19}, {ID: 2, Priced: 10, Inclusive: true, Tax: vat19}}}
	if err := i.Total(); err != nil || i.Amount != 5000 || i.TaxAmount != 798 || i.Items[0].Amount+i.Items[1].Amount != 4202 {
		t.Errorf("%+v, %v", i, err)
	}
	note, err := i.CreditByHand([]Part{{1, 4990}}, "", d("2026-03-01"))
	if err != nil || note.Amount != 4990 || note.TaxAmount != 796 {
		t.Errorf("credit: %+v, %v", note, err)
	}
	note, err = i.CreditByHand(nil, "", d("2026-03-01"))
	if err != nil || note.Amount != 10 || note.TaxAmount != 2 {
		t.Errorf("the rest: %+v, %v", note, err)
	}
}

// The plan change of 30.00 to 100.00 in mid-November, at 19 %: credit note 15.00
// + 2.85, invoice 50.00 + 9.50; 41.65 is due.
func TestPlanChangeAsDocuments(t *testing.T) {
	price := func(p billing.Price) *rate.Rate {
		return &rate.Rate{ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, BillingTiming: catalog.InAdvance, PricingModel: catalog.Flat, Price: &p}
	}
	start, today := d("2026-11-01"), d("2026-11-16")
	timeline := ledger.Timeline{StartDate: start, Epochs: ledger.FirstEpoch(start, d("2026-11-30"), 1, 1),
		Lines: []ledger.Line{{Charge: 1, Rate: price("30"), Currency: eur, Quantity: 1, From: start}}}
	changes, err := timeline.Changes(nil, start, start)
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	old := &Invoice{ID: 1, Number: "INV-1", Currency: eur, Items: []Item{ItemOf(&changes[0])}}
	old.Items[0].Tax = vat19
	if err := old.Total(); err != nil || old.Amount != 3570 || !old.Items[0].IsByUnit() || old.Items[0].Kind != RecurringItem {
		t.Fatalf("%+v, %v", old, err)
	}
	billed := []ledger.Billed{{Key: changes[0].Key, Currency: eur, Pieces: changes[0].Pieces, Net: changes[0].Target}}
	timeline.Lines[0].To = today.AddDays(-1)
	timeline.Lines = append(timeline.Lines, ledger.Line{Charge: 2, Rate: price("100"), Currency: eur, Quantity: 1, From: today})
	changes, err = timeline.Changes(billed, start, today)
	if err != nil || len(changes) != 2 || changes[0].Amount != -1500 {
		t.Fatal(changes, err)
	}
	draws, err := ledger.DrawCredit(1500, []money.Amount{old.Items[0].Left()})
	if err != nil {
		t.Fatal(err)
	}
	explanation := changes[0].ExplainDraw(draws[0], old.Items[0].Left())
	note, err := NewCreditNote(DifferenceCredit, "", []Credit{{Invoice: old, Amount: 1500, StartDate: changes[0].Days.From, EndDate: changes[0].Days.To, Explanation: explanation.JSON()}})
	if err != nil || note.Subtotal != 1500 || note.TaxAmount != 285 {
		t.Errorf("the credit note: %+v, %v", note, err)
	}
	fresh := &Invoice{ID: 2, Number: "INV-2", Currency: eur, Items: []Item{ItemOf(&changes[1])}}
	fresh.Items[0].Tax = vat19
	if err := fresh.Total(); err != nil || fresh.Subtotal != 5000 || fresh.TaxAmount != 950 || fresh.Items[0].IsByUnit() {
		t.Errorf("the invoice: %+v, %v", fresh, err)
	}
	old.AmountPaid = old.Amount
	applied, left := Apply(note.AmountUnapplied(), CreditedFirst([]Open{{2, today, fresh.AmountDue()}}, []int64{1}))
	if len(applied) != 1 || left != 0 || fresh.AmountDue()-applied[0].Amount != 4165 {
		t.Errorf("applied: %v, left %d, due %d", applied, left, fresh.AmountDue()-applied[0].Amount)
	}
	for _, document := range []interface{ Verify() error }{old, fresh, &note} {
		if err := document.Verify(); err != nil {
			t.Error(err)
		}
	}
	for name, spoil := range map[string]func(*CreditNote){
		"subtotal": func(c *CreditNote) { c.Subtotal++ }, "tax": func(c *CreditNote) { c.TaxAmount++ }, "amount": func(c *CreditNote) { c.Amount++ },
		"group": func(c *CreditNote) { c.Taxes[0].Net++ }, "item": func(c *CreditNote) { c.Items[0].Priced++ },
	} {
		spoiled := note
		spoiled.Items, spoiled.Taxes = slices.Clone(note.Items), slices.Clone(note.Taxes)
		spoil(&spoiled)
		if err := spoiled.Verify(); !billing.Is(err, billing.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// "5 → 8 seats, 16–31 Jan"
func TestItemOfADifference(t *testing.T) {
	p := billing.Price("10")
	seats := &rate.Rate{ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, BillingTiming: catalog.InAdvance, PricingModel: catalog.Flat, Price: &p}
	start := d("2026-01-01")
	timeline := ledger.Timeline{StartDate: start, Epochs: ledger.FirstEpoch(start, d("2026-01-31"), 1, 1),
		Lines: []ledger.Line{{Charge: 1, Rate: seats, Currency: eur, Quantity: 5, From: start}}}
	changes, _ := timeline.Changes(nil, start, start)
	billed := []ledger.Billed{{Key: changes[0].Key, Currency: eur, Pieces: changes[0].Pieces, Net: changes[0].Target}}
	timeline.Lines[0].To = d("2026-01-15")
	timeline.Lines = append(timeline.Lines, ledger.Line{Charge: 1, Rate: seats, Currency: eur, Quantity: 8, From: d("2026-01-16")})
	changes, err := timeline.Changes(billed, start, d("2026-01-16"))
	if err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	item := ItemOf(&changes[0])
	if item.Kind != DifferenceItem || item.Quantity != "8" || item.PreviousQuantity == nil || *item.PreviousQuantity != "5" || item.Priced != 1548 ||
		item.Days != 16 || item.PeriodDays != 31 || item.StartDate != d("2026-01-16") || item.EndDate != d("2026-01-31") || item.IsByUnit() {
		t.Errorf("%+v", item)
	}
	// Another change of the same day: the 8 that were billed are not recorded, and
	// it was not 5 that became 9.
	billed[0].Pieces, billed[0].Net = changes[0].Pieces, changes[0].Target
	timeline.Lines[1].Quantity = 9
	if changes, err = timeline.Changes(billed, start, d("2026-01-16")); err != nil || len(changes) != 1 {
		t.Fatal(changes, err)
	}
	if item := ItemOf(&changes[0]); item.Quantity != "9" || item.PreviousQuantity != nil {
		t.Errorf("%+v", item)
	}
}
