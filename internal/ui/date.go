package ui

import (
	"html/template"
	"regexp"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// A business date, such as a renewal, is a day in the operator's zone and the
// same for every viewer. A time is shown in the viewer's zone, which only the
// browser knows (see localTimes in ui.js); the server writes it in UTC.
const (
	dayLayout    = "2 Jan 2006"
	momentLayout = dayLayout + ", 15:04:05 MST"
)

// DayText writes a date.
func DayText(d billing.Date) string {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Format(dayLayout)
}

// MomentText writes a time in UTC. prose recognizes it.
func MomentText(t time.Time) string { return t.UTC().Format(momentLayout) }

// timeElement is a time as HTML, for the browser to convert to its zone.
func timeElement(t time.Time) template.HTML {
	text := MomentText(t)
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `" title="` + text + `">` + text + `</time>`)
}

var momentPattern = regexp.MustCompile(`\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}, \d\d:\d\d:\d\d UTC\b|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`)

// prose is a sentence as HTML. Times in it are elements, so that they are shown
// in the viewer's zone too.
func prose(sentence string) template.HTML {
	var html strings.Builder
	from := 0
	for _, at := range momentPattern.FindAllStringIndex(sentence, -1) {
		text := sentence[at[0]:at[1]]
		t, err := time.Parse(momentLayout, text)
		if err != nil {
			t, err = time.Parse(time.RFC3339, text)
		}
		if err != nil {
			continue // no such date
		}
		html.WriteString(template.HTMLEscapeString(sentence[from:at[0]]) + string(timeElement(t)))
		from = at[1]
	}
	html.WriteString(template.HTMLEscapeString(sentence[from:]))
	return template.HTML(html.String())
}
