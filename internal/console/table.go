package console

import (
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// tableView is a table as it is shown.
type tableView struct {
	Columns []string
	Rows    [][]cell
}

// Money reports whether a column is of prices.
func (t tableView) Money(column int) bool {
	for _, row := range t.Rows {
		if column < len(row) && row[column].Kind == cellMoney {
			return true
		}
	}
	return false
}

// Kinds of cells.
const (
	cellCode     = "code"
	cellBadge    = "badge"
	cellTime     = "time"
	cellNumber   = "number"
	cellMoney    = "money" // right-aligned, with its column's title
	cellMuted    = "muted"
	cellBar      = "bar"
	cellTick     = "tick" // included, without more to say
	cellDate     = "date" // days, kept on one line
	cellSentence = "text" // sentences, which need some room
)

// cell is a place in a table, or a fact about something.
type cell struct {
	Text, Href string
	Kind       string
	Tone       string // of a badge
	Sub        string // a second line, smaller
	Time       time.Time
	Done, All  int // of a bar
}

func plain(text string) cell          { return cell{Text: text} }
func to(text, href string) cell       { return cell{Text: text, Href: href} }
func muted(text string) cell          { return cell{Text: text, Kind: cellMuted} }
func amount(n int) cell               { return cell{Text: grouped(n), Kind: cellNumber} }
func tick() cell                      { return cell{Text: "included", Kind: cellTick} }
func mark(text, tone string) cell     { return cell{Text: text, Kind: cellBadge, Tone: tone} }
func (c cell) sub(text string) cell   { c.Sub = text; return c }
func (c cell) href(where string) cell { c.Href = where; return c }

// longest is how much of a text a table shows, if it is not a sentence that must
// be read to its end.
const longest = 120

// Short is the cell as a table shows it.
func (c cell) Short() cell {
	if c.Kind != cellSentence && c.Href == "" {
		c.Text = shortened(c.Text, longest)
	}
	c.Sub = shortened(c.Sub, longest)
	return c
}

// shortened is a text, or its beginning if it has more characters than most.
func shortened(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return text[:i] + "…"
		}
		n++
	}
	return text
}

// code shows something that identifies a thing, if it is there.
func code(text string) cell {
	if text == "" {
		return muted("—")
	}
	return cell{Text: text, Kind: cellCode}
}

func orDash(text string) cell {
	if strings.TrimSpace(text) == "" {
		return muted("—")
	}
	return plain(text)
}

// sentence shows all of a text, if it is there.
func sentence(text string) cell {
	if text == "" {
		return muted("—")
	}
	return cell{Text: text, Kind: cellSentence}
}

func yes(is bool) cell {
	if is {
		return plain("Yes")
	}
	return muted("No")
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// state shows where a subscription is in its life.
func state(s billing.SubscriptionState) cell {
	tone := map[billing.SubscriptionState]string{
		billing.StateActive: "good", billing.StateTrial: "info", billing.StatePending: "warn",
	}[s]
	return mark(stateWord(s), tone)
}

func stateWord(s billing.SubscriptionState) string {
	return strings.ReplaceAll(s.Wire(), "_", " ")
}

func roleWord(r billing.Role) string { return strings.ToLower(string(r)) }

func enumWord[V ~string](v V) string {
	text := strings.ReplaceAll(strings.ToLower(string(v)), "_", " ")
	if text == "" {
		return ""
	}
	return upperFirst(text)
}

// upperFirst begins a sentence.
func upperFirst(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// plural counts something.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}
