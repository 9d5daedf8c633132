package store

import (
	"database/sql/driver"
	"encoding/json"
	"errors"
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
//	5 28
//
// The words are the line's id, the position of what was agreed, the quantity ("-"
// for none), the first and the last day, and if they are so, "off" and "kept:"
// with a day. Most lines have the next id after the line before, are for the same
// charge and begin when it has ended: those have only a quantity and a number of days.
// As JSON in full, as they once were and still can be read, five years of changes
// took ten times as long to read as to bill.
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
	if from == (billing.Date{}) {
		lines = make([]subscription.Line, 0, strings.Count(text, "\n")+1)
	}
	reader := lineReader{agreed: agreed, from: from}
	for words := range strings.SplitSeq(text, "\n") {
		quantity, marks, err := reader.read(words)
		if err == nil && marks == "" && reader.end < reader.needed {
			continue
		}
		var line subscription.Line
		if err == nil {
			line, err = reader.line(quantity, marks)
		}
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, words)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// lineReader reads lines one after another.
type lineReader struct {
	agreed   []agreedLine
	from     billing.Date
	id       int64
	position int // of what was agreed
	// The last day of the last line in full, and how many days after it the line that
	// was read begins and ends, and lines are needed: ended ones are passed over
	// without a calendar.
	last               billing.Date
	begin, end, needed int
}

// read reads the next line but for its quantity and the words that only some have.
func (r *lineReader) read(words string) (quantity, marks string, err error) {
	if strings.Count(words, " ") == 1 {
		quantity, days, _ := strings.Cut(words, " ")
		return quantity, "", r.follow(days)
	}
	id, words, _ := strings.Cut(words, " ")
	position, words, _ := strings.Cut(words, " ")
	quantity, words, _ = strings.Cut(words, " ")
	first, words, _ := strings.Cut(words, " ")
	last, marks, _ := strings.Cut(words, " ")
	if r.position, err = strconv.Atoi(position); err != nil || r.position < 0 || r.position >= len(r.agreed) {
		return "", "", fmt.Errorf("nothing is agreed at position %q", position)
	}
	if r.id, err = strconv.ParseInt(id, 10, 64); err != nil {
		return "", "", err
	}
	begin, err := billing.ParseDate(first)
	if err != nil {
		return "", "", err
	}
	if r.last, err = billing.ParseDate(last); err != nil {
		return "", "", err
	}
	r.begin, r.end, r.needed = r.last.DaysUntil(begin), 0, r.last.DaysUntil(r.from)
	return quantity, marks, nil
}

// follow moves on by a number of days.
func (r *lineReader) follow(days string) error {
	n, err := strconv.ParseUint(days, 10, 22) // 10,000 years
	if err != nil {
		return err
	}
	if r.last == (billing.Date{}) {
		return errors.New("no line before")
	}
	r.id++
	r.begin, r.end = r.end+1, r.end+int(n)
	return nil
}

// line is the line that was read.
func (r *lineReader) line(quantity, marks string) (line subscription.Line, err error) {
	r.agreed[r.position].addTo(&line)
	line.ID, line.StartDate, line.EndDate = billing.SubscriptionChargeID(r.id), r.last.AddDays(r.begin), r.last.AddDays(r.end)
	if max(line.StartDate.Year, line.EndDate.Year) > 9999 {
		return line, errors.New("too many days")
	}
	if quantity != "-" {
		line.Quantity = new(int)
		*line.Quantity, err = strconv.Atoi(quantity)
	}
	for err == nil && marks != "" {
		var word string
		word, marks, _ = strings.Cut(marks, " ")
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
	before := -1 // the position of the line before
	for n := range c.Charges {
		line := &c.Charges[n]
		position := positionOf(line, agreed)
		if position == len(agreed) {
			agreed = append(agreed, commonOf(line))
		}
		words = append(words, '\n')
		if position == before && follows(line, &c.Charges[n-1]) {
			words = appendQuantity(words, line)
			words = strconv.AppendInt(append(words, ' '), int64(c.Charges[n-1].EndDate.DaysUntil(line.EndDate)), 10)
		} else {
			words = appendLine(words, line, position)
		}
		before = position
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

// follows reports whether a line has the next id and begins when another has ended, and
// can be written with its quantity and days alone.
func follows(l, before *subscription.Line) bool {
	return l.ID == before.ID+1 && !l.Off && l.KeptTo == nil && l.StartDate == before.EndDate.AddDays(1) && !l.EndDate.Before(before.EndDate)
}

func appendQuantity(text []byte, l *subscription.Line) []byte {
	if l.Quantity == nil {
		return append(text, '-')
	}
	return strconv.AppendInt(text, int64(*l.Quantity), 10)
}

// appendLine writes a line in words.
func appendLine(text []byte, l *subscription.Line, position int) []byte {
	text = strconv.AppendInt(text, int64(l.ID), 10)
	text = strconv.AppendInt(append(text, ' '), int64(position), 10)
	text = appendQuantity(append(text, ' '), l)
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
