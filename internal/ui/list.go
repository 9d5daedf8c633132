package ui

import "net/url"

// List is a page of a list, with its search field.
type List struct {
	Title  string
	Path   string
	Filter string
	Hint   string
	// Problem says what is wrong with the filter.
	Problem string
	Tabs    []NavItem
	// Keep are parameters that a search keeps.
	Keep  []Pair
	Table Table
	// Newer and Older are the addresses of the adjacent pages, empty if there is
	// none; in a Sorted list, of the previous and the next one.
	Newer, Older string
	Sorted       bool
	New          *Link
	Also         *Link  // another action
	About        string // shown if there is nothing at all
	// Poll is the number of seconds after which the list reloads itself; 0 is never.
	Poll int
	// Here is the address of this page.
	Here string
	// Note says that the search was not complete.
	Note string
	// Hidden says why something that matches is not shown.
	Hidden string
	// Instead are other searches that may be meant if nothing matches.
	Instead []Link
	// Rest is set by a reader that stopped early: the id to continue from.
	Rest *int64
}

// Found reports whether there are rows.
func (d List) Found() bool { return len(d.Table.Rows) > 0 }

// Searched reports whether the list is narrowed.
func (d List) Searched() bool { return d.Filter != "" || d.Newer != "" || len(d.Keep) > 0 }

// Continue links to where a reader stopped before the page was full.
func (d *List) Continue(newer bool) {
	if d.Rest == nil || *d.Rest == 0 {
		d.Note = ""
		return
	}
	if newer {
		d.Newer = d.PageAt("newer", IDText(*d.Rest))
		d.Note += " “Newer” looks through the next ones."
	} else {
		d.Older = d.PageAt("older", IDText(*d.Rest))
		d.Note += " “Older” looks through the next ones."
	}
}

// PageAt is the address of a page of the list.
func (d *List) PageAt(name, cursor string) string {
	query := url.Values{}
	if d.Filter != "" {
		query.Set("q", d.Filter)
	}
	if name != "" {
		query.Set(name, cursor)
	}
	for _, kept := range d.Keep {
		query.Set(kept.Name, kept.Value)
	}
	if len(query) == 0 {
		return d.Path
	}
	return d.Path + "?" + query.Encode()
}
