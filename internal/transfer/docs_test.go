package transfer

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentNamesEveryField holds the document of the format to the format. A
// field is named there or in the reference of the API that it links to.
func TestDocumentNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range Kinds {
		l := lineOf(kind)
		row := ""
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "| `"+kind+"`") || strings.HasPrefix(line, "| [`"+kind+"`]") {
				row = line
			}
		}
		if _, link, linked := strings.Cut(row, "](reference/"); linked {
			page, _, _ := strings.Cut(link, "#")
			reference, err := os.ReadFile("../../docs/reference/" + page)
			if err != nil {
				t.Fatal(err)
			}
			row += string(reference)
		}
		if kind == subscriptionKind {
			row = string(text)
		}
		for _, name := range l.names() {
			if !strings.Contains(row, "**`"+name+"`**") {
				t.Errorf("the document does not say that %s identifies a %s", name, kind)
			}
		}
		for _, f := range l.fields() {
			if !strings.Contains(row, "`"+f.name+"`") {
				t.Errorf("the document does not name %s of a %s", f.name, kind)
			}
		}
	}
}
