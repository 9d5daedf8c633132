package console

import (
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
