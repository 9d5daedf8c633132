package console

import "github.com/tenantry/tenantry/internal/ui"

// showData is what the page of a thing shows.
type showData struct {
	Name, Kind string
	Crumbs     []ui.Link
	Badges     []ui.Cell
	Note       string // something to know before the rest
	Calm       bool   // which is as it should be
	Actions    []action
	Facts      []fact
	Stays      string // why it cannot be deleted
	Blocks     []block
	// Poll is how soon the page asks for itself again, in seconds: not at all
	// if 0. Here is where.
	Poll int
	Here string
}

// action is something that can be done with a thing.
type action struct {
	Text, Href string
	Quiet      bool // not what people come for
}

// fact is something known about a thing.
type fact struct {
	Label string
	Value ui.Cell
}

// Wide reports whether the fact needs more room than others.
func (f fact) Wide() bool {
	return f.Value.Kind != ui.CellBadge && len(f.Value.Text) > 100 && f.Value.Href == ""
}

// block is a part of the page about things that belong to the thing.
type block struct {
	Title string
	Note  string
	Table ui.Table
	Add   *ui.Link
	More  *ui.Link
	Empty string
	Code  string // shown as it is, if there is no table
}

var showPage = newPage[showData]("show")

func (d *showData) fact(label string, value ui.Cell) {
	d.Facts = append(d.Facts, fact{label, value})
}

// known adds a fact if it is known.
func (d *showData) known(label string, value *string) {
	if value != nil && *value != "" {
		d.fact(label, ui.Plain(*value))
	}
}
