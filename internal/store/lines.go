package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/rate"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// linesColumn keeps the lines of a subscription. Every change adds lines that mostly
// repeat what was agreed before, so that is written once, as JSON, and then each
// line in a few words:
//
//	[{"priceListId":1,"chargeId":2,"code":"seats",…}]
//	7 0 3 2026-01-15 2026-02-14
//	8 0 5 2026-02-15 2026-03-14
//
// The words are the line's id, the position of what was agreed, the quantity ("-"
// for none), the first and the last day, and if they are so, "off" and "kept:"
// with a day. As JSON in full, as they once were and still can be read, five years
// of changes took ten times as long to read as to bill.
type linesColumn subscription.Subscription

// agreedLine is what lines of a charge have in common.
type agreedLine struct {
	PriceListID billing.PriceListID `json:"priceListId"`
	ChargeID    billing.ChargeID    `json:"chargeId"`
	Code        string              `json:"code"`
	Name        string              `json:"name"`
	FeatureID   *billing.FeatureID  `json:"featureId"`
	Type        catalog.ChargeType  `json:"type"`
	Price       *billing.Price      `json:"price"`
	Rate        *rate.Rate          `json:"rate,omitempty"`
	CurrencyID  string              `json:"currencyId,omitempty"`
}

func (c *linesColumn) Scan(src any) error {
	c.read(src, billing.Date{})
	return nil
}

func (c *linesColumn) read(src any, from billing.Date) {
	lines, err := readLines(src, from)
	if c.Charges = lines; err != nil {
		c.Charges = nil
		spoil((*subscription.Subscription)(c), "lines", err)
	}
}

// neededLines reads the lines that are needed to bill a subscription, after the
// columns that tell which ones those are. In a long history, nearly all have ended
// long before.
type neededLines struct{ *linesColumn }

func (c neededLines) Scan(src any) error {
	c.LinesSince = (*subscription.Subscription)(c.linesColumn).LinesFrom()
	c.read(src, c.LinesSince)
	return nil
}

// readLines reads lines. Those that ended before a day may be left out.
func readLines(src any, from billing.Date) (lines []subscription.Line, err error) {
	text, ok := src.(string)
	if !ok {
		return nil, fmt.Errorf("they are stored as %T", src)
	}
	common, text, found := strings.Cut(text, "\n")
	if !found { // none, or written in full
		return lines, json.Unmarshal([]byte(common), &lines)
	}
	var agreed []agreedLine
	if err := json.Unmarshal([]byte(common), &agreed); err != nil {
		return nil, err
	}
	first := ""
	if from == (billing.Date{}) {
		lines = make([]subscription.Line, 0, strings.Count(text, "\n")+1)
	} else {
		first = from.String()
	}
	for words := range strings.SplitSeq(text, "\n") {
		if endedBefore(words, first) {
			continue
		}
		line, err := readLine(words, agreed)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, words)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// endedBefore reports whether the words of a line end with its last day, and that is
// before another one.
func endedBefore(words, day string) bool {
	at := len(words) - len("2026-02-14")
	return at > 0 && words[at-1] == ' ' && words[at:] < day
}

// readLine reads the words of a line.
func readLine(words string, agreed []agreedLine) (line subscription.Line, err error) {
	id, words, _ := strings.Cut(words, " ")
	position, words, _ := strings.Cut(words, " ")
	quantity, words, _ := strings.Cut(words, " ")
	first, words, _ := strings.Cut(words, " ")
	last, words, _ := strings.Cut(words, " ")
	n, err := strconv.Atoi(position)
	if err != nil || n < 0 || n >= len(agreed) {
		return line, fmt.Errorf("nothing is agreed at position %q", position)
	}
	agreed[n].addTo(&line)
	number, err := strconv.ParseInt(id, 10, 64)
	if line.ID = billing.SubscriptionChargeID(number); err != nil {
		return line, err
	}
	if quantity != "-" {
		line.Quantity = new(int)
		if *line.Quantity, err = strconv.Atoi(quantity); err != nil {
			return line, err
		}
	}
	if line.StartDate, err = billing.ParseDate(first); err != nil {
		return line, err
	}
	if line.EndDate, err = billing.ParseDate(last); err != nil {
		return line, err
	}
	for err == nil && words != "" {
		var word string
		word, words, _ = strings.Cut(words, " ")
		err = readMark(&line, word)
	}
	return line, err
}

// readMark reads a word that only some lines have.
func readMark(line *subscription.Line, word string) (err error) {
	if kept, isKept := strings.CutPrefix(word, "kept:"); isKept {
		line.KeptTo = new(billing.Date)
		*line.KeptTo, err = billing.ParseDate(kept)
		return err
	}
	if line.Off = word == "off"; !line.Off {
		return fmt.Errorf("unknown word %q", word)
	}
	return nil
}

func (a *agreedLine) addTo(l *subscription.Line) {
	l.PriceListID, l.ChargeID, l.Code, l.Name, l.FeatureID = a.PriceListID, a.ChargeID, a.Code, a.Name, a.FeatureID
	l.Type, l.Price, l.Rate, l.CurrencyID = a.Type, a.Price, a.Rate, a.CurrencyID
}

func (c *linesColumn) Value() (driver.Value, error) {
	switch {
	case c.LinesSince != (billing.Date{}):
		return nil, fmt.Errorf("subscription %d was read without the lines that ended before %s", c.ID, c.LinesSince)
	case c.Charges == nil:
		return "null", nil
	case len(c.Charges) == 0:
		return "[]", nil
	}
	var agreed []agreedLine
	var words []byte
	for n := range c.Charges {
		line := &c.Charges[n]
		position := positionOf(line, agreed)
		if position == len(agreed) {
			agreed = append(agreed, commonOf(line))
		}
		words = appendLine(append(words, '\n'), line, position)
	}
	common, err := json.Marshal(agreed)
	return string(append(common, words...)), err
}

// commonOf is what a line has in common with others of its charge.
func commonOf(l *subscription.Line) agreedLine {
	return agreedLine{l.PriceListID, l.ChargeID, l.Code, l.Name, l.FeatureID, l.Type, l.Price, l.Rate, l.CurrencyID}
}

// positionOf is where that is, behind all if it is not there.
func positionOf(l *subscription.Line, agreed []agreedLine) int {
	common := commonOf(l)
	for n := len(agreed) - 1; n >= 0; n-- {
		if agreed[n].ChargeID == common.ChargeID && (agreed[n] == common || reflect.DeepEqual(agreed[n], common)) {
			return n
		}
	}
	return len(agreed)
}

// appendLine writes a line in words.
func appendLine(text []byte, l *subscription.Line, position int) []byte {
	text = strconv.AppendInt(text, int64(l.ID), 10)
	text = strconv.AppendInt(append(text, ' '), int64(position), 10)
	if l.Quantity == nil {
		text = append(text, " -"...)
	} else {
		text = strconv.AppendInt(append(text, ' '), int64(*l.Quantity), 10)
	}
	text = append(append(text, ' '), l.StartDate.String()...)
	text = append(append(text, ' '), l.EndDate.String()...)
	if l.Off {
		text = append(text, " off"...)
	}
	if l.KeptTo != nil {
		text = append(append(text, " kept:"...), l.KeptTo.String()...)
	}
	return text
}
