package document

import (
	"cmp"
	"slices"
	"strconv"
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

// minQuoted is how many characters a number must have to be found between other words.
// Shorter ones are there by accident, as in "Instalment 2 of 3".
const minQuoted = 4

// QuotedIn reports whether a text, such as the reference of a transfer, has the number of
// the invoice, in any case and between other words. A short number must be all of it.
func (i *Invoice) QuotedIn(text string) bool {
	text, number := strings.ToLower(strings.TrimSpace(text)), strings.ToLower(i.Number)
	switch {
	case number == "":
		return false
	case utf8.RuneCountInString(number) < minQuoted:
		return text == number
	}
	runes, wanted := []rune(text), []rune(number)
	for at := range runes[:max(0, len(runes)-len(wanted)+1)] {
		end := at + len(wanted)
		if !slices.Equal(runes[at:end], wanted) {
			continue
		}
		before := goesOn(runes, at-1, -1) && !(hasSlash(runes, at-1) && isSibling(lastPiece(runes[:at-1]), number))
		after := goesOn(runes, end, 1) && !(hasSlash(runes, end) && isSibling(firstPiece(runes[end+1:]), number))
		if !before && !after {
			return true
		}
	}
	return false
}

// goesOn reports whether a number goes on at a place of a text, in a direction: 2026-0017 is
// part of another number in CN-2026-0017, but not in "2026-0017."
func goesOn(text []rune, at, direction int) bool {
	if isJoint(text, at) {
		at += direction
	}
	return at >= 0 && at < len(text) && isWord(text[at])
}

func isJoint(text []rune, at int) bool {
	return at >= 0 && at < len(text) && strings.ContainsRune(joints, text[at])
}

func hasSlash(text []rune, at int) bool { return at >= 0 && at < len(text) && text[at] == '/' }

// joints are what can stand between the parts of a number.
const joints = "-/._"

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isSibling reports whether what a slash joins to a number is another number of the same
// series, as in INV-17/INV-18, and no part of it. Numbers of digits alone can be either: in
// 1017/2026, the second may be the year of the first.
func isSibling(piece, number string) bool {
	return form(piece) == form(number) && strings.ContainsFunc(number, func(r rune) bool { return !unicode.IsDigit(r) })
}

// form is a number with each of its runs of digits as its length, but for the last one, which
// counts.
func form(number string) string {
	var text strings.Builder
	digits := 0
	for _, r := range number {
		if unicode.IsDigit(r) {
			digits++
			continue
		}
		if digits > 0 {
			text.WriteString(strconv.Itoa(digits))
		}
		digits = 0
		text.WriteRune(r)
	}
	return text.String()
}

// firstPiece is what a text begins with, up to the next slash or the end of the number.
func firstPiece(text []rune) string {
	end := 0
	for end < len(text) && (isWord(text[end]) || isJoint(text, end) && !hasSlash(text, end)) {
		end++
	}
	return strings.TrimRight(string(text[:end]), joints)
}

// lastPiece is what a text ends with, from the slash or the beginning of the number.
func lastPiece(text []rune) string {
	at := len(text)
	for at > 0 && (isWord(text[at-1]) || isJoint(text, at-1) && !hasSlash(text, at-1)) {
		at--
	}
	return strings.TrimLeft(string(text[at:]), joints)
}
