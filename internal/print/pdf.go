package print

import (
	"io"
	"strings"

	"github.com/tenantry/tenantry/internal/print/pdf"
)

// PDF writes the document as a PDF file. Pages are written as they are filled.
// After an error, what was written is not complete.
func (d *Document) PDF(w io.Writer) error {
	s := d.sheet()
	file := pdf.NewWriter(w, pageWidth, pageHeight, pdf.Info{
		Title: join(" ", s.Title, s.Number), Author: s.Seller.Name, Language: s.Language,
	})
	for _, f := range fonts() {
		file.Font(f)
	}
	l := layout{sheet: s, file: file}
	err := l.draw()
	if closed := file.Close(l.drawTotalPages); err == nil {
		err = closed
	}
	return err
}

// Measures of a page, in points: A4, with margins of 20 mm at the sides.
const (
	pageWidth, pageHeight = 595.28, 841.89

	left, right = 56.7, pageWidth - 56.7
	top, bottom = 51.0, pageHeight - 66
	// middle is where the right column of the head begins.
	middle = 340.0
	// footerTop is where the rule above the footer is.
	footerTop = pageHeight - 52
)

// Colors and typefaces, the same as those of the page of HTML.
var (
	ink  = pdf.Color{0x1f, 0x29, 0x37}
	soft = pdf.Color{0x6b, 0x72, 0x80}
	rule = pdf.Color{0xe5, 0xe7, 0xeb}
	tint = pdf.Color{0xf3, 0xf4, 0xf6}
	mark = pdf.Color{0xb9, 0x1c, 0x1c}
	// watermark lies below the text.
	watermark = pdf.Color{0xfa, 0xec, 0xec}
	white     = pdf.Color{0xff, 0xff, 0xff}

	titleFace  = typeface{boldFont, 22, ink}
	nameFace   = typeface{boldFont, 15, ink}
	strongFace = typeface{boldFont, 9.5, ink}
	sumFace    = typeface{boldFont, 11, ink}
	textFace   = typeface{regularFont, 9.5, ink}
	itemFace   = typeface{regularFont, 9, ink}
	headFace   = typeface{boldFont, 8, ink}
	labelFace  = typeface{regularFont, 8.5, soft}
	smallFace  = typeface{regularFont, 8, soft}
	footFace   = typeface{regularFont, 7, soft}
	hashFace   = typeface{regularFont, 6, soft}
	markFace   = typeface{boldFont, 8.5, white}
)

// layout draws a sheet on pages, from top to bottom.
type layout struct {
	*sheet
	file *pdf.Writer
	page *pdf.Page
	logo pdf.ImageID
	y    float64 // where the next thing goes
	// inTable repeats the heads of the columns on the pages that follow.
	inTable bool
}

func (l *layout) draw() error {
	if l.Logo != nil {
		var err error
		if l.logo, err = l.file.Image(l.Logo); err != nil {
			l.Logo = nil // a document is not held up by a broken logo
		}
	}
	l.begin()
	l.y = top
	l.drawSeller()
	l.drawAbout()
	l.drawFacts(l.Intro, left, right, 0)
	if err := l.drawItems(); err != nil {
		return err
	}
	l.drawPayment()
	l.drawNotes()
	if !l.footerFits() {
		l.y += 14
		l.drawText(&smallFace, l.Footer)
	}
	l.drawHash()
	return nil
}

// begin begins a page, with everything that all pages have.
func (l *layout) begin() {
	l.page = l.file.Page()
	l.drawWatermark()
	l.drawFooter()
}

// next begins a page that follows another.
func (l *layout) next() {
	l.begin()
	l.y = top
	smallFace.draw(l.page, left, l.y, smallFace.wrap(join(" ", l.Title, l.Number), middle-left-12, 1)[0])
	if names := smallFace.wrap(l.Seller.Name, right-middle, 1); len(names) > 0 {
		smallFace.drawRight(l.page, right, l.y, right-middle, names[0])
	}
	l.page.Line(left, l.y+6, right, l.y+6, 0.5, rule)
	l.y += 24
	if l.inTable {
		l.drawHeads()
	}
}

// need begins a page if something of that height does not fit on this one.
func (l *layout) need(height float64) {
	if l.y+height > bottom {
		l.next()
	}
}

// drawWatermark draws the marks of the document across the page.
func (l *layout) drawWatermark() {
	const sin, cos = 0.64279, 0.76604 // 40°
	if len(l.Marks) == 0 {
		return
	}
	text := plain(strings.ToUpper(l.Marks[0]))
	face := typeface{boldFont, 110, watermark}
	face = face.fit(text, 500)
	width := face.width(text)
	x, y := pageWidth/2-cos*width/2+sin*face.size/3, pageHeight/2+sin*width/2+cos*face.size/3
	for _, r := range face.runs(text) {
		l.page.Turned(x, y, sin, cos, pdf.Style{Font: r.font, Size: face.size, Color: face.color}, r.text)
		width := fonts()[r.font].Width(r.text, face.size)
		x, y = x+cos*width, y-sin*width
	}
}
