package console

import (
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
	Today float64
	// Words says the same as the picture, for those who do not see it.
	Words string
}

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
}

// Y is where the mark's label stands.
func (m timeMark) Y() int { return 82 + 36*m.Level }

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

// lineOf draws a subscription as it is today.
func lineOf(s *billing.Subscription, today billing.Date) *timeline {
	first, last := s.FirstDay(), s.EndDate.AddDays(1)
	if s.TermStartDate.After(first) && s.TrialStartDate == nil {
		first = s.TermStartDate // terms long gone would leave no room for this one
	}
	ended, over := s.EndedOn()
	if over {
		last = ended
	}
	from, until := earlier(first, today), later(last, today)
	also := func(d billing.Date) { from, until = earlier(from, d), later(until, d) }
	if s.TrialStartDate != nil {
		also(*s.TrialStartDate)
		also(s.StartDate)
	}
	if s.CancellationDate != nil {
		also(*s.CancellationDate)
	}
	if s.NextPriceList != nil {
		also(s.NextPriceList.On)
	}
	also(later(s.StartDate, s.TermStartDate))
	pad := max(2, from.DaysUntil(until)/12)
	from, until = from.AddDays(-pad), until.AddDays(pad)
	days := float64(from.DaysUntil(until))
	at := func(d billing.Date) float64 {
		return lineMargin + float64(from.DaysUntil(d))/days*(lineWidth-2*lineMargin)
	}
	line := &timeline{Today: at(today)}
	band := func(kind, text string, a, b billing.Date) {
		if over {
			b = earlier(b, ended)
		}
		if a.Before(first) {
			a = first
		}
		if a.Before(b) {
			line.Bands = append(line.Bands, timeBand{at(a), at(b) - at(a), kind, text})
		}
	}
	if s.TrialStartDate != nil && s.TrialEndDate != nil {
		band("trial", "Trial", *s.TrialStartDate, s.TrialEndDate.AddDays(1))
	}
	if s.State != billing.StateTrialExpired {
		band("term", "Term", later(s.StartDate, s.TermStartDate), s.EndDate.AddDays(1))
	}
	line.mark(at, "today", "Today", today)
	if s.TrialStartDate != nil {
		line.mark(at, "start", "Trial starts", *s.TrialStartDate)
		line.mark(at, "start", "Paid term starts", s.StartDate)
	} else {
		line.mark(at, "start", "Term starts", later(s.StartDate, s.TermStartDate))
	}
	switch {
	case s.CancellationDate != nil && s.State == billing.StateCanceled:
		line.mark(at, "end", "Canceled", *s.CancellationDate)
	case s.CancellationDate != nil:
		line.mark(at, "end", "Will be canceled", *s.CancellationDate)
	case s.State == billing.StateTrialExpired || s.State == billing.StateExpired:
		line.mark(at, "end", "Expired", ended)
	case s.Evergreen:
		line.mark(at, "end", "Renews", s.EndDate.AddDays(1))
	default:
		line.mark(at, "end", "Expires", s.EndDate.AddDays(1))
	}
	if s.NextPriceList != nil {
		line.mark(at, "plan", "Plan changes", s.NextPriceList.On)
	}
	return line
}

// mark adds a day, on a level where its label has room.
func (t *timeline) mark(at func(billing.Date) float64, kind, text string, d billing.Date) {
	m := timeMark{X: at(d), TextX: at(d), Text: text, Date: dayText(d), Kind: kind, Anchor: "middle"}
	const half = 70 // of a label's width
	switch {
	case m.X < half:
		m.Anchor, m.TextX = "start", 4
	case m.X > lineWidth-half:
		m.Anchor, m.TextX = "end", lineWidth-4
	}
	for taken := true; taken; {
		taken = false
		for _, other := range t.Marks {
			if other.Level == m.Level && other.TextX-m.TextX < 2*half && m.TextX-other.TextX < 2*half {
				m.Level++
				taken = true
			}
		}
	}
	t.Marks = append(t.Marks, m)
	if t.Words != "" {
		t.Words += ", "
	}
	t.Words += text + " " + dayText(d)
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
