package ledger

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// Explanation is kept with an item of an invoice or of a credit note, as JSON
// from which anybody can compute the amount again:
//
//	exact  = Σ value × days of the piece / of, in minor units
//	target = max(0, round(exact) − forgiven)
//
// An invoice item is target − billedBefore. A credit is billedBefore − target; it
// is drawn from several items if need be, of which each has min(left, credit −
// drawn), less what was written off of it: that is not given back.
type Explanation struct {
	// Rate is that of the last of the days that the item is about.
	Rate   *rate.Rate      `json:"rate,omitempty"`
	Period [2]billing.Date `json:"period"`
	// Days are those that the item is about, of as many as the period has.
	Days int `json:"days"`
	Of   int `json:"of"`
	// Pieces are all days that are billed then: first, last, price of a period.
	Pieces       [][3]string `json:"pieces"`
	Exact        string      `json:"exact"`
	BilledBefore string      `json:"billedBefore"`
	Forgiven     string      `json:"forgiven"`
	Target       string      `json:"target"`
	// Left is what was left of the item that is credited, and Drawn what the same
	// credit drew from newer items.
	Left  string `json:"left,omitempty"`
	Drawn string `json:"drawn,omitempty"`
	// WrittenOff is how much of the credit had been written off.
	WrittenOff string `json:"writtenOff,omitempty"`
}

// Explain says how the amount of a change comes about.
func (c *Change) Explain() Explanation {
	e := Explanation{
		Period: [2]billing.Date{c.Period.From, c.Period.To}, Days: c.Days.Days(), Of: c.Period.Days(),
		Pieces: make([][3]string, len(c.Pieces)), Exact: c.Exact.RatString(), Target: c.Currency.Format(c.Target),
		BilledBefore: c.Currency.Format(0), Forgiven: c.Currency.Format(0),
	}
	if c.Before != nil {
		e.BilledBefore, e.Forgiven = c.Currency.Format(c.Before.Net), c.Currency.Format(c.Before.Forgiven)
	}
	for i := range c.Pieces {
		p := &c.Pieces[i]
		e.Pieces[i] = [3]string{p.From.String(), p.To.String(), decimal(p.Value)}
		if i == 0 || !p.From.After(c.Days.To) {
			e.Rate = p.Rate
		}
	}
	return e
}

// ExplainDraw says how the amount of a credit on one item comes about, of which
// so much was left.
func (c *Change) ExplainDraw(d Draw, left money.Amount) Explanation {
	e := c.Explain()
	e.Left, e.Drawn = c.Currency.Format(left), c.Currency.Format(d.Before)
	return e
}

// JSON is the text in which the explanation is kept.
func (e *Explanation) JSON() []byte {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // strings, numbers and dates always can be written
	}
	return text
}

// decimal writes a value without an exponent or needless zeros. Values are prices
// times quantities, which have finitely many digits.
func decimal(value *big.Rat) string {
	digits, exact := value.FloatPrec()
	if !exact {
		return value.RatString()
	}
	return value.FloatString(digits)
}

// Recomputed remembers the amounts of explanations. Documents of one day mostly have
// explanations that others have too, because what they bill is the same.
type Recomputed map[string]string

// Amount is Recompute, once for each explanation. Those that are wrong are not
// remembered.
func (r Recomputed) Amount(explanation []byte) (string, error) {
	if amount, known := r[string(explanation)]; known {
		return amount, nil
	}
	amount, err := Recompute(explanation)
	if err == nil && r != nil {
		r[string(explanation)] = amount
	}
	return amount, err
}

// Recompute returns the amount of an item from its explanation alone, positive
// also for credits. It refuses an explanation that contradicts itself.
func Recompute(explanation []byte) (string, error) {
	var e Explanation
	decoder := json.NewDecoder(bytes.NewReader(explanation))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e); err != nil {
		return "", wrong("it is not one: %v", err)
	}
	_, fraction, _ := strings.Cut(e.Target, ".")
	currency := money.Currency{Digits: len(fraction)}
	if currency.Digits > 4 || e.Of < 1 {
		return "", wrong("it has a target of %q and a period of %d days", e.Target, e.Of)
	}
	var amounts [6]money.Amount
	for i, text := range []string{e.BilledBefore, e.Forgiven, e.Target, e.Left, e.Drawn, e.WrittenOff} {
		if text == "" && i > 2 {
			continue
		}
		a, err := currency.Parse(text)
		if err != nil {
			return "", err
		}
		amounts[i] = a
	}
	before, forgiven, target, left, drawn := amounts[0], amounts[1], amounts[2], amounts[3], amounts[4]
	exact, err := e.exact(currency)
	if err != nil {
		return "", err
	}
	rounded, err := money.Round(exact)
	switch {
	case err != nil:
		return "", err
	case exact.RatString() != e.Exact:
		return "", wrong("its days cost %s minor units, not %s", exact.RatString(), e.Exact)
	case max(0, rounded-forgiven) != target:
		return "", wrong("its target is %s, not %s", currency.Format(max(0, rounded-forgiven)), e.Target)
	case e.Left == "":
		return currency.Format(target - before), nil
	}
	return currency.Format(min(left, before-target-drawn) - amounts[5]), nil
}

// exact adds up what the pieces cost, in minor units.
func (e *Explanation) exact(currency money.Currency) (*big.Rat, error) {
	sum := new(big.Rat)
	for _, text := range e.Pieces {
		from, err := billing.ParseDate(text[0])
		if err != nil {
			return nil, err
		}
		to, err := billing.ParseDate(text[1])
		if err != nil {
			return nil, err
		}
		value, ok := new(big.Rat).SetString(text[2])
		if !ok || to.Before(from) {
			return nil, wrong("%q is not a piece", text)
		}
		days := big.NewRat(int64(Period{from, to}.Days()), int64(e.Of))
		sum.Add(sum, value.Mul(value, days))
	}
	return currency.Minor(sum), nil
}

func wrong(format string, args ...any) error {
	return billing.Fail(billing.Invalid, "explanation", "The explanation is wrong: "+format+".", args...)
}
