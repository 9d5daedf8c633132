package print

import "strings"

// The widths of the columns with numbers, by their class; the first has the rest.
var widths = map[string]float64{"quantity": 60, "price": 68, "rate": 42, "amount": 84}

const (
	padding = 6.0
	// maxText and maxDetail are how many lines an item has at most, so that it fits
	// on a page.
	maxText, maxDetail = 30, 20
)

// measured is a row that was broken into lines.
type measured struct {
	row
	text, detail []string
	height       float64
}

// measure breaks a row into lines.
func (l *layout) measure(r row) *measured {
	width := right - left - 2*padding
	for _, c := range l.Columns[1:] {
		width -= widths[c.Class]
	}
	m := &measured{row: r, text: itemFace.wrap(r.Text, width, maxText), detail: smallFace.wrap(r.Detail, width, maxDetail)}
	for n := range m.detail {
		m.detail[n] = strings.TrimSuffix(m.detail[n], " ·")
	}
	first := float64(max(1, len(m.text))) * itemFace.leading()
	m.height = first + float64(len(m.detail))*smallFace.leading() + 9
	return m
}

// drawItems draws the items and the totals. The last item stays with the totals,
// so each is held back until the next one is known.
func (l *layout) drawItems() error {
	l.y += 10
	l.need(80)
	l.drawHeads()
	l.inTable = true
	var held *measured
	for r, err := range l.Rows {
		if err != nil {
			return err
		}
		if held != nil {
			l.need(held.height)
			l.drawRow(held)
		}
		held = l.measure(r)
	}
	rest := l.totalsHeight()
	if held != nil {
		l.need(held.height + min(rest, bottom-top-100-held.height))
		l.drawRow(held)
	}
	l.inTable = false
	if held == nil {
		l.need(rest)
	}
	l.drawTotals()
	return nil
}

// drawHeads draws the heads of the columns.
func (l *layout) drawHeads() {
	l.page.Fill(left, l.y-11, right-left, 17, tint)
	x := right
	for n := len(l.Columns) - 1; n > 0; n-- {
		c := l.Columns[n]
		headFace.drawRight(l.page, x-padding, l.y, widths[c.Class]-padding, plain(c.Name))
		x -= widths[c.Class]
	}
	headFace.draw(l.page, left+padding, l.y, plain(l.Columns[0].Name))
	l.y += 19
}

func (l *layout) drawRow(m *measured) {
	x := right
	for n := len(m.Numbers) - 1; n >= 0; n-- {
		width := widths[l.Columns[n+1].Class]
		itemFace.drawRight(l.page, x-padding, l.y, width-padding, plain(m.Numbers[n]))
		x -= width
	}
	y := l.y
	for _, line := range m.text {
		itemFace.draw(l.page, left+padding, y, line)
		y += itemFace.leading()
	}
	if len(m.text) == 0 {
		y += itemFace.leading()
	}
	for _, line := range m.detail {
		smallFace.draw(l.page, left+padding, y, line)
		y += smallFace.leading()
	}
	end := l.y + m.height - 9
	l.page.Line(left, end-4, right, end-4, 0.5, rule)
	l.y += m.height
}

// totalsLeft is where the totals begin.
const totalsLeft = 290.0

// totalsHeight is how tall the totals are.
func (l *layout) totalsHeight() float64 {
	height := 0.0
	for n := range l.Totals {
		height += l.Totals[n].height()
	}
	return height
}

// noteLines are the lines of the note of a total.
func (t *total) noteLines() []string {
	return smallFace.wrap(t.Note, right-totalsLeft-padding, maxLines)
}

func (t *total) height() float64 {
	if t.Sum {
		return 26
	}
	return 17 + float64(len(t.noteLines()))*smallFace.leading()
}

func (l *layout) drawTotals() {
	for n := range l.Totals {
		t := &l.Totals[n]
		l.need(t.height())
		face, y := &itemFace, l.y+3
		if t.Sum {
			face, y = &sumFace, l.y+8
			l.page.Line(totalsLeft, l.y-7, right, l.y-7, 0.8, ink)
		}
		amount := plain(t.Amount)
		const most = 150.0
		face.drawRight(l.page, right-padding, y, most, amount)
		label := face.wrap(t.Label, right-totalsLeft-2*padding-min(most, face.width(amount))-6, 1)
		for _, line := range label {
			face.draw(l.page, totalsLeft+padding, y, line)
		}
		for n, line := range t.noteLines() {
			smallFace.draw(l.page, totalsLeft+padding, y+float64(n+1)*smallFace.leading(), line)
		}
		l.y += t.height()
	}
}
