package document

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Open is something that money can be applied to or taken from: what is due of an
// invoice, or what waits of a credit note or a payment.
type Open struct {
	ID int64
	// On orders them: the due date of an invoice, the date of a credit.
	On     billing.Date
	Amount money.Amount
}

// Filled is how much of an amount goes to one of them.
type Filled struct {
	ID     int64
	Amount money.Amount
}

// Apply fills one after the other as far as an amount goes, and returns what is
// left of it.
func Apply(amount money.Amount, open []Open) (applied []Filled, left money.Amount) {
	for _, o := range open {
		if part := min(amount, o.Amount); part > 0 {
			applied, amount = append(applied, Filled{o.ID, part}), amount-part
		}
	}
	return applied, amount
}

// OldestFirst orders them by their date, and by their id on one day.
func OldestFirst(open []Open) []Open {
	return slices.SortedFunc(slices.Values(open), func(a, b Open) int { return cmp.Or(a.On.Compare(b.On), cmp.Compare(a.ID, b.ID)) })
}

// Named are those that were named, in that order. One that is not open is
// refused.
func Named(open []Open, ids []int64) ([]Open, error) {
	var named []Open
	for _, id := range ids {
		n := slices.IndexFunc(open, func(o Open) bool { return o.ID == id })
		if n < 0 {
			return nil, billing.Fail(billing.NotAllowed, "invoiceIds", "Invoice %d is not an open invoice of this account, entity and currency.", id)
		}
		if !slices.Contains(named, open[n]) {
			named = append(named, open[n])
		}
	}
	return named, nil
}

// CreditedFirst is the order in which a credit note is applied: to the invoices
// that it credits, then to the others, oldest first.
func CreditedFirst(open []Open, credited []int64) []Open {
	ordered := OldestFirst(open)
	slices.SortStableFunc(ordered, func(a, b Open) int {
		return cmp.Compare(position(credited, a.ID), position(credited, b.ID))
	})
	return ordered
}

// position is where an id is in a list, after all if it is not.
func position(ids []int64, id int64) int {
	if n := slices.Index(ids, id); n >= 0 {
		return n
	}
	return len(ids)
}

// QuotedIn reports whether a text, such as the reference of a transfer, has the number of
// the invoice, in any case and between other words.
func (i *Invoice) QuotedIn(text string) bool {
	text, number := strings.ToLower(text), strings.ToLower(i.Number)
	if number == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], number)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(number)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !isWordRune(before) && !isWordRune(after) {
			return true
		}
		from = end
	}
}

// isWordRune reports whether a number of an invoice goes on with a character.
func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
