package console

import (
	"encoding/json"
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/ui"
)

// whyData is how an amount comes about, day by day.
type whyData struct {
	// Bars is nil if there is only one day to draw.
	Bars  *ui.DayBars
	Table ui.Table
	Sums  []ui.Pair
	// Problem is set if the explanation cannot be read.
	Problem string
}

// piece is a part of an explanation: days of the same value.
type piece struct {
	from, to billing.Date
	value    *big.Rat
}

// whyOf draws an explanation. from and to are the days that the item is about,
// quantities those that it names, and result is what the last line is called.
func whyOf(text json.RawMessage, in money.Currency, from, to billing.Date, result string, priced money.Amount, quantities ...string) *whyData {
	if len(text) == 0 {
		return nil
	}
	var e ledger.Explanation
	if err := json.Unmarshal(text, &e); err != nil || e.Of < 1 {
		return &whyData{Problem: "Its explanation cannot be read."}
	}
	w := &whyData{Table: ui.Table{Columns: []string{"Days", "A period costs", "Share", "Exactly"}}}
	var runs []ui.DayRun
	for _, p := range e.Pieces {
		one, ok := readPiece(p)
		if !ok {
			return &whyData{Problem: "Its explanation cannot be read."}
		}
		days := one.from.DaysUntil(one.to) + 1
		share := big.NewRat(int64(days), int64(e.Of))
		cost := new(big.Rat).Mul(one.value, share)
		period := decimalMoney(one.value, in).WithSub(periodCosts(e.Rate, one.value, in, quantities))
		w.Table.Rows = append(w.Table.Rows, []ui.Cell{ui.Days(one.from, one.to), period, ui.Plain(ui.Grouped(days) + " / " + ui.Plural(e.Of, "day", "days")), exactly(cost, in)})
		runs = append(runs, runsOf(one, from, to, e.Of, in)...)
	}
	if e.Of > 1 && len(runs) > 0 {
		w.Bars = ui.NewDayBars(e.Period[0], e.Period[1], runs)
	}
	w.sum(&e, in, result, priced)
	return w
}

func readPiece(text [3]string) (p piece, ok bool) {
	from, err := billing.ParseDate(text[0])
	to, err2 := billing.ParseDate(text[1])
	value, ok := new(big.Rat).SetString(text[2])
	return piece{from, to, value}, ok && err == nil && err2 == nil && !to.Before(from)
}

// runsOf are the bars of a piece: the days of the item stand out.
func runsOf(p piece, from, to billing.Date, of int, in money.Currency) (runs []ui.DayRun) {
	daily := new(big.Rat).Quo(p.value, big.NewRat(int64(of), 1))
	height, _ := daily.Float64()
	text := in.Code + " " + daily.FloatString(in.Digits) + " a day"
	add := func(first, last billing.Date, kind string) {
		if !last.Before(first) {
			days := ui.Plural(first.DaysUntil(last)+1, "day", "days")
			runs = append(runs, ui.DayRun{Kind: kind, Text: text, Title: ui.Days(first, last).Text + ": " + days + ", " + text, From: first, To: last, Height: height})
		}
	}
	add(p.from, earlier(p.to, from.AddDays(-1)), "other")
	add(later(p.from, from), earlier(p.to, to), "this")
	add(later(p.from, to.AddDays(1)), p.to, "other")
	return runs
}

func later(a, b billing.Date) billing.Date {
	if a.Before(b) {
		return b
	}
	return a
}

// sum says how the amount follows from what the days cost.
func (w *whyData) sum(e *ledger.Explanation, in money.Currency, result string, priced money.Amount) {
	line := func(name, value string) { w.Sums = append(w.Sums, ui.Pair{Name: name, Value: value}) }
	said := ""
	minor, ok := new(big.Rat).SetString(e.Exact)
	if ok {
		said = exactly(new(big.Rat).Quo(minor, in.Minor(big.NewRat(1, 1))), in).Text
		line("All days cost exactly", said)
		if rounded, err := money.Round(minor); err == nil && amountText(rounded, in) != said {
			said = amountText(rounded, in)
			line("Rounded", said)
		}
	}
	written := func(name, text string) {
		if a, err := in.Parse(text); err == nil && a != 0 {
			line(name, amountText(a, in))
		}
	}
	written("Forgiven", e.Forgiven)
	if a, err := in.Parse(e.Target); err == nil && amountText(a, in) != said {
		line("To be billed in total", amountText(a, in))
	}
	written("Billed before", e.BilledBefore)
	written("Left of the item", e.Left)
	written("Taken from newer items", e.Drawn)
	line(result, amountText(priced, in))
}

// withoutTax adds what is left of an amount that includes tax.
func (w *whyData) withoutTax(inclusive bool, priced, net money.Amount, in money.Currency) {
	if w == nil || !inclusive || priced == net || len(w.Sums) == 0 {
		return
	}
	w.Sums[len(w.Sums)-1].Name += ", with tax"
	w.Sums = append(w.Sums, ui.Pair{Name: "Tax in it", Value: amountText(net-priced, in)}, ui.Pair{Name: "Without tax", Value: amountText(net, in)})
}

// decimalMoney is an exact value, with as many digits as it needs.
func decimalMoney(value *big.Rat, in money.Currency) ui.Cell {
	digits, exact := value.FloatPrec()
	if !exact {
		return exactly(value, in)
	}
	p, err := billing.ParsePrice(value.FloatString(digits))
	if err != nil {
		return ui.Cell{Text: in.Code + " " + value.FloatString(digits), Kind: ui.CellMoney}
	}
	return ui.Money(p, in.Code)
}

// exactly is a value that no decimal may equal: as a fraction, and about.
func exactly(value *big.Rat, in money.Currency) ui.Cell {
	if digits, exact := value.FloatPrec(); exact && digits <= 8 {
		return decimalMoney(value, in)
	}
	return ui.Cell{Text: in.Code + " " + value.RatString() + " ≈ " + value.FloatString(in.Digits+2), Kind: ui.CellMoney}
}
