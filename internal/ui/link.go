package ui

import "net/url"

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

// LocalPath returns an address of this server that somebody sent, or the home
// page for anything else: nobody is to be sent away from here.
func LocalPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || len(u.Path) == 0 || u.Path[0] != '/' ||
		len(u.Path) > 1 && (u.Path[1] == '/' || u.Path[1] == '\\') {
		return "/"
	}
	local := url.URL{Path: u.Path, RawQuery: u.RawQuery}
	return local.String()
}
