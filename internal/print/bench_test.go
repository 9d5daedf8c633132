package print

import (
	"bytes"
	"io"
	"testing"
)

func BenchmarkPDF(b *testing.B) {
	for _, locale := range []string{"en", "ja"} {
		b.Run("two pages, "+locale, func(b *testing.B) {
			d := invoiceDocument(b, long(locale, 20))
			if n := len(readPDF(b, write(b, d)).pages); n != 2 {
				b.Fatalf("%d pages, want 2", n)
			}
			b.ReportAllocs()
			for b.Loop() {
				var file bytes.Buffer
				if err := d.PDF(&file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("30,000 items", func(b *testing.B) {
		d := invoiceDocument(b, invoice("en"))
		d.Lines = InvoiceLines(repeated(invoice("en").Items[0], 30_000))
		b.ReportAllocs()
		for b.Loop() {
			if err := d.PDF(io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkHTML(b *testing.B) {
	d := invoiceDocument(b, long("en", 20))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.HTML(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
