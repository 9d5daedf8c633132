package print

import "strings"

// Fields of the head have at most so many lines, so that it fits on a page
// whatever is in them.
const maxLines = 3

// drawSeller draws the logo, or else the name, and beside it the address.
func (l *layout) drawSeller() {
	y := l.y
	if l.Logo != nil {
		const widest, tallest = 160.0, 51.0
		width, height := float64(l.Logo.Width), float64(l.Logo.Height)
		scale := min(widest/width, tallest/height, 0.75) // no larger than on a screen
		l.page.Image(left, y-8, width*scale, height*scale, l.logo)
		y += height*scale + 8
	} else {
		for _, line := range nameFace.wrap(l.Seller.Name, middle-left-20, maxLines) {
			nameFace.draw(l.page, left, y+5, line)
			y += nameFace.leading()
		}
	}
	address := l.y
	if l.Logo != nil {
		address = l.column(&strongFace, l.Seller.Name, address)
	}
	for _, line := range l.Seller.Lines {
		address = l.column(&smallFace, line, address)
	}
	l.y = max(y, address) + 22
}

// column draws a text in the right column of the head.
func (l *layout) column(face *typeface, text string, y float64) float64 {
	for _, line := range face.wrap(text, right-middle, maxLines) {
		face.draw(l.page, middle, y, line)
		y += face.leading()
	}
	return y
}

// drawAbout draws the buyer, and beside it the title and the facts.
func (l *layout) drawAbout() {
	start := l.y
	labelFace.draw(l.page, left, l.y, plain(l.BuyerLabel))
	l.y += 15
	for n, text := range append([]string{l.Buyer.Name}, l.Buyer.Lines...) {
		face := &textFace
		if n == 0 {
			face = &strongFace
		}
		for _, line := range face.wrap(text, middle-left-30, maxLines) {
			face.draw(l.page, left, l.y, line)
			l.y += face.leading()
		}
	}
	end := l.y
	l.y = start
	l.drawMarks()
	title := titleFace.fit(l.Title, right-middle)
	title.draw(l.page, middle, l.y+6, l.Title)
	l.y += 26
	l.drawFacts(l.Facts, middle, right, maxLines)
	l.y = max(l.y, end) + 16
}

// drawMarks draws the marks above the title.
func (l *layout) drawMarks() {
	if len(l.Marks) == 0 {
		return
	}
	x := middle
	for _, text := range l.Marks {
		text = plain(strings.ToUpper(text))
		width := markFace.width(text) + 12
		l.page.Fill(x, l.y-10, width, 14, mark)
		markFace.draw(l.page, x+6, l.y, text)
		x += width + 6
	}
	l.y += 24
}

// drawFacts draws values beside their labels, each of at most so many lines.
func (l *layout) drawFacts(facts []fact, from, to float64, most int) {
	if len(facts) == 0 {
		return
	}
	indent := 0.0
	for _, f := range facts {
		indent = max(indent, labelFace.width(plain(f.Label)))
	}
	indent = min(indent+14, (to-from)/2)
	for _, f := range facts {
		label := labelFace.wrap(f.Label, indent-6, maxLines)
		value := textFace.wrap(f.Value, to-from-indent, most)
		for n := range max(len(label), len(value)) {
			l.need(textFace.leading())
			if n < len(label) {
				labelFace.draw(l.page, from, l.y, label[n])
			}
			if n < len(value) {
				textFace.draw(l.page, from+indent, l.y, value[n])
			}
			l.y += textFace.leading() + 0.6
		}
	}
	l.y += 4
}
