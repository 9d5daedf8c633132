package document

import (
	"flag"
	"fmt"
	"os"
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

var update = flag.Bool("update", false, "write the golden file anew")

// customer is an account with one subscription, billed in memory as a run of the
// billing would.
type customer struct {
	t        *testing.T
	timeline ledger.Timeline
	collect  ledger.Collection
	keys     map[ledger.Key]*kept
	invoices []*Invoice
	waiting  []*CreditNote
	entries  []Entry
	series   map[bool]*Series // of credit notes and of invoices
	links    map[bool][]Numbered
	text     strings.Builder
}

// kept is what is kept of a key: the ledger's entry, and its items, oldest first.
type kept struct {
	billed ledger.Billed
	items  []itemRef
}

type itemRef struct {
	invoice *Invoice
	item    int
}

func (c *customer) say(format string, args ...any) { fmt.Fprintf(&c.text, format+"\n", args...) }

// until bills every day up to one.
func (c *customer) until(from *billing.Date, to string) {
	for ; !from.After(d(to)); *from = from.AddDays(1) {
		c.bill(*from)
	}
}

// act says what is done on a day, does it, and bills.
func (c *customer) act(today *billing.Date, on, what string, do func()) {
	c.t.Helper()
	c.until(today, d(on).AddDays(-1).String())
	c.say("%s: %s", on, what)
	do()
	c.bill(*today)
}

func (c *customer) bill(today billing.Date) {
	c.t.Helper()
	var billed []ledger.Billed
	for _, k := range c.keys {
		billed = append(billed, k.billed)
	}
	changes, err := c.timeline.Changes(billed, billing.Date{}, today)
	if err != nil {
		c.t.Fatal(err)
	}
	changes = c.collect.Collect(changes, today)
	slices.SortStableFunc(changes, func(a, b ledger.Change) int { return a.Period.From.Compare(b.Period.From) })
	var items []Billable
	var credits []Credit
	for n := range changes {
		change := &changes[n]
		k := c.keys[change.Key]
		if k == nil {
			k = &kept{billed: ledger.Billed{Key: change.Key, Currency: change.Currency}}
			c.keys[change.Key] = k
		}
		switch {
		case change.Amount > 0:
			items = append(items, c.billable(change, today))
		case change.Amount < 0:
			credits = append(credits, c.credits(change, k)...)
		}
		k.billed.Pieces, k.billed.Net = change.Pieces, change.Target
	}
	c.issueNotes(DifferenceCredit, "", credits, today)
	invoices, err := Invoices(1, items)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, i := range invoices {
		c.issue(i, today)
	}
}

func (c *customer) billable(change *ledger.Change, today billing.Date) Billable {
	item := ItemOf(change)
	on := item.StartDate
	if item.Kind == OneTimeItem {
		on = today
	}
	seller := tax.Seller{Place: tax.Place{Country: "EE"}}
	treatment, err := tax.Treat(seller, tax.Buyer{Place: tax.Place{Country: "EE"}}, billing.StandardTaxCode, on, tax.StandardRates())
	if err != nil {
		c.t.Fatal(err)
	}
	item.Tax = treatment
	return Billable{EntityID: 1, Currency: change.Currency, Item: item}
}

func (c *customer) credits(change *ledger.Change, k *kept) (credits []Credit) {
	left := make([]money.Amount, len(k.items))
	for n, ref := range k.items {
		left[n] = ref.invoice.Items[ref.item].Left()
	}
	draws, err := ledger.DrawCredit(-change.Amount, left)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, draw := range draws {
		ref := k.items[draw.Item]
		explanation := change.ExplainDraw(draw, left[draw.Item])
		credits = append(credits, Credit{Invoice: ref.invoice, Item: ref.item, Amount: draw.Amount, StartDate: change.Days.From, EndDate: change.Days.To, Explanation: explanation.JSON()})
	}
	return credits
}

// number gives a document its number and its place in the chain.
func (c *customer) number(note bool, today billing.Date, set func(number string, issuedAt billing.Date), canonical func() ([]byte, error)) {
	s := c.series[note]
	number, issuedAt, next, err := s.Next(today)
	if err != nil {
		c.t.Fatal(err)
	}
	set(number, issuedAt)
	text, err := canonical()
	if err != nil {
		c.t.Fatal(err)
	}
	next.Head = Chain(s.Head, text)
	c.links[note] = append(c.links[note], Numbered{number, issuedAt, s.Head, next.Head, text})
	*s = next
}

func (c *customer) issue(i *Invoice, today billing.Date) {
	c.t.Helper()
	i.ID = billing.InvoiceID(len(c.invoices) + 1)
	c.number(false, today, func(number string, issuedAt billing.Date) {
		i.Number, i.IssuedAt, i.DueAt = number, issuedAt, issuedAt.AddDays(14)
	}, i.Canonical)
	c.invoices, c.entries = append(c.invoices, i), append(c.entries, NewEntry(InvoiceEntry, int64(i.ID), today, i.Amount))
	c.say("  %s of %s, %s + %s = %s", i.Number, i.IssuedAt, eur.Format(i.Subtotal), eur.Format(i.TaxAmount), eur.Format(i.Amount))
	for n := range i.Items {
		item := &i.Items[n]
		item.ID = billing.InvoiceItemID(int(i.ID)*100 + n)
		quantity := item.Quantity
		if item.PreviousQuantity != nil {
			quantity = *item.PreviousQuantity + " → " + quantity
		}
		by := ""
		if item.IsByUnit() {
			by = fmt.Sprintf("%s × %s = ", item.Quantity, item.Price.In("EUR"))
		}
		c.say("    %-10s charge %d × %s, %s to %s (%d of %d days), %s%s at %s %%", item.Kind, *item.ChargeID, quantity, item.StartDate, item.EndDate, item.Days, item.PeriodDays, by, eur.Format(item.Amount), item.Tax.Percent)
		key, _ := item.Key()
		k := c.keys[key]
		k.items = append(k.items, itemRef{i, n})
	}
	for _, note := range c.waiting {
		c.apply(note, []Open{{int64(i.ID), i.DueAt, i.AmountDue()}})
	}
}

func (c *customer) issueNotes(kind CreditKind, reason string, credits []Credit, today billing.Date) {
	notes, err := CreditNotes(kind, reason, credits)
	if err != nil {
		c.t.Fatal(err)
	}
	for n := range notes {
		c.issueNote(&notes[n], today)
	}
}

func (c *customer) issueNote(note *CreditNote, today billing.Date) {
	c.number(true, today, func(number string, issuedAt billing.Date) { note.Number, note.IssuedAt = number, issuedAt }, note.Canonical)
	if err := note.Verify(); err != nil {
		c.t.Error(err)
	}
	c.entries = append(c.entries, NewEntry(CreditNoteEntry, 0, today, note.Amount))
	c.say("  %s of %s, %s, %s + %s = %s", note.Number, note.IssuedAt, note.Kind, eur.Format(note.Subtotal), eur.Format(note.TaxAmount), eur.Format(note.Amount))
	var credited []int64
	for _, item := range note.Items {
		credited = append(credited, int64(item.InvoiceID))
		c.say("    on item %d: %s, %s to %s", *item.ItemID, eur.Format(item.Amount), item.StartDate, item.EndDate)
	}
	c.apply(note, CreditedFirst(c.open(), credited))
	c.waiting = append(c.waiting, note)
}

func (c *customer) apply(note *CreditNote, open []Open) {
	applied, left := Apply(note.AmountUnapplied(), open)
	for _, a := range applied {
		c.invoices[a.ID-1].Credits += a.Amount
		c.say("    %s of %s applied to %s", eur.Format(a.Amount), note.Number, c.invoices[a.ID-1].Number)
	}
	note.AmountApplied = note.Amount - left
}

func (c *customer) open() (open []Open) {
	for _, i := range c.invoices {
		if i.AmountDue() > 0 {
			open = append(open, Open{int64(i.ID), i.DueAt, i.AmountDue()})
		}
	}
	return open
}

// pay pays everything that is due.
func (c *customer) pay(today billing.Date) {
	for _, o := range c.open() {
		c.invoices[o.ID-1].AmountPaid += o.Amount
		c.entries = append(c.entries, NewEntry(PaymentEntry, o.ID, today, o.Amount))
	}
}

func (c *customer) quantity(charge billing.ChargeID, quantity int, on string) {
	n := slices.IndexFunc(c.timeline.Lines, func(l ledger.Line) bool { return l.Charge == charge && l.To == (billing.Date{}) })
	next := c.timeline.Lines[n]
	c.timeline.Lines[n].To = d(on).AddDays(-1)
	next.Quantity, next.From = quantity, d(on)
	c.timeline.Lines = append(c.timeline.Lines, next)
}

func (c *customer) plan(on string, line ledger.Line) {
	for n := range c.timeline.Lines {
		if l := &c.timeline.Lines[n]; l.To == (billing.Date{}) {
			l.To = d(on).AddDays(-1)
		}
	}
	line.From = d(on)
	c.timeline.Lines = append(c.timeline.Lines, line)
}

// TestTwoYearsWithoutADatabase takes a customer through trial, seats up and down, a
// plan change, annual to monthly, goodwill, void and rebill, cancellation and
// reinstatement. The golden file has every document.
func TestTwoYearsWithoutADatabase(t *testing.T) {
	frozen := func(charge catalog.Charge) *rate.Rate { r := rate.Of(&charge, false); return &r }
	advance := catalog.InAdvance
	priced := func(text billing.Price, period catalog.BillingPeriod) *rate.Rate {
		return frozen(catalog.Charge{ChargeType: catalog.Recurring, BillingPeriod: period, BillingTiming: &advance, PricingModel: catalog.Flat, Price: &text})
	}
	setUp := billing.Price("250")
	start := d("2025-01-15")
	c := &customer{
		t: t, collect: ledger.Collection{Mode: ledger.AsDue, BillingDay: 1}, keys: map[ledger.Key]*kept{}, links: map[bool][]Numbered{},
		series: map[bool]*Series{false: {Format: format(t, "INV-{YYYY}-{0000}")}, true: {Format: format(t, "CN-{YYYY}-{0000}")}},
		timeline: ledger.Timeline{StartDate: start, Epochs: ledger.FirstEpoch(start, d("2025-02-14"), 15, 1), Lines: []ledger.Line{
			{Charge: 1, Rate: priced("10", catalog.Monthly), Currency: eur, Quantity: 5, From: d("2025-01-01")},
			{Charge: 2, Rate: frozen(catalog.Charge{ChargeType: catalog.OneTime, BillingPeriod: catalog.Once, PricingModel: catalog.Flat, Price: &setUp}), Currency: eur, Quantity: 1, From: d("2025-01-01"), To: d("2025-01-01")},
		}},
	}
	first := d("2025-01-01")
	today := &first
	act := func(on, what string, do func()) { t.Helper(); c.act(today, on, what, do) }
	act("2025-01-01", "trial begins", func() {})
	act("2025-02-20", "5 → 8 seats", func() { c.quantity(1, 8, "2025-02-20") })
	act("2025-04-01", "everything is paid", func() { c.pay(*today) })
	act("2025-04-20", "8 → 4 seats", func() { c.quantity(1, 4, "2025-04-20") })
	act("2025-05-25", "annual plan, the term restarts", func() {
		c.plan("2025-05-25", ledger.Line{Charge: 3, Rate: priced("1200", catalog.Annual), Currency: eur, Quantity: 1})
		c.timeline.Epochs = c.timeline.Epochs.Restarted(d("2025-05-25"), 25, 12)
	})
	act("2025-06-10", "100.00 of goodwill", func() {
		i := c.invoices[len(c.invoices)-1]
		note, err := i.CreditByHand([]Part{{i.Items[0].ID, 10000}}, "outage", *today)
		if err != nil {
			t.Fatal(err)
		}
		key, _ := i.Items[0].Key()
		k := c.keys[key]
		k.billed = Forgiven(k.billed, 10000)
		c.issueNote(&note, *today)
	})
	act("2025-06-20", "wrong address: void and bill again", func() {
		i := c.invoices[len(c.invoices)-1]
		left := i.Items[0].Left()
		note, err := i.Void("wrong address", func(*Item) bool { return false }, *today)
		if err != nil {
			t.Fatal(err)
		}
		key, _ := i.Items[0].Key()
		k := c.keys[key]
		k.billed = VoidedKey(k.billed, left, true)
		c.issueNote(&note, *today)
	})
	act("2025-07-01", "everything is paid", func() { c.pay(*today) })
	act("2025-11-20", "back to a monthly plan, the term restarts", func() {
		c.plan("2025-11-20", ledger.Line{Charge: 4, Rate: priced("120", catalog.Monthly), Currency: eur, Quantity: 1})
		c.timeline.Epochs = c.timeline.Epochs.Restarted(d("2025-11-20"), 20, 1)
	})
	act("2026-03-05", "canceled", func() { c.timeline.End = d("2026-03-05") })
	act("2026-04-10", "reinstated", func() {
		n := len(c.timeline.Lines) - 1
		c.timeline.Lines[n].To, c.timeline.End = d("2026-03-04"), billing.Date{}
		next := c.timeline.Lines[n]
		next.From, next.To = d("2026-04-10"), billing.Date{}
		c.timeline.Lines = append(c.timeline.Lines, next)
		c.timeline.Epochs = c.timeline.Epochs.Restarted(d("2026-04-10"), 10, 1)
	})
	act("2026-12-31", "the end", func() { c.timeline.End = d("2026-12-31") })
	c.check(*today)
	golden := "testdata/two_years.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(c.text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || c.text.String() != string(want) {
		t.Errorf("the documents are not those of %s (%v):\n%s", golden, err, c.text.String())
	}
}

// check verifies every document, the chains and the statement.
func (c *customer) check(today billing.Date) {
	var due, credit money.Amount
	for _, i := range c.invoices {
		if err := i.Verify(); err != nil {
			c.t.Error(err)
		}
		due += i.AmountDue()
	}
	for _, note := range c.waiting {
		credit += note.AmountUnapplied()
	}
	if b := BalanceOf(c.entries, c.open(), nil, today); b.Balance != due-credit {
		c.t.Errorf("the balance is %d, but %d are due and %d wait", b.Balance, due, credit)
	}
	for note, text := range map[bool]string{false: "INV-{YYYY}-{0000}", true: "CN-{YYYY}-{0000}"} {
		if err := verify(Series{Format: format(c.t, text)}, c.links[note]); err != nil {
			c.t.Error(err)
		}
	}
	c.say("due %s, waiting credit %s", eur.Format(due), eur.Format(credit))
}
