package print

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/tenantry/tenantry/internal/print/pdf"
)

// typeface is how a text is set.
type typeface struct {
	font  font
	size  float64
	color pdf.Color
}

// leading is how far a line is below the one before.
func (t *typeface) leading() float64 { return t.size * 1.35 }

// run is a part of a text in one font.
type run struct {
	font font
	text string
}

// runs divides a text into parts of one font each.
func (t *typeface) runs(text string) []run {
	var all []run
	for i, r := range text {
		f := fontOf(r, t.font)
		n := len(all)
		if n > 0 && r == ' ' && fonts()[all[n-1].font].Has(r) {
			continue // spaces stay with the word before
		}
		if n == 0 || all[n-1].font != f {
			all = append(all, run{f, text[i:]})
			if n > 0 {
				all[n-1].text = all[n-1].text[:len(all[n-1].text)-len(text[i:])]
			}
		}
	}
	return all
}

// width is how wide a line of text is.
func (t *typeface) width(line string) float64 {
	sum := 0.0
	for _, r := range t.runs(visual(line)) {
		sum += fonts()[r.font].Width(r.text, t.size)
	}
	return sum
}

// draw draws a line of text that begins at a place.
func (t *typeface) draw(p *pdf.Page, x, y float64, line string) {
	for _, r := range t.runs(visual(line)) {
		// Only the font of Latin letters has a bold face.
		bold := t.font == boldFont && r.font != boldFont
		p.Text(x, y, pdf.Style{Font: r.font, Size: t.size, Color: t.color, Bold: bold}, r.text)
		x += fonts()[r.font].Width(r.text, t.size)
	}
}

// fit is the typeface, made smaller if a text is wider than it may be.
func (t *typeface) fit(text string, widest float64) typeface {
	small := *t
	if width := t.width(text); width > widest {
		small.size *= widest / width
	}
	return small
}

// drawRight draws a text that ends at a place, and fits.
func (t *typeface) drawRight(p *pdf.Page, x, y, widest float64, text string) {
	small := t.fit(text, widest)
	small.draw(p, x-small.width(text), y, text)
}

// plain is a text as it can be set: composed characters, and none that cannot be
// seen.
func plain(text string) string {
	isOdd := func(r rune) bool {
		return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}
	if strings.IndexFunc(text, isOdd) >= 0 {
		text = strings.Map(func(r rune) rune {
			switch {
			case !isOdd(r):
				return r
			case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r):
				return -1
			}
			return ' '
		}, text)
	}
	return norm.NFC.String(strings.ToValidUTF8(text, "\uFFFD"))
}

// wrap breaks a text into lines that are not wider than they may be. At most
// that many are made, of which the last then ends with an ellipsis; 0 is no limit.
func (t *typeface) wrap(text string, widest float64, most int) []string {
	var all []string
	for rest := strings.TrimSpace(plain(text)); rest != ""; {
		end := t.breakAt(rest, widest)
		line := strings.TrimRight(rest[:end], " ")
		rest = strings.TrimLeft(rest[end:], " ")
		if len(all)+1 == most && rest != "" {
			return append(all, line+"…")
		}
		all = append(all, line)
	}
	return all
}

// breakAt is where the first line of a text ends: after the last word that fits,
// or within a word that is too long for any line.
func (t *typeface) breakAt(text string, widest float64) int {
	width, end := 0.0, 0
	previous := rune(0)
	for i, r := range text {
		if i > 0 && mayBreak(previous, r) {
			end = i
		}
		width += fonts()[fontOf(r, t.font)].Width(text[i:i+utf8.RuneLen(r)], t.size)
		if width > widest && r != ' ' && i > 0 {
			if end == 0 {
				end = i
			}
			return end
		}
		previous = r
	}
	return len(text)
}

// mayBreak reports whether a line may end between two characters: after a space,
// and between those of scripts that have no spaces, unless the second one is a
// sign that never begins a line.
func mayBreak(a, b rune) bool {
	switch {
	case b == ' ':
		return false
	case a == ' ':
		return true
	case a == '\u00a0' || b == '\u00a0' || unicode.IsDigit(a) || unicode.IsDigit(b):
		return false // dates stay together, and so do numbers and their units
	}
	return (isIdeograph(a) || isIdeograph(b)) && !strings.ContainsRune("、。，．・：；！？」』）】〕ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.)%", b) && !strings.ContainsRune("「『（【〔(", a)
}

func isIdeograph(r rune) bool {
	return r >= 0x2E80 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303F || r >= 0xFF00 && r <= 0xFF60)
}
