package print

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
)

// write writes a document as PDF.
func write(t testing.TB, d Document) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := d.PDF(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestPDFHasEverything(t *testing.T) {
	d := invoiceDocument(t, invoice("en"))
	d.Credits, d.AmountPaid = 10000, 5000
	pages := strings.ReplaceAll(strings.Join(readPDF(t, write(t, d)).pages, ""), space, " ")
	for _, text := range []string{
		"Example Software GmbH", "Torstraße 1", "10119 Berlin", "VAT ID: DE123456789", "Registration no.: HRB 12345 B", "billing@example.com",
		"Globex Inc", "Ms. Ada Lovelace", "VAT ID: DE987654321", "INV-2026-000017", "16 Jan 2026", "30 Jan 2026", "PO-4711", "Cost center 12",
		"Professional: Seats", "125 seats", "1,250.00", "16 of 31 days", "Tenant globex", "1,204,500.5 calls", "2 × 9.90 = 19.80 with tax",
		"Tax 19% on 1,607.98", "EUR 305.52", "Tax 7% on 18.50", "EUR 1,933.30", "EUR −100.00", "EUR −50.00", "Amount due", "EUR 1,783.30",
		"Please pay EUR 1,783.30 by 30 Jan 2026.", "DE89 3704 0044 0532 0130 00", "COBADEFFXXX", "Thank you for your business.",
		"Managing director: Erika Mustermann", d.Hash.String(),
	} {
		if !strings.Contains(pages, text) {
			t.Errorf("%q is missing in:\n%s", text, pages)
		}
	}
}

func TestPDFOfCreditNote(t *testing.T) {
	text := strings.ReplaceAll(strings.Join(readPDF(t, write(t, creditNote(t))).pages, ""), space, " ")
	for _, want := range []string{"Credit note", "CN-2026-000003", "INV-2026-000017 (16 Jan 2026), INV-2026-000021 (1 Feb 2026)", "Service was not available", "PO-4711", "Cost center 12", "Reverse charge", "Total credit", "EUR 14.03"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	for _, odd := range []string{"Please pay", "IBAN", "Quantity"} {
		if strings.Contains(text, odd) {
			t.Errorf("a credit note has %q", odd)
		}
	}
}

func TestDraftsAndTestsAreMarked(t *testing.T) {
	i := long("en", 60)
	i.Number = ""
	d := invoiceDocument(t, i)
	d.Test = true
	for n, page := range readPDF(t, write(t, d)).pages {
		if !strings.Contains(page, "TEST") {
			t.Errorf("page %d is not marked", n+1)
		}
		if strings.Contains(page, "Please pay") {
			t.Error("a draft asks for money")
		}
	}
	var html bytes.Buffer
	if err := d.HTML(&html); err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{`<span class="mark">Test</span>`, `<span class="mark">Draft</span>`} {
		if !strings.Contains(html.String(), mark) {
			t.Errorf("the page has no %s", mark)
		}
	}
}

// Every page has heads and numbers, every item is on one page, and the totals are
// on the page of the last item, wherever pages end.
func TestPagesBreakWell(t *testing.T) {
	for items := 5; items < 45; items++ {
		pages := readPDF(t, write(t, invoiceDocument(t, long("en", items)))).pages
		seen := 0
		for n, page := range pages {
			if !strings.Contains(page, fmt.Sprintf("%d /\n%d\n", n+1, len(pages))) {
				t.Errorf("%d items: page %d of %d has no number", items, n+1, len(pages))
			}
			if on := strings.Count(page, "19%\n") + strings.Count(page, "7%\n"); on > 0 {
				if seen += on; !strings.Contains(page, "Description") {
					t.Errorf("%d items: page %d has no heads", items, n+1)
				}
				if isLast := seen == items; isLast != strings.Contains(page, "Subtotal") || isLast != strings.Contains(page, "\nTotal\n") {
					t.Errorf("%d items: the totals are not with the last item", items)
				}
			}
		}
		if seen != items {
			t.Errorf("%d items: %d were printed", items, seen)
		}
	}
}

func TestTimeZoneOfTheBuyer(t *testing.T) {
	for locale, want := range map[string]string{"en": "Time zone: America/New_York", "de": "Zeitzone: America/New_York"} {
		d := invoiceDocument(t, invoice(locale))
		if text := strings.Join(readPDF(t, write(t, d)).pages, ""); strings.Contains(text, "America") {
			t.Errorf("%s: it has a time zone that the buyer has not", locale)
		}
		d.Buyer.Timezone = "America/New_York"
		if text := strings.ReplaceAll(strings.Join(readPDF(t, write(t, d)).pages, ""), space, " "); !strings.Contains(text, want) {
			t.Errorf("%s: %q is not in the file", locale, want)
		}
		var page bytes.Buffer
		if err := d.HTML(&page); err != nil || !strings.Contains(page.String(), want) {
			t.Errorf("%s: %q is not on the page (%v)", locale, want, err)
		}
	}
}

func TestSameBytes(t *testing.T) {
	d := invoiceDocument(t, long("ja", 50))
	d.Seller.Logo = logo()
	if !bytes.Equal(write(t, d), write(t, d)) {
		t.Error("two files of the same document differ")
	}
}

// TestLargestLogo prints a document with the largest picture that an entity may have,
// whose pixels are many times its bytes.
func TestLargestLogo(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewNRGBA64(image.Rect(0, 0, 2000, 1000))); err != nil {
		t.Fatal(err)
	}
	e := billing.NewEntity()
	e.Code, e.Name, e.Country, e.Logo = "de", "GmbH", "DE", new("data:image/png;base64,"+base64.StdEncoding.EncodeToString(picture.Bytes()))
	if problems := e.Check(); len(problems) > 0 {
		t.Fatal(problems)
	}
	d := invoiceDocument(t, long("en", 10))
	d.Seller.Logo = *e.Logo
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	file := write(t, d)
	runtime.ReadMemStats(&after)
	if !bytes.Contains(file, []byte("/Subtype /Image")) {
		t.Error("the logo is not in the file")
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 80<<20 {
		t.Errorf("printing it took %d MiB", used>>20)
	}
}

// The table at the end of a file finds every object.
func TestOffsetsAreRight(t *testing.T) {
	d := invoiceDocument(t, long("en", 50))
	d.Seller.Logo = logo()
	file := write(t, d)
	at := bytes.LastIndex(file, []byte("xref\n0 "))
	at = bytes.LastIndex(file[:at+1], []byte("xref\n0 "))
	var start int
	if _, err := fmt.Sscanf(string(file[bytes.LastIndex(file, []byte("startxref\n"))+10:]), "%d", &start); err != nil || !bytes.HasPrefix(file[start:], []byte("xref\n0 ")) {
		t.Fatalf("startxref %d is not where the table is, %d (%v)", start, at, err)
	}
	for n, line := range slices.Collect(strings.Lines(string(file[start:])))[3:] {
		var offset int
		if _, err := fmt.Sscanf(line, "%010d 00000 n", &offset); err != nil {
			break
		}
		if want := fmt.Sprintf("%d 0 obj\n", n+1); !bytes.HasPrefix(file[offset:], []byte(want)) {
			t.Errorf("object %d is not at %d", n+1, offset)
		}
	}
}

// failing yields some items and then an error.
func failing(items []document.Item, err error) iter.Seq2[document.Item, error] {
	return func(yield func(document.Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
		yield(document.Item{}, err)
	}
}

func TestErrorsOfItemsAreReturned(t *testing.T) {
	lost := errors.New("the connection was lost")
	i := invoice("en")
	d := invoiceDocument(t, i)
	d.Lines = InvoiceLines(failing(i.Items, lost))
	if err := d.PDF(io.Discard); !errors.Is(err, lost) {
		t.Errorf("PDF: %v", err)
	}
	if err := d.HTML(io.Discard); !errors.Is(err, lost) {
		t.Errorf("HTML: %v", err)
	}
}

// full is a writer that takes so many bytes.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestErrorsOfWritersAreReturned(t *testing.T) {
	d := invoiceDocument(t, long("en", 200))
	size := len(write(t, d))
	for _, room := range []int{0, 1000, size - 1} {
		f := full(room)
		if err := d.PDF(&f); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		if f = full(room); room < 10_000 {
			if err := d.HTML(&f); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("HTML, room for %d bytes: %v", room, err)
			}
		}
	}
}

// repeated is an item many times over, without keeping any.
func repeated(item document.Item, times int) iter.Seq2[document.Item, error] {
	return func(yield func(document.Item, error) bool) {
		for range times {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// peak is the most memory that is in use while items are read.
func peak(t *testing.T, items int, write func(d *Document, w io.Writer) error) uint64 {
	t.Helper()
	i := invoice("en")
	d := invoiceDocument(t, i)
	var most uint64
	n := 0
	lines := InvoiceLines(repeated(i.Items[0], items))
	d.Lines = func(yield func(Line, error) bool) {
		for line, err := range lines {
			if n++; n%3000 == 999 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			if !yield(line, err) {
				return
			}
		}
	}
	if err := write(&d, io.Discard); err != nil {
		t.Fatal(err)
	}
	return most
}

func TestMemoryStaysFlat(t *testing.T) {
	for name, write := range map[string]func(*Document, io.Writer) error{"PDF": (*Document).PDF, "HTML": (*Document).HTML} {
		few, many := peak(t, 1000, write), peak(t, 30_000, write)
		t.Logf("%s: %d KB in use with 1,000 items, %d KB with 30,000", name, few/1024, many/1024)
		if many > few+1<<20 {
			t.Errorf("%s of 30,000 items needs %d KB, of 1,000 items %d KB", name, many/1024, few/1024)
		}
	}
}

// A file of two pages needs at most 10 MiB, of which most is for compression.
func TestTwoPagesNeedLittle(t *testing.T) {
	d := invoiceDocument(t, long("ja", 20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := d.PDF(io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 10<<20 {
		t.Errorf("a file of two pages needed %d KB", used/1024)
	}
}
