package ui

import "github.com/tenantry/tenantry/internal/billing"

// Sizes of a DayBars picture.
const (
	dayBarsWidth = 1000
	dayBarsBase  = 96
	dayBarsHigh  = 64
	dayBarsLabel = 96 // how much room a date or an amount needs
	// dayBarsLetter is half of what a letter takes where letters are largest, on a
	// phone.
	dayBarsLetter = 7.2
)

// DayBars is a picture of a period in which each day has a value: one bar for each
// run of days of the same value, as high as the value.
type DayBars struct {
	Bars []dayBar
	// Marks are the days at which bars begin and end, as far as they have room.
	Marks []dayMark
	// Words is the picture as text, for screen readers.
	Words string
}

type dayBar struct {
	X, Y, Width, Height float64
	Kind, Text, Title   string
	TextX               float64 // the middle of the text
}

type dayMark struct {
	X      float64
	Text   string
	Anchor string
}

// DayRun is a run of days of the same value. Height is relative to that of the
// others. Kind is its style: this for the days that the picture is about, or other.
type DayRun struct {
	Kind, Text, Title string
	From, To          billing.Date // To is the last day
	Height            float64
}

// NewDayBars draws runs of days in a period, in order.
func NewDayBars(first, last billing.Date, runs []DayRun) *DayBars {
	days := float64(first.DaysUntil(last) + 1)
	at := func(d billing.Date) float64 { return float64(first.DaysUntil(d)) / days * dayBarsWidth }
	highest := 0.0
	for _, r := range runs {
		highest = max(highest, r.Height)
	}
	p := &DayBars{Marks: []dayMark{{0, DayText(first), "start"}}}
	free := float64(dayBarsLabel)
	for _, r := range runs {
		height := 2.0
		if highest > 0 {
			height = max(2, r.Height/highest*dayBarsHigh)
		}
		x, end := at(r.From), at(r.To.AddDays(1))
		b := dayBar{X: x, Y: dayBarsBase - height, Width: end - x, Height: height, Kind: r.Kind, Title: r.Title}
		if b.Width >= dayBarsLabel {
			half := dayBarsLetter * float64(len(r.Text))
			b.Text, b.TextX = r.Text, min(max(half, x+b.Width/2), dayBarsWidth-half)
		}
		p.Bars = append(p.Bars, b)
		if r.From != first && x-dayBarsLabel/2 > free && x+dayBarsLabel/2 < dayBarsWidth-dayBarsLabel {
			p.Marks = append(p.Marks, dayMark{x, DayText(r.From), "middle"})
			free = x + dayBarsLabel/2
		}
		if p.Words != "" {
			p.Words += "; "
		}
		p.Words += r.Title
	}
	p.Marks = append(p.Marks, dayMark{dayBarsWidth, DayText(last), "end"})
	return p
}
