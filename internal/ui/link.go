package ui

// Link leads to another page.
type Link struct{ Text, Href string }

// NavItem is a link of a menu.
type NavItem struct {
	Text, Href string
	Current    bool
}

// NavGroup is a part of a menu.
type NavGroup struct {
	Title string
	Items []NavItem
}

// Pair is a parameter or header with its value.
type Pair struct{ Name, Value string }
