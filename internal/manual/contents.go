package manual

import "strings"

// chapter is a group of pages in the menu.
type chapter struct {
	Title string
	Pages []entry
}

// entry is a page in the menu. Its name is that of its file, without .md.
type entry struct{ Name, Title string }

// contents is the menu: every page, in the order in which somebody new reads.
var contents = []chapter{
	{"Begin", []entry{
		{"quickstart", "Quick start"}, {"concepts", "Concepts"}, {"demo", "The demo"},
	}},
	{"Your application", []entry{
		{"payload", "Triggers and payload"}, {"receiving", "Receiving webhooks"}, {"listen", "Trying it: tenantry listen"},
		{"webhooks", "Webhooks"}, {"programs", "Payload programs"}, {"subscriptions", "Subscriptions"},
	}},
	{"The API", []entry{
		{"api", "Tokens and requests"}, {"filter", "Filter language"}, {"client-go", "Go library"},
		{"client-typescript", "TypeScript library"}, {"reference", "API reference"},
	}},
	{"Running it", []entry{
		{"install", "Installation"}, {"operation", "Operation"}, {"production", "In production"}, {"console", "The console"},
		{"security", "Security"}, {"reliability", "Reliability"}, {"import", "Moving from another system"},
	}},
	{"Inside", []entry{{"architecture", "Architecture"}, {"performance", "Performance"}}},
}

// home is the page at /docs itself.
const home = "quickstart"

// titleOf is what the menu calls a page; empty if there is none.
func titleOf(name string) string {
	for _, chapter := range contents {
		for _, page := range chapter.Pages {
			if page.Name == name {
				return page.Title
			}
		}
	}
	return ""
}

// address is where a page is shown.
func address(name string) string {
	if name == home {
		return "/docs"
	}
	return "/docs/" + name
}

// target turns a link between files into one between pages. A link to a file
// that is not among the pages leads nowhere here.
func target(link string) (to string, leads bool) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "#") || strings.HasPrefix(link, "mailto:") {
		return link, true
	}
	file, fragment, _ := strings.Cut(link, "#")
	if fragment != "" {
		fragment = "#" + fragment
	}
	if name, page := strings.CutSuffix(file, ".md"); page && titleOf(name) != "" {
		return address(name) + fragment, true
	}
	if strings.HasPrefix(file, "images/") {
		return "/docs/" + file, true
	}
	return "", false
}
