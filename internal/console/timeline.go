package console

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// Sizes of the time line, in the units of its picture.
const (
	lineWidth  = 1000
	lineMargin = 40
)

// timeline is a subscription's dates as a picture.
type timeline struct {
	Bands []timeBand
	Marks []timeMark
	// Words says the same as the picture, for those who do not see it.
	Words string
	// Days are the marks in the order of their days, where the picture has no
	// room.
	Days []timeDay
}

// timeDay is a mark as a line of a list.
type timeDay struct{ Kind, Date, Text string }

// timeBand is a stretch of time.
type timeBand struct {
	X, Width float64
	Kind     string // trial, term or gone
	Text     string
}

// timeMark is a day on the line. Level keeps the labels of days that are close
// from covering each other.
type timeMark struct {
	X      float64
	Text   string
	Date   string
	Level  int
	Anchor string // start, middle or end
	Kind   string
	TextX  float64
	// from and to are the ends of the label.
	from, to float64
	// down is the level that its line goes to: another mark of the day may have
	// one already.
	down int
}

// Y is where the mark's label stands.
func (m timeMark) Y() int { return 82 + 36*m.Level }

// LineY is how far down its line goes.
func (m timeMark) LineY() int { return 82 + 36*m.down }

// DateY is where its date stands.
func (m timeMark) DateY() int { return m.Y() + 15 }

// Height is how high the picture must be.
func (t *timeline) Height() int {
	height := 110
	for _, m := range t.Marks {
		height = max(height, m.DateY()+10)
	}
	return height
}

// lineOf draws a subscription as it is today, with what is scheduled for it. It
// shows what will happen: no term that a cancellation or the end of a trial
// keeps from coming, and no renewal after them.
func lineOf(s *billing.Subscription, today billing.Date, scheduled []scheduledItem) *timeline {
	var bands []dayBand
	marks := []dayMark{{"today", "Today", today}}
	ended, over := s.EndedOn()
	if s.TrialStartDate != nil && s.TrialEndDate != nil {
		end := s.TrialEndDate.AddDays(1)
		switch c := s.CancellationDate; {
		case over:
			end = earlier(end, ended)
		case c != nil:
			end = earlier(end, *c)
		}
		bands = append(bands, dayBand{"trial", "Trial", *s.TrialStartDate, end})
		marks = append(marks, dayMark{"start", "Trial starts", *s.TrialStartDate})
	}
	first, last, paid := s.PaidTerm()
	if paid {
		bands = append(bands, dayBand{"term", "Term", first, last.AddDays(1)})
		word := "Term starts"
		if first == s.StartDate && s.TrialStartDate != nil {
			word = "Paid term starts"
		}
		marks = append(marks, dayMark{"start", word, first})
	}
	marks = append(marks, endMark(s, paid))
	for _, item := range scheduled {
		if item.Kind != billing.ScheduledCancellation && !item.Moot {
			marks = append(marks, dayMark{"plan", item.Short, item.On})
		}
	}
	return drawLine(bands, marks)
}

// endMark says how the trial or the term ends.
func endMark(s *billing.Subscription, paid bool) dayMark {
	ended, over := s.EndedOn()
	switch c := s.CancellationDate; {
	case over && s.State == billing.StateCanceled:
		return dayMark{"end", "Ended", ended}
	case over:
		return dayMark{"end", "Expired", ended}
	case c != nil:
		return dayMark{"end", "Ends", *c}
	case !paid:
		return dayMark{"end", "Expires with its trial", s.TermEnd()}
	case s.Evergreen:
		return dayMark{"end", "Renews", s.EndDate.AddDays(1)}
	}
	return dayMark{"end", "Expires", s.EndDate.AddDays(1)}
}

// dayBand is a band by its days, the last of which does not belong to it.
type dayBand struct {
	kind, text string
	from, to   billing.Date
}

// dayMark is a mark by its day.
type dayMark struct {
	kind, text string
	on         billing.Date
}

// drawLine puts bands and marks on a line that has room for all of them.
func drawLine(bands []dayBand, marks []dayMark) *timeline {
	from, until := marks[0].on, marks[0].on
	also := func(d billing.Date) { from, until = earlier(from, d), later(until, d) }
	for _, m := range marks {
		also(m.on)
	}
	for _, b := range bands {
		also(b.from)
		also(b.to)
	}
	pad := max(2, from.DaysUntil(until)/12)
	from, until = from.AddDays(-pad), until.AddDays(pad)
	days := float64(from.DaysUntil(until))
	at := func(d billing.Date) float64 {
		return lineMargin + float64(from.DaysUntil(d))/days*(lineWidth-2*lineMargin)
	}
	line := &timeline{}
	for _, b := range bands {
		if b.from.Before(b.to) {
			line.Bands = append(line.Bands, timeBand{at(b.from), at(b.to) - at(b.from), b.kind, b.text})
		}
	}
	for _, m := range marks {
		line.mark(at(m.on), m)
	}
	slices.SortStableFunc(marks, func(a, b dayMark) int { return a.on.Compare(b.on) })
	for _, m := range marks {
		line.Days = append(line.Days, timeDay{m.kind, dayText(m.on), m.text})
	}
	return line
}

// mark adds a day, on a level where its label has room.
func (t *timeline) mark(x float64, d dayMark) {
	m := timeMark{X: x, TextX: x, Text: d.text, Date: dayText(d.on), Kind: d.kind, Anchor: "middle"}
	half := max(70, 4*float64(len(m.Text))) // of the label's width
	m.from, m.to = x-half, x+half
	switch {
	case m.from < 0:
		m.Anchor, m.TextX, m.from, m.to = "start", 4, 0, 2*half
	case m.to > lineWidth:
		m.Anchor, m.TextX, m.from, m.to = "end", lineWidth-4, lineWidth-2*half, lineWidth
	}
	for taken := true; taken; {
		taken = false
		for _, other := range t.Marks {
			if other.Level == m.Level && other.from < m.to && m.from < other.to {
				m.Level++
				taken = true
			}
		}
	}
	m.down = m.Level
	for _, other := range t.Marks {
		if other.X == m.X {
			m.down = min(m.down, other.down)
		}
	}
	t.Marks = append(t.Marks, m)
	if t.Words != "" {
		t.Words += ", "
	}
	t.Words += m.Text + " " + m.Date
}

func earlier(a, b billing.Date) billing.Date {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b billing.Date) billing.Date {
	if b.After(a) {
		return b
	}
	return a
}
