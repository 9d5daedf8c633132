package ledger_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// fataler is what *testing.T and *rapid.T have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// book is a subscription with everything that was billed for it.
type book struct {
	t    fataler
	line ledger.Timeline
	keys map[ledger.Key]*entry
	// order has the keys in the order in which they were first billed.
	order []ledger.Key
}

type entry struct {
	billed ledger.Billed
	items  []item
	// forgiven is what was forgiven in all, as the test remembers it.
	forgiven money.Amount
}

type item struct{ amount, credited money.Amount }

func (i item) left() money.Amount { return i.amount - i.credited }

// documents are what one run issued: amounts of invoice items and of credits.
type documents struct{ items, credits []money.Amount }

func (d documents) String() string { return fmt.Sprintf("items %v, credits %v", d.items, d.credits) }

func newBook(t fataler, line ledger.Timeline) *book {
	return &book{t: t, line: line, keys: map[ledger.Key]*entry{}}
}

// billed are the entries of the ledger.
func (b *book) billed() []ledger.Billed {
	all := make([]ledger.Billed, 0, len(b.order))
	for _, key := range b.order {
		all = append(all, b.keys[key].billed)
	}
	return all
}

// changes are those of the whole subscription.
func (b *book) changes(today billing.Date) []ledger.Change {
	b.t.Helper()
	changes, err := b.line.Changes(b.billed(), billing.Date{}, today)
	if err != nil {
		b.t.Fatalf("changes on %s: %v", today, err)
	}
	return changes
}

// run bills everything that is due.
func (b *book) run(today billing.Date) documents {
	b.t.Helper()
	var issued documents
	for _, change := range b.changes(today) {
		if !change.Due.After(today) {
			b.apply(&change, &issued)
		}
	}
	return issued
}

// apply records a change and checks that each amount can be recomputed.
func (b *book) apply(c *ledger.Change, issued *documents) {
	b.t.Helper()
	e := b.keys[c.Key]
	if e == nil {
		e = &entry{billed: ledger.Billed{Key: c.Key, Currency: c.Currency}}
		b.keys[c.Key], b.order = e, append(b.order, c.Key)
	}
	switch {
	case c.Amount > 0:
		explanation := c.Explain()
		b.recompute(explanation.JSON(), c.Currency.Format(c.Amount))
		e.items = append(e.items, item{amount: c.Amount})
		issued.items = append(issued.items, c.Amount)
	case c.Amount < 0:
		b.credit(c, e, issued)
	}
	e.billed.Pieces, e.billed.Net = c.Pieces, c.Target
}

func (b *book) credit(c *ledger.Change, e *entry, issued *documents) {
	b.t.Helper()
	left := make([]money.Amount, len(e.items))
	for i, it := range e.items {
		left[i] = it.left()
	}
	draws, err := ledger.DrawCredit(-c.Amount, left)
	if err != nil {
		b.t.Fatalf("%+v: %v", c.Key, err)
	}
	for _, d := range draws {
		explanation := c.ExplainDraw(d, left[d.Item])
		b.recompute(explanation.JSON(), c.Currency.Format(d.Amount))
		e.items[d.Item].credited += d.Amount
		issued.credits = append(issued.credits, d.Amount)
	}
}

func (b *book) recompute(explanation []byte, want string) {
	b.t.Helper()
	if got, err := ledger.Recompute(explanation); err != nil || got != want {
		b.t.Fatalf("%s gives %s, %v; want %s", explanation, got, err, want)
	}
}

// forgive gives a credit by hand on the newest item of a key that has so much
// left.
func (b *book) forgive(key ledger.Key, amount money.Amount) bool {
	e := b.keys[key]
	for i := len(e.items) - 1; i >= 0; i-- {
		if e.items[i].left() >= amount {
			e.items[i].credited += amount
			e.forgiven += amount
			e.billed.Net -= amount
			e.billed.Forgiven += amount
			return true
		}
	}
	return false
}

// void takes back what is left of the newest item of a key.
func (b *book) void(key ledger.Key, rebill bool) {
	e := b.keys[key]
	if len(e.items) == 0 {
		return
	}
	last := &e.items[len(e.items)-1]
	left := last.left()
	last.credited += left
	if e.billed.Net -= left; rebill {
		e.billed.Pieces = nil
	} else {
		e.billed.Forgiven += left
		e.forgiven += left
	}
}

func d(text string) billing.Date {
	date, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return date
}

func currency(code string) money.Currency {
	c, err := money.CurrencyOf(code)
	if err != nil {
		panic(err)
	}
	return c
}

