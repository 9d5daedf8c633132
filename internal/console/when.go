package console

import (
	"html/template"
	"regexp"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// There is one way to write a day and one to write a moment. A day of business,
// such as a renewal, is a day in the operator's zone and the same for every
// viewer. A moment is in the viewer's zone, which only the page knows (see
// localTimes in console.js); the server writes it in UTC.
const (
	dayLayout    = "2 Jan 2006"
	momentLayout = dayLayout + ", 15:04:05 MST"
)

func dayText(d billing.Date) string {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC).Format(dayLayout)
}

func momentText(t time.Time) string { return t.UTC().Format(momentLayout) }

// timeElement is a moment as pages show it everywhere.
func timeElement(t time.Time) template.HTML {
	text := momentText(t)
	return template.HTML(`<time datetime="` + t.UTC().Format(time.RFC3339) + `" title="` + text + `">` + text + `</time>`)
}

var momentPattern = regexp.MustCompile(`\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}, \d\d:\d\d:\d\d UTC\b|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`)

// prose is a sentence for a page, with its moments as elements: inside of
// sentences they are in the viewer's zone too.
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
			continue // there is no such day
		}
		html.WriteString(template.HTMLEscapeString(sentence[from:at[0]]) + string(timeElement(t)))
		from = at[1]
	}
	html.WriteString(template.HTMLEscapeString(sentence[from:]))
	return template.HTML(html.String())
}

func moment(t time.Time) cell { return cell{Time: t, Kind: cellTime} }

func maybeMoment(t *time.Time, none string) cell {
	if t == nil {
		return muted(none)
	}
	return moment(*t)
}

// days shows one day, or from one to another.
func days(dates ...billing.Date) cell {
	text := ""
	for i, d := range dates {
		if i > 0 {
			text += " – "
		}
		text += dayText(d)
	}
	return cell{Text: text, Kind: cellDate}
}

// happened shows when a change counts from: the moment it was made, or the day
// that brought it.
func happened(e *billing.HistoryEntry, zone *time.Location) cell {
	if e.EffectiveAt.Equal(e.At) || !billing.DateOf(e.EffectiveAt, zone).Start(zone).Equal(e.EffectiveAt) {
		return moment(e.EffectiveAt)
	}
	return days(billing.DateOf(e.EffectiveAt, zone))
}
