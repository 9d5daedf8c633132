package ui

import "strings"

// Details is the page of one resource.
type Details struct {
	Name, Kind string
	Crumbs     []Link
	Badges     []Cell
	Note       string // shown first
	Calm       bool   // the note is no warning
	Actions    []Action
	Facts      []Fact
	Stays      string // why it cannot be deleted
	Blocks     []Block
	// Poll is the number of seconds after which the page reloads itself from Here;
	// 0 is never.
	Poll int
	Here string
}

// Action is a button that leads to something that can be done.
type Action struct {
	Text, Href string
	Quiet      bool // less prominent
}

// Fact is a labeled value.
type Fact struct {
	Label string
	Value Cell
}

// longestCode is how many characters of an identifier fit beside other facts.
const longestCode = 40

// Wide reports whether the fact needs a line of its own.
func (f Fact) Wide() bool {
	if f.Value.Kind == CellCode && len(f.Value.Text) > longestCode {
		return true
	}
	return f.Value.Kind != CellBadge && len(f.Value.Text) > 100 && f.Value.Href == ""
}

// Range reports whether the fact is several days, which need more room than one.
func (f Fact) Range() bool { return f.Value.Kind == CellDate && strings.Contains(f.Value.Text, "–") }

// Block is a part of a page with a table of related resources, or with code.
type Block struct {
	Title string
	Note  string
	Table Table
	Plot  *Plot // in the place of a table
	Add   *Link
	More  *Link
	Empty string
	Code  string // shown verbatim, if there is no table
	Text  string // shown with its lines, the long ones wrapped, if there is neither
}

// Fact adds a fact.
func (d *Details) Fact(label string, value Cell) {
	d.Facts = append(d.Facts, Fact{label, value})
}

// OptionalFact adds a fact if there is a value.
func (d *Details) OptionalFact(label string, value *string) {
	if value != nil && *value != "" {
		d.Fact(label, Plain(*value))
	}
}
