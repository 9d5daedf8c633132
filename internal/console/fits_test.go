package console_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const (
	// zoomed is how much of a window of 1280 pixels is left at 200 %.
	zoomed = 640
	// paper is the width of A4 in pixels, without the margins that browsers leave.
	paper = 718
)

// cutOff finds what paper cannot show because one would have to scroll for it,
// and what does not belong there.
const cutOff = `[...document.querySelectorAll("body *")].filter(e => {
	const style = getComputedStyle(e);
	if (!e.clientWidth || e.closest(".hidden, .skip, .graphiql-container, svg") || e.matches("input, textarea, select")) return false;
	return style.overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1 || e.matches("button, .button, .side nav") && e.getClientRects().length > 0;
}).slice(0, 3).map(e => e.tagName + "." + e.className + " " + e.scrollWidth + ">" + e.clientWidth + " " + e.innerText.slice(0, 40))`

// fits fails the test if the open page is wider than a telephone, a zoomed window,
// a screen or paper.
func (b *browser) fits(path string) {
	b.t.Helper()
	for _, width := range []int64{390, zoomed, 1280} {
		b.size(width, false)
		if wide := eval[int](b, `document.documentElement.scrollWidth`); int64(wide) > width {
			b.t.Errorf("%s is %d wide on a screen of %d", path, wide, width)
		}
	}
	b.prints()
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > paper {
		b.t.Errorf("%s is %d wide on paper of %d", path, wide, paper)
	}
	for _, what := range eval[[]string](b, cutOff) {
		b.t.Errorf("on paper, %s has %s", path, what)
	}
	if colours := eval[string](b, `(() => { const s = getComputedStyle(document.body); return s.color + " on " + s.backgroundColor; })()`); colours != "rgb(0, 0, 0) on rgb(255, 255, 255)" {
		b.t.Errorf("on paper, %s is %s", path, colours)
	}
}

// prints shows the page as it is printed on A4, by somebody who likes it dark.
func (b *browser) prints() {
	b.t.Helper()
	b.size(paper, true)
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// mostOfAType is how many pages of the reference are opened: there is one for
// each type, all of them made alike.
const mostOfAType = 12

var documentLink = regexp.MustCompile(`href="(/docs[^"#.]*)["#]`)

// documents are the pages of the documentation that lead to one another; of the
// reference those with the most in them.
func (v *visitor) documents() (paths []string) {
	v.t.Helper()
	size := map[string]int{"/docs": 0}
	for waiting := []string{"/docs"}; len(waiting) > 0; waiting = waiting[1:] {
		page := v.wants(v.get(waiting[0]), 200)
		size[waiting[0]] = len(page.body)
		for _, match := range documentLink.FindAllStringSubmatch(page.body, -1) {
			if _, known := size[match[1]]; !known {
				size[match[1]] = 0
				waiting = append(waiting, match[1])
			}
		}
	}
	var reference []string
	for path := range size {
		if strings.HasPrefix(path, "/docs/reference/") {
			reference = append(reference, path)
		} else {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(reference, func(a, b string) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
	paths = append(paths, reference[:min(len(reference), mostOfAType)]...)
	slices.Sort(paths)
	if len(paths) < 20 {
		v.t.Errorf("the documentation has only the pages %q", paths)
	}
	return paths
}
