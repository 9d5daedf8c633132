package print

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// oddTexts are texts that no layout expects.
var oddTexts = map[string]string{
	"empty":          "",
	"spaces":         "   \t\n  ",
	"long word":      strings.Repeat("Donaudampfschiff", 13),
	"very long":      strings.Repeat("Several words that go on and on. ", 150),
	"lines":          strings.Repeat("line\n", 150),
	"emoji":          "Team 🎉 👩‍👩‍👧‍👦 🇩🇪 done ✅",
	"Hebrew, Arabic": "שלום עולם, مرحبا بالعالم",
	"Hindi, Thai":    "नमस्ते दुनिया, สวัสดีชาวโลก",
	"Greek":          "Ελληνικά γράμματα",
	"Cyrillic":       "Общество с ограниченной ответственностью",
	"Chinese":        strings.Repeat("有限公司软件订阅", 60),
	"Korean":         "주식회사 대한민국",
	"combined":       "e\u0301a\u0308" + strings.Repeat("\u0301", 500),
	"controls":       "a\x00b\x1b[31mc\u202eabc\u2028d\ufeff",
	"not UTF-8":      "a\xff\xfe\xc3(b",
	"unassigned":     "\U000e0fff\U0010ffff\ufffe",
	"HTML":           `"><script>alert(1)</script>&amp;{{.}}`,
	"PDF":            `) Tj ET (\) << /Foo >> endstream endobj %%EOF`,
}

func TestOddTexts(t *testing.T) {
	for name, text := range oddTexts {
		t.Run(name, func(t *testing.T) {
			p := Party{text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text, text}
			d := Document{
				Number: text, Locale: text, Currency: money.Currency{Code: text, Digits: 2}, Seller: p, Buyer: p, PONumber: text, BuyerReference: text, Notes: text,
				Reason: text, Credited: []Reference{{Number: text}, {Number: text}}, Amount: 1, DueAt: day("2026-01-31"),
				Taxes: []tax.Group{{Treatment: tax.Treatment{Category: tax.Exempt, Percent: tax.Percent(text), Reason: text}}},
				Lines: each([]Line{
					{Text: text, TenantCode: text, Quantity: text, PreviousQuantity: text, UnitName: text, Price: new(billing.Price(text)), ByUnit: true},
					{Text: text, TenantCode: text, Quantity: text, PreviousQuantity: text, UnitName: text, Tax: tax.Treatment{Percent: tax.Percent(text)}, Inclusive: true},
				}),
			}
			for _, d.Kind = range []Kind{Invoice, CreditNote} {
				d.Test = d.Kind == Invoice
				readPDF(t, write(t, d))
				html(t, d)
			}
		})
	}
}

func TestOddDocuments(t *testing.T) {
	huge := long("en", 5)
	huge.Items[0].Priced, huge.Items[0].Price, huge.Items[0].Quantity = money.MaxItem, new(billing.Price("123456789012345.12345678")), "99999999999999999999.5"
	if err := huge.Total(); err != nil {
		t.Fatal(err)
	}
	groups := long("en", 1)
	for n := range 300 {
		groups.Taxes = append(groups.Taxes, tax.Group{Treatment: tax.Treatment{Category: tax.Standard, Percent: tax.Percent(strings.Repeat("1", n%5+1))}, Net: 1, Tax: 1})
	}
	documents := map[string]Document{
		"nothing at all": {}, "no items": invoiceDocument(t, &document.Invoice{Number: "1"}), "2,000 items": invoiceDocument(t, long("de", 2000)),
		"huge amounts": invoiceDocument(t, huge), "300 tax groups": invoiceDocument(t, groups),
		"far dates": {IssuedAt: billing.Date{Year: 123456, Month: 13, Day: 40}, PeriodStart: billing.Date{Year: -5}},
	}
	for name, d := range documents {
		t.Run(name, func(t *testing.T) {
			readPDF(t, write(t, d))
			html(t, d)
		})
	}
}

func TestOddLogos(t *testing.T) {
	for name, logo := range map[string]string{
		"no image": "data:image/png;base64,aGVsbG8=", "no base64": "data:image/png;base64,???", "an address": "https://example.com/logo.png",
		"SVG": "data:image/svg+xml;base64,PHN2Zy8+", "cut off": logo()[:200], "a comma": ",", "too large": "iVBORw0KGgoAAAANSUhEUgAA//8AAP//CAYAAAAfFcSJ",
	} {
		t.Run(name, func(t *testing.T) {
			d := invoiceDocument(t, invoice("en"))
			d.Seller.Logo = logo
			if text := readPDF(t, write(t, d)).pages[0]; !strings.Contains(text, "Example Software GmbH") {
				t.Error("the name of the seller is missing")
			}
			html(t, d)
		})
	}
}

func FuzzText(f *testing.F) {
	for _, text := range oddTexts {
		f.Add(text, "en")
	}
	f.Fuzz(func(t *testing.T, text, locale string) {
		d := Document{Number: text, Locale: locale, Notes: text, Seller: Party{Name: text, Footer: text}, Buyer: Party{Name: text}, Lines: each([]Line{{Text: text, Quantity: text}})}
		readPDF(t, write(t, d))
		html(t, d)
	})
}

// The tallest item there can be fits between the head and the footer of a page.
func TestTallestItemFits(t *testing.T) {
	text := strings.Repeat("words ", 5000)
	d := Document{Lines: each([]Line{{Text: text, TenantCode: text}})}
	l := layout{sheet: d.sheet()}
	for r := range l.Rows {
		if m := l.measure(r); m.height > bottom-top-60 {
			t.Errorf("it is %.0f points tall", m.height)
		}
	}
}
