package print

import (
	"strconv"

	"github.com/tenantry/tenantry/internal/print/pdf"
)

// drawFooter draws what is at the bottom of every page.
func (l *layout) drawFooter() {
	l.page.Line(left, footerTop, right, footerTop, 0.5, rule)
	y := footerTop + 12.0
	if l.footerFits() {
		for _, line := range l.Footer {
			footFace.draw(l.page, left, y, plain(line))
			y += footFace.leading()
		}
	}
	number := strconv.Itoa(l.file.Pages()) + " /"
	footFace.draw(l.page, totalAt-footFace.width(number), footerTop+12, number)
	l.page.Total()
}

// footerFits reports whether there is room for the footer on every page. One that
// is longer is printed once, at the end.
func (l *layout) footerFits() bool {
	for _, line := range l.Footer {
		if footFace.width(plain(line)) > totalAt-left-40 {
			return false
		}
	}
	return len(l.Footer) <= maxFooter
}

const (
	// maxFooter is how many lines of the footer there is room for.
	maxFooter = 4
	// totalAt is where the number of pages begins, which is not known before the
	// last one is drawn.
	totalAt = right - 14
)

func (l *layout) drawTotalPages(p *pdf.Page, pages int) {
	footFace.draw(p, totalAt+footFace.width(" "), footerTop+12, strconv.Itoa(pages))
}
