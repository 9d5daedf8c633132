package ui

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
)

// Sizes of the time line, in the units of its picture.
const (
	TimelineWidth  = 1000
	timelineMargin = 40
)

// Timeline is a picture of periods and of days on one line.
type Timeline struct {
	Bands []timeBand
	Marks []timeMark
	// Words is the picture as text, for screen readers.
	Words string
	// Days are the marks by date, for screens too narrow for the picture.
	Days []TimelineDay
}

// TimelineDay is a mark as a line of a list.
type TimelineDay struct{ Kind, Date, Text string }

// timeBand is a period in the picture.
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
func (t *Timeline) Height() int {
	height := 110
	for _, m := range t.Marks {
		height = max(height, m.DateY()+10)
	}
	return height
}

// Period is a range of days; To is the first day after it. Kind is its style:
// trial, term or gone.
type Period struct {
	Kind, Text string
	From, To   billing.Date
}

// Milestone is a day to be marked. Kind is its style: today, start, end or plan.
type Milestone struct {
	Kind, Text string
	On         billing.Date
}

// NewTimeline draws periods and milestones, of which there is at least one.
func NewTimeline(bands []Period, marks []Milestone) *Timeline {
	var dates []billing.Date
	for _, m := range marks {
		dates = append(dates, m.On)
	}
	for _, b := range bands {
		dates = append(dates, b.From, b.To)
	}
	from, until := slices.MinFunc(dates, billing.Date.Compare), slices.MaxFunc(dates, billing.Date.Compare)
	pad := max(2, from.DaysUntil(until)/12)
	from, until = from.AddDays(-pad), until.AddDays(pad)
	days := float64(from.DaysUntil(until))
	at := func(d billing.Date) float64 {
		return timelineMargin + float64(from.DaysUntil(d))/days*(TimelineWidth-2*timelineMargin)
	}
	line := &Timeline{}
	for _, b := range bands {
		if b.From.Before(b.To) {
			line.Bands = append(line.Bands, timeBand{at(b.From), at(b.To) - at(b.From), b.Kind, b.Text})
		}
	}
	for _, m := range marks {
		line.mark(at(m.On), m)
	}
	slices.SortStableFunc(marks, func(a, b Milestone) int { return a.On.Compare(b.On) })
	for _, m := range marks {
		line.Days = append(line.Days, TimelineDay{m.Kind, DayText(m.On), m.Text})
	}
	return line
}

// mark adds a day, on a level where its label has room.
func (t *Timeline) mark(x float64, d Milestone) {
	m := timeMark{X: x, TextX: x, Text: d.Text, Date: DayText(d.On), Kind: d.Kind, Anchor: "middle"}
	half := max(70, 4*float64(len(m.Text))) // of the label's width
	m.from, m.to = x-half, x+half
	switch {
	case m.from < 0:
		m.Anchor, m.TextX, m.from, m.to = "start", 4, 0, 2*half
	case m.to > TimelineWidth:
		m.Anchor, m.TextX, m.from, m.to = "end", TimelineWidth-4, TimelineWidth-2*half, TimelineWidth
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
