package manual

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/docs"
)

// chapter is a group of pages in the menu.
type chapter struct {
	Title string
	Pages []entry
}

// entry is a page in the menu. Its name is that of its file, without .md.
type entry struct{ Name, Title string }

// contents is the menu: every page, in the order in which somebody new reads.
var contents = []chapter{
	{"Getting started", []entry{
		{"quickstart", "Quick start"}, {"concepts", "Concepts"}, {"demo", "The demo"}, {"glossary", "Glossary"},
	}},
	{"Your application", []entry{
		{"payload", "Triggers and payload"}, {"receiving", "Receiving webhooks"}, {"listen", "Testing with tenantry listen"},
		{"webhooks", "Webhooks"}, {"drift", "Drift"}, {"business-events", "Business events"}, {"programs", "Payload programs"}, {"subscriptions", "Subscriptions"},
	}},
	{"Billing", []entry{
		{"billing", "How amounts come about"}, {"invoices", "Invoices and payments"}, {"tax", "Tax"}, {"dunning", "Unpaid invoices"}, {"collecting", "Collecting payments"}, {"email", "E-mail to customers"},
	}},
	{"The API", []entry{
		{"api", "Tokens and requests"}, {"filter", "Filter language"}, {"impact", "Previewing changes"}, {"client-go", "Go library"},
		{"client-typescript", "TypeScript library"}, {"reference", "API reference"},
	}},
	{"Running it", []entry{
		{"install", "Installation"}, {"operation", "Operation"}, {"production", "In production"}, {"console", "The console"},
		{"security", "Security"}, {"reliability", "Reliability"}, {"migration", "Moving from another system"},
		{"import", "Import and export"},
	}},
	{"Internals", []entry{{"architecture", "Architecture"}, {"performance", "Performance"}}},
}

// home is the page at /docs itself.
const home = "quickstart"

// index is the page that lists those of the reference, which are in a folder of
// its name.
const index = "reference"

// referencePages are the pages of the reference, in the order of its index.
var referencePages = sync.OnceValue(func() (pages []entry) {
	text, err := fs.ReadFile(docs.Files, index+".md")
	if err != nil {
		panic(err) // it is in the binary
	}
	for _, match := range indexEntry.FindAllStringSubmatch(string(text), -1) {
		pages = append(pages, entry{index + "/" + match[2], match[1]})
	}
	return pages
})

var indexEntry = regexp.MustCompile(`(?m)^- \[([^\]]+)\]\(reference/([^)]+)\.md\)`)

// all are the pages in the order of the menu, those of the reference behind its
// index.
var all = sync.OnceValue(func() (entries []entry) {
	for _, chapter := range contents {
		for _, page := range chapter.Pages {
			entries = append(entries, page)
			if page.Name == index {
				entries = append(entries, referencePages()...)
			}
		}
	}
	return entries
})

// titleOf is what the menu calls a page; empty if there is none.
func titleOf(name string) string {
	for _, page := range all() {
		if page.Name == name {
			return page.Title
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

// target turns a link in the file of a page into one between pages. A link to a
// file that is not among the pages leads nowhere here.
func target(page, link string) (to string, leads bool) {
	if strings.Contains(link, "://") || strings.HasPrefix(link, "#") || strings.HasPrefix(link, "mailto:") {
		return link, true
	}
	file, fragment, _ := strings.Cut(link, "#")
	if fragment != "" {
		fragment = "#" + fragment
	}
	file = path.Join(path.Dir(page), file)
	if name, isPage := strings.CutSuffix(file, ".md"); isPage && titleOf(name) != "" {
		return address(name) + fragment, true
	}
	if strings.HasPrefix(file, "images/") {
		return "/docs/" + file, true
	}
	return "", false
}
