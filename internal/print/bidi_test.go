package print

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

func TestVisual(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"no change (1) 2.5", "no change (1) 2.5"},
		{"שלום", "םולש"},
		{"to שלום עולם now", "to םלוע םולש now"},
		{"שלום (עולם)", "(םלוע) םולש"},
		{"רחוב הרצל 12, תל אביב", "ביבא לת ,12 לצרה בוחר"},
		{"סכום 1,234.50 בלבד", "דבלב 1,234.50 םוכס"},
		{"Acme בע״מ 12 x", "Acme 12 מ״עב x"},
		{"a 12 ב", "a 12 ב"},
		{"שלום abc def 12 עולם", "םלוע abc def 12 םולש"},
		{"12 שלום 34", "34 םולש 12"},
		{"a (ב) c", "a (ב) c"},
		{"מע״מ 18%", "18% מ״עמ"},
		{"«שלום»", "«םולש»"},
	} {
		if got := visual(c.line); got != c.want {
			t.Errorf("%q is drawn as %q, want %q", c.line, got, c.want)
		}
	}
}

func TestShape(t *testing.T) {
	for text, want := range map[string][]rune{
		"سلام":   {0xFEB3, 0xFEFC, 0xFEE1},         // seen initial, lam-alef final, meem alone
		"محمد":   {0xFEE3, 0xFEA4, 0xFEE4, 0xFEAA}, // meem initial, hah and meem medial, dal final
		"دار":    {0xFEA9, 0xFE8D, 0xFEAD},         // none joins the next
		"مُحمد":  {0xFEE3, 0x064F, 0xFEA4, 0xFEE4, 0xFEAA},
		"پارسی":  {0xFB58, 0xFE8E, 0xFEAD, 0xFEB3, 0xFBFD},
		"abc לא": []rune("abc לא"),
	} {
		if got := shape([]rune(text)); string(got) != string(want) {
			t.Errorf("%q becomes %U, want %U", text, got, want)
		}
	}
}

// Every form of every letter is one of that letter, and there is a font with it.
func TestArabicForms(t *testing.T) {
	for letter, f := range arabicForms {
		for n := range f.forms {
			r := f.alone + rune(n)
			if letter < 0xFE00 && norm.NFKC.String(string(r)) != string(letter) {
				t.Errorf("%U is no form of %U", r, letter)
			}
			if !fonts()[fontOf(r, regularFont)].Has(r) {
				t.Errorf("no font has %U", r)
			}
		}
	}
}

func TestRightToLeftIsPrinted(t *testing.T) {
	d := invoiceDocument(t, invoice("en"))
	d.Buyer.Name = "חברת דוגמה בע״מ"
	if text := readPDF(t, write(t, d)).pages[0]; !strings.Contains(text, "מ״עב המגוד תרבח") {
		t.Error("the name of the buyer is not in its order")
	}
}
