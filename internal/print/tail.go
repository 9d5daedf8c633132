package print

// drawPayment says how to pay.
func (l *layout) drawPayment() {
	if l.PayBy == "" && len(l.Payment) == 0 {
		return
	}
	l.y += 18
	l.need(40 + 15*float64(len(l.Payment)))
	l.heading(l.PaymentLabel)
	for _, line := range textFace.wrap(l.PayBy, right-left, maxLines) {
		textFace.draw(l.page, left, l.y, line)
		l.y += textFace.leading()
	}
	l.y += 2
	l.drawFacts(l.Payment, left, middle+60, maxLines)
}

// heading draws the heading of a part.
func (l *layout) heading(text string) {
	strongFace.draw(l.page, left, l.y, plain(text))
	l.y += 15
}

// drawNotes draws notes of any length.
func (l *layout) drawNotes() {
	if len(l.Notes) == 0 {
		return
	}
	l.y += 14
	l.need(30)
	l.heading(l.NotesLabel)
	l.drawText(&textFace, l.Notes)
}

// drawText draws paragraphs, over as many pages as they need.
func (l *layout) drawText(face *typeface, paragraphs []string) {
	for _, text := range paragraphs {
		for _, line := range face.wrap(text, right-left, 0) {
			l.need(face.leading())
			face.draw(l.page, left, l.y, line)
			l.y += face.leading()
		}
		l.y += 2
	}
}

// drawHash draws the hash of the document above the footer of its last page, where
// nothing else is.
func (l *layout) drawHash() {
	if l.Hash == nil {
		return
	}
	text := plain(l.Hash.Label + ": " + l.Hash.Value)
	face := hashFace.fit(text, right-left)
	face.draw(l.page, left, footerTop-4, text)
}
