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

// linesColumn keeps the lines of a subscription as JSON. Every change adds lines
// that mostly repeat what was agreed before, so that is written once, and each
// line as a few words:
//
//	{"agreed":[{"priceListId":1,"chargeId":2,"code":"seats",…}],"lines":"7 0 3 2026-01-15 2026-02-14; 8 0 5 2026-02-15 2026-03-14"}
//
// The words are the line's id, the position in agreed, the quantity ("-" for
// none), the first and the last day, and if they are so, "off" and "kept:"
// with a day. Written in full, five years of changes would take more time to
// read than to bill.
type linesColumn subscription.Subscription

// storedLines is how lines are written.
type storedLines struct {
	Agreed []agreedLine `json:"agreed"`
	Lines  string       `json:"lines"`
}

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
	lines, err := readLines(src)
	if c.Charges = lines; err != nil {
		c.Charges = nil
		spoil((*subscription.Subscription)(c), "lines", err)
	}
	return nil
}

func readLines(src any) (lines []subscription.Line, err error) {
	text, ok := src.(string)
	if !ok {
		return nil, fmt.Errorf("they are stored as %T", src)
	}
	if !strings.HasPrefix(text, "{") { // written in full, as they once were
		return lines, json.Unmarshal([]byte(text), &lines)
	}
	var stored storedLines
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return nil, err
	}
	lines = make([]subscription.Line, 0, strings.Count(stored.Lines, ";")+1)
	if stored.Lines == "" {
		return lines, nil
	}
	for words := range strings.SplitSeq(stored.Lines, "; ") {
		line, err := readLine(words, stored.Agreed)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, words)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// readLine reads the words of a line.
func readLine(words string, agreed []agreedLine) (line subscription.Line, err error) {
	next := func() (word string) {
		word, words, _ = strings.Cut(words, " ")
		return word
	}
	number := func() (n int) {
		if word := next(); err == nil {
			n, err = strconv.Atoi(word)
		}
		return n
	}
	day := func(word string) (d billing.Date) {
		if err == nil {
			d, err = billing.ParseDate(word)
		}
		return d
	}
	line.ID = billing.SubscriptionChargeID(number())
	n := number()
	if err == nil && (n < 0 || n >= len(agreed)) {
		return line, fmt.Errorf("nothing is agreed at position %d", n)
	}
	if strings.HasPrefix(words, "- ") {
		next()
	} else {
		line.Quantity = new(number())
	}
	line.StartDate, line.EndDate = day(next()), day(next())
	for err == nil && words != "" {
		word := next()
		kept, isKept := strings.CutPrefix(word, "kept:")
		switch {
		case isKept:
			line.KeptTo = new(day(kept))
		case word == "off":
			line.Off = true
		default:
			return line, fmt.Errorf("unknown word %q", word)
		}
	}
	if err == nil {
		agreed[n].addTo(&line)
	}
	return line, err
}

func (a *agreedLine) addTo(l *subscription.Line) {
	l.PriceListID, l.ChargeID, l.Code, l.Name, l.FeatureID = a.PriceListID, a.ChargeID, a.Code, a.Name, a.FeatureID
	l.Type, l.Price, l.Rate, l.CurrencyID = a.Type, a.Price, a.Rate, a.CurrencyID
}

func (c *linesColumn) Value() (driver.Value, error) {
	if c.Charges == nil {
		return "null", nil
	}
	stored := storedLines{Agreed: []agreedLine{}}
	var text []byte
	for n := range c.Charges {
		if n > 0 {
			text = append(text, "; "...)
		}
		line := &c.Charges[n]
		text = appendLine(text, line, stored.position(line))
	}
	stored.Lines = string(text)
	written, err := json.Marshal(stored)
	return string(written), err
}

// position is where what a line has in common with others is kept.
func (s *storedLines) position(l *subscription.Line) int {
	a := agreedLine{l.PriceListID, l.ChargeID, l.Code, l.Name, l.FeatureID, l.Type, l.Price, l.Rate, l.CurrencyID}
	for n := len(s.Agreed) - 1; n >= 0; n-- {
		if s.Agreed[n].ChargeID == a.ChargeID && (s.Agreed[n] == a || reflect.DeepEqual(s.Agreed[n], a)) {
			return n
		}
	}
	s.Agreed = append(s.Agreed, a)
	return len(s.Agreed) - 1
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
