package print

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"html/template"
	"io"
	"iter"

	"github.com/tenantry/tenantry/internal/print/pdf"
)

//go:embed style.css
var style string

//go:embed page.html
var page string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(style) },
	"image": func(i *pdf.Image) template.URL {
		return template.URL("data:image/" + i.Format + ";base64," + base64.StdEncoding.EncodeToString(i.Data))
	},
	// Numbers begin in the second column.
	"class": func(columns []column, n int) string { return columns[n+1].Class },
}).Parse(page))

// ContentSecurityPolicy is what a page of HTML needs: its own style, which is
// allowed by its hash, and its logo. There are no scripts, and nothing is loaded.
var ContentSecurityPolicy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

// HTML writes the document as a page of HTML that needs nothing else. After an
// error, what was written is not complete.
func (d *Document) HTML(w io.Writer) error {
	s := d.sheet()
	var failed error
	content := struct {
		*sheet
		Items iter.Seq[item]
	}{s, func(yield func(item) bool) { failed = items(s.Rows, yield) }}
	out := bufio.NewWriter(w)
	if err := pageTemplate.Execute(out, content); err != nil {
		return err
	}
	return cmp.Or(failed, out.Flush())
}

// item is a row that knows whether it is the last, which pages keep together with
// the totals when they are printed.
type item struct {
	row
	Last bool
}

// items passes rows on, each when it is known whether another one follows.
func items(rows iter.Seq2[row, error], yield func(item) bool) error {
	var held *row
	for r, err := range rows {
		if err != nil {
			return err
		}
		if held != nil && !yield(item{*held, false}) {
			return nil
		}
		held = &r
	}
	if held != nil {
		yield(item{*held, true})
	}
	return nil
}
