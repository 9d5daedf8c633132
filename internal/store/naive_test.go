package store_test

import (
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// naive is a row as a filter sees it, matched in the plainest way: what the
// databases find by their indexes must be what this finds.
type naive struct {
	id      int64
	texts   []string // what words match; the first is the name
	whole   string   // what a word matches if it is all of it
	exact   map[string]*string
	folded  map[string]*string
	number  map[string]int64
	boolean map[string]bool
	enum    map[string]string
	refer   map[string]target
	moment  map[string]time.Time
}

// target is the row that a reference points to.
type target struct {
	id   int64
	code *string
}

func (n naive) matches(f billing.Filter) bool {
	for _, word := range f.Words {
		if !n.hasWord(word) {
			return false
		}
	}
	for _, term := range f.Terms {
		if !n.hasTerm(term) {
			return false
		}
	}
	return true
}

func (n naive) hasWord(word string) bool {
	if n.whole != "" && n.whole == word {
		return true
	}
	for _, text := range n.texts {
		if strings.Contains(billing.Fold(text), billing.Fold(word)) {
			return true
		}
	}
	return false
}

func (n naive) hasTerm(term billing.Term) bool {
	value := term.Value
	if term.Field == "name" {
		name := billing.Fold(n.texts[0])
		if start, open := strings.CutSuffix(value, "*"); open {
			return strings.HasPrefix(name, billing.Fold(start))
		}
		return name == billing.Fold(value)
	}
	if text, ok := n.exact[term.Field]; ok {
		return text != nil && *text == value
	}
	if text, ok := n.folded[term.Field]; ok {
		return text != nil && billing.Fold(*text) == billing.Fold(value)
	}
	if have, ok := n.number[term.Field]; ok {
		want, err := strconv.ParseInt(value, 10, 64)
		return err == nil && compare(have, term.Op, want, want+1)
	}
	if have, ok := n.boolean[term.Field]; ok {
		return value == strconv.FormatBool(have)
	}
	if have, ok := n.enum[term.Field]; ok {
		return strings.EqualFold(value, have)
	}
	if have, ok := n.refer[term.Field]; ok {
		return have.code != nil && value == *have.code || value == strconv.FormatInt(have.id, 10)
	}
	have := n.moment[term.Field].UnixMilli()
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		return compare(have, term.Op, day.UnixMilli(), day.AddDate(0, 0, 1).UnixMilli())
	}
	at, err := time.Parse(time.RFC3339, value)
	return err == nil && compare(have, term.Op, at.UnixMilli(), at.UnixMilli()+1)
}

// compare compares with a span: a whole day, or one number.
func compare(have int64, op billing.Op, from, end int64) bool {
	switch op {
	case billing.Less:
		return have < from
	case billing.LessEqual:
		return have < end
	case billing.Greater:
		return have >= end
	case billing.GreaterEqual:
		return have >= from
	}
	return from <= have && have < end
}