// flat is a FLAT rate in advance.
func flat(price billing.Price, period catalog.BillingPeriod) *rate.Rate {
	return &rate.Rate{ChargeType: catalog.Recurring, BillingPeriod: period, BillingTiming: catalog.InAdvance, PricingModel: catalog.Flat, Price: &price}
}

// line is a line that lasts.
func line(charge billing.ChargeID, r *rate.Rate, quantity int, from string) ledger.Line {
	return ledger.Line{Charge: charge, Rate: r, Currency: currency("EUR"), Quantity: quantity, From: d(from)}
}

// monthly is an evergreen subscription with monthly terms from a day on.
func monthly(start string, lines ...ledger.Line) ledger.Timeline {
	return termed(start, 1, lines...)
}

func termed(start string, months int, lines ...ledger.Line) ledger.Timeline {
	from := d(start)
	return ledger.Timeline{StartDate: from, Epochs: ledger.Epochs{{From: from, Origin: from, AnchorDay: from.Day, TermMonths: months}}, Lines: lines}
}

// setQuantity splits the line of a charge that lasts, as ordering does. With
// keep, unused days are kept.
func (b *book) setQuantity(charge billing.ChargeID, quantity int, on billing.Date, keep bool) {
	i := b.current(charge, on)
	if i < 0 {
		return
	}
	next := b.line.Lines[i]
	if next.From == on {
		b.line.Lines[i].Quantity = quantity
		return
	}
	old := &b.line.Lines[i]
	old.To = on.AddDays(-1)
	if keep {
		old.KeptTo = b.line.KeepTo(old)
	}
	next.Quantity, next.From, next.KeptTo = quantity, on, billing.Date{}
	b.line.Lines = append(b.line.Lines, next)
}

// current is the line of a charge that counts on a day and lasts, -1 if there is
// none.
func (b *book) current(charge billing.ChargeID, on billing.Date) int {
	return slices.IndexFunc(b.line.Lines, func(l ledger.Line) bool {
		return l.Charge == charge && l.To == (billing.Date{}) && !l.From.After(on)
	})
}

// cancel ends the subscription on a day, and keeps unused days or not.
func (b *book) cancel(on billing.Date, keep bool) {
	b.line.End = on
	for i := range b.line.Lines {
		if l := &b.line.Lines[i]; keep && l.To == (billing.Date{}) {
			l.KeptTo = b.line.KeepTo(l)
		}
	}
}

// reinstate starts a fresh term on a day.
func (b *book) reinstate(on billing.Date) {
	ended := b.line.End
	b.line.End = billing.Date{}
	b.line.Epochs = b.line.Epochs.Restarted(on, on.Day, b.line.Epochs[0].TermMonths)
	for i := range b.line.Lines {
		l := &b.line.Lines[i]
		if l.To != (billing.Date{}) || !on.After(ended) {
			continue
		}
		next := *l
		next.From, next.KeptTo = on, billing.Date{}
		l.To = ended.AddDays(-1)
		b.line.Lines = append(b.line.Lines, next)
	}
}

// changePlan moves from all lines that last to another one.
func (b *book) changePlan(to ledger.Line, restartMonths int) {
	for i := range b.line.Lines {
		if l := &b.line.Lines[i]; l.To == (billing.Date{}) {
			l.To = to.From.AddDays(-1)
		}
	}
	b.line.Lines = append(b.line.Lines, to)
	if restartMonths > 0 {
		b.line.Epochs = b.line.Epochs.Restarted(to.From, to.From.Day, restartMonths)
	}
}

// expect compares what was issued with items and credits in minor units.
func (b *book) expect(name string, got documents, items, credits []money.Amount) {
	b.t.Helper()
	if !slices.Equal(got.items, items) || !slices.Equal(got.credits, credits) {
		b.t.Fatalf("%s: %v; want items %v, credits %v", name, got, items, credits)
	}
}

type amounts = []money.Amount

func TestCreditsAreDrawnNewestFirst(t *testing.T) {
	draws, err := ledger.DrawCredit(1000, amounts{5000, 0, 300, 400})
	if want := []ledger.Draw{{Item: 3, Before: 0, Amount: 400}, {Item: 2, Before: 400, Amount: 300}, {Item: 0, Before: 700, Amount: 300}}; err != nil || !slices.Equal(draws, want) {
		t.Errorf("%v, %v; want %v", draws, err, want)
	}
	if draws, err := ledger.DrawCredit(5701, amounts{5000, 0, 300, 400}); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("a credit above everything: %v, %v", draws, err)
	}
}
