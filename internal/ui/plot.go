package ui

import (
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
)

// Sizes of a plot, in the units of its picture.
const (
	plotLeft   = 66
	plotTop    = 14
	plotHeight = 120
	plotStep   = 44 // from one day to the next
	barWidth   = 26
	// leastBar is how high the smallest bar is: one failure among thousands
	// must be seen.
	leastBar = 3
)

// Plot shows counts by day, as stacked bars and as a table.
type Plot struct {
	Title  string
	Series []PlotSeries
	// Words is the picture as text, for screen readers.
	Words string
	Table Table

	Width, Height int
	Lines         []plotLine
	Bars          []plotBar
}

// PlotSeries is what the bars of a plot count. Kind is its style: good, wait or
// bad.
type PlotSeries struct{ Name, Kind string }

// PlotDay is a day to be plotted, with a count for each series, from the bottom
// to the top of its bar. Title is shown for the bar.
type PlotDay struct {
	Day    billing.Date
	Title  string
	Counts []int
}

// plotLine is a line across the plot.
type plotLine struct {
	Y    float64
	Text string
}

// plotBar is the bar of a day. Its parts are stacked.
type plotBar struct {
	X, Middle float64
	Text      string
	Month     string // of the first day, and where another month begins
	Title     string
	Parts     []plotPart
}

type plotPart struct {
	Y, Height float64
	Kind      string
}

// Left is where the lines begin.
func (p *Plot) Left() int { return plotLeft - 8 }

// TextX is where the numbers of the lines end.
func (p *Plot) TextX() int { return plotLeft - 16 }

// Base is where the bars stand.
func (p *Plot) Base() int { return plotTop + plotHeight }

// DayY is where the number of a day stands.
func (p *Plot) DayY() int { return p.Base() + 22 }

// MonthY is where the name of a month stands.
func (p *Plot) MonthY() int { return p.Base() + 42 }

// BarWidth is how wide a bar is.
func (plotBar) BarWidth() int { return barWidth }

// NewPlot draws days. Title, words and table are for the caller to add.
func NewPlot(series []PlotSeries, days []PlotDay) *Plot {
	p := &Plot{Series: series, Width: plotLeft + len(days)*plotStep}
	p.Height = p.MonthY() + 6
	most := 0
	for _, d := range days {
		sum := 0
		for _, n := range d.Counts {
			sum += n
		}
		most = max(most, sum)
	}
	top := roundUp(most)
	for _, share := range []int{0, 1, 2} {
		p.Lines = append(p.Lines, plotLine{float64(p.Base()) - float64(plotHeight*share)/2, short(top * share / 2)})
	}
	for i, d := range days {
		p.Bars = append(p.Bars, p.bar(i, d, top))
	}
	return p
}

// bar draws the i-th day. top is the count of the highest line.
func (p *Plot) bar(i int, d PlotDay, top int) plotBar {
	b := plotBar{
		X: float64(plotLeft + i*plotStep + (plotStep-barWidth)/2), Middle: float64(plotLeft + i*plotStep + plotStep/2),
		Text: strconv.Itoa(d.Day.Day), Title: d.Title,
	}
	if i == 0 || d.Day.Day == 1 {
		b.Month = d.Day.Month.String()[:3]
	}
	y := float64(p.Base())
	for s, n := range d.Counts {
		if n > 0 {
			height := max(leastBar, float64(plotHeight)*float64(n)/float64(top))
			y -= height
			b.Parts = append(b.Parts, plotPart{y, height, p.Series[s].Kind})
		}
	}
	return b
}

// roundUp is the next number that is good to read on an axis, even and at least
// 2, so that its half is whole too.
func roundUp(n int) int {
	for step := 1; ; step *= 10 {
		for _, digit := range []int{2, 4, 6, 10} {
			if digit*step >= n {
				return digit * step
			}
		}
	}
}

// short writes a number for an axis.
func short(n int) string {
	switch {
	case n >= 1_000_000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', -1, 64) + "M"
	case n >= 1000:
		return strconv.FormatFloat(float64(n)/1e3, 'f', -1, 64) + "k"
	}
	return strconv.Itoa(n)
}
