package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Kinds of cells.
const (
	CellCode     = "code"
	CellBadge    = "badge"
	CellTime     = "time"
	CellNumber   = "number"
	CellMoney    = "money" // right-aligned, like the title of its column
	CellMuted    = "muted"
	CellBar      = "bar"
	CellTick     = "tick" // included, with nothing more to say
	CellDate     = "date" // days, kept on one line
	CellName     = "name" // the number of a document, kept on one line
	CellSentence = "text" // sentences, which need some room
	CellPicture  = "picture"
)

// Cell is a value in a table or in a list of facts.
type Cell struct {
	Text, Href string
	Kind       string
	Tone       string // of a badge: good, info, warn, bad or empty
	Sub        string // a second line, smaller
	Time       time.Time
	Done, All  int // of a bar
}

// Plain is a text.
func Plain(text string) Cell { return Cell{Text: text} }

// Linked is a text that links to an address.
func Linked(text, href string) Cell { return Cell{Text: text, Href: href} }

// Named is the number or name of a document, which links to it.
func Named(text, href string) Cell { return Cell{Text: text, Href: href, Kind: CellName} }

// Muted is a text in a fainter color.
func Muted(text string) Cell { return Cell{Text: text, Kind: CellMuted} }

// Number is a number, aligned with others in its column.
func Number(n int) Cell { return Cell{Text: Grouped(n), Kind: CellNumber} }

// Money is a price, in the one format of all pages.
func Money(p billing.Price, currency string) Cell {
	return Cell{Text: p.Money(currency), Kind: CellMoney}
}

// Tick says that something is included.
func Tick() Cell { return Cell{Text: "included", Kind: CellTick} }

// Badge is a word with a colored background, such as a state.
func Badge(text, tone string) Cell { return Cell{Text: text, Kind: CellBadge, Tone: tone} }

// Code is an identifier, or a dash if there is none.
func Code(text string) Cell { return orDash(text, CellCode) }

// OrDash is a text, or a dash if it is blank.
func OrDash(text string) Cell { return orDash(text, "") }

// Sentence is a text that is never shortened, or a dash if there is none.
func Sentence(text string) Cell { return orDash(text, CellSentence) }

func orDash(text, kind string) Cell {
	if strings.TrimSpace(text) == "" {
		return Muted("—")
	}
	return Cell{Text: text, Kind: kind}
}

// Picture is a picture at an address, with a text for those who do not see it.
func Picture(address, text string) Cell { return Cell{Text: text, Href: address, Kind: CellPicture} }

// YesNo is "Yes" or "No".
func YesNo(is bool) Cell {
	if is {
		return Plain("Yes")
	}
	return Muted("No")
}

// Moment is a time in the viewer's zone.
func Moment(t time.Time) Cell { return Cell{Time: t, Kind: CellTime} }

// OptionalMoment is a time, or the text none if there is none.
func OptionalMoment(t *time.Time, none string) Cell {
	if t == nil {
		return Muted(none)
	}
	return Moment(*t)
}

// Days is one day, or a range of days.
func Days(dates ...billing.Date) Cell {
	dates = slices.Compact(slices.Clone(dates))
	texts := make([]string, len(dates))
	for i, d := range dates {
		texts[i] = DayText(d)
	}
	return Cell{Text: strings.Join(texts, " – "), Kind: CellDate}
}

// WithSub adds a second line.
func (c Cell) WithSub(text string) Cell { c.Sub = text; return c }

// WithHref adds a link.
func (c Cell) WithHref(where string) Cell { c.Href = where; return c }

// LongestText is how many characters of a text a table shows, except for
// sentences and links.
const LongestText = 120

// Short is the cell as a table shows it.
func (c Cell) Short() Cell {
	if c.Kind != CellSentence && c.Href == "" {
		c.Text = Shortened(c.Text, LongestText)
	}
	c.Sub = Shortened(c.Sub, LongestText)
	return c
}
