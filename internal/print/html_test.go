package print

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// html writes a document as HTML.
func html(t testing.TB, d Document) string {
	t.Helper()
	var text bytes.Buffer
	if err := d.HTML(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestHTML(t *testing.T) {
	german, swiss := invoiceDocument(t, invoice("de")), creditNote(t)
	german.Credits, german.AmountPaid = 10000, 5000
	swiss.Locale, swiss.Currency.Code = "fr-CH", "CHF"
	documents := map[string]Document{
		"invoice_en": invoiceDocument(t, invoice("en")), "invoice_de": german, "invoice_ja": invoiceDocument(t, invoice("ja")),
		"credit_note_en": creditNote(t), "credit_note_fr_CH": swiss,
	}
	for name, d := range documents {
		// The style is not part of what a document says.
		got := strings.Replace(html(t, d), style, "", 1)
		file := "testdata/" + name + ".html"
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs; -update writes it:\n%s", file, got)
		}
	}
}

// A page works under the policy that goes with it: its one style has the hash that
// is allowed, and it has nothing that is not.
func TestContentSecurityPolicy(t *testing.T) {
	d := invoiceDocument(t, invoice("en"))
	d.Seller.Logo = logo()
	page := html(t, d)
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(page, -1)
	if len(styles) != 1 {
		t.Fatalf("%d styles, want 1", len(styles))
	}
	sum := sha256.Sum256([]byte(styles[0][1]))
	if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(ContentSecurityPolicy, "'sha256-"+hash+"'") {
		t.Errorf("the policy %q does not allow the style with the hash %s", ContentSecurityPolicy, hash)
	}
	for _, refused := range []string{"<script", " style=", "src=\"http", "href="} {
		if at := strings.Index(strings.Replace(page, style, "", 1), refused); at >= 0 {
			t.Errorf("the page has %s", refused)
		}
	}
	if !strings.Contains(page, `src="data:image/png;base64,`) {
		t.Error("the page has no logo")
	}
}

func TestHTMLIsEscaped(t *testing.T) {
	i := invoice("en")
	i.Items[0].LineText, i.Notes = "<script>alert(1)</script>", "</main><b>"
	page := html(t, invoiceDocument(t, i))
	if strings.Contains(page, "<script>") || strings.Contains(page, "</main><b>") {
		t.Error("text of the document is not escaped")
	}
}
