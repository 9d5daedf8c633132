package console

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// Sizes of the plot, in the units of its picture.
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

// plot is what became of the webhooks of the last days, as a picture and as a
// table.
type plot struct {
	Width, Height int
	Lines         []plotLine
	Bars          []plotBar
	// Words says what the picture shows, for those who do not see it.
	Words string
	Table tableView
}

// plotLine is a line across the plot.
type plotLine struct {
	Y    float64
	Text string
}

// plotBar is a day. Its parts stand on each other: what was delivered, what is
// still on its way, and what was given up.
type plotBar struct {
	X, Middle float64
	Text      string
	Month     string // of the first day, and where another month begins
	Title     string
	Parts     []plotPart
}

type plotPart struct {
	Y, Height float64
	Kind      string // good, wait or bad
}

// Left is where the lines begin.
func (p *plot) Left() int { return plotLeft - 8 }

// TextX is where the numbers of the lines end.
func (p *plot) TextX() int { return plotLeft - 16 }

// Base is where the bars stand.
func (p *plot) Base() int { return plotTop + plotHeight }

// DayY is where the number of a day stands.
func (p *plot) DayY() int { return p.Base() + 22 }

// MonthY is where the name of a month stands.
func (p *plot) MonthY() int { return p.Base() + 42 }

// BarWidth is how wide a bar is.
func (plotBar) BarWidth() int { return barWidth }

// fillPlot shows what became of the webhooks of the last days, if there were
// any.
func fillPlot(c *call, data *homeData) error {
	today := billing.DateOf(c.now(), time.UTC)
	first := today.AddDays(1 - service.CountedDays)
	days, err := store.EventDays(c.ctx(), c.q(), first)
	if err != nil {
		return err
	}
	counted := make(map[billing.Date]store.EventCounts, len(days))
	for _, d := range days {
		counted[d.Day] = d.EventCounts
	}
	all := make([]store.EventDay, service.CountedDays)
	for i := range all {
		day := first.AddDays(i)
		all[i] = store.EventDay{Day: day, EventCounts: counted[day]}
	}
	data.Plot = plotOf(all)
	return nil
}

// plotOf draws days, or nothing if nothing happened on them.
func plotOf(days []store.EventDay) *plot {
	var sum store.EventCounts
	most := 0
	for _, d := range days {
		most = max(most, d.Delivered+d.Waiting+d.Failed)
		sum.Delivered += d.Delivered
		sum.Failed += d.Failed
		sum.Waiting += d.Waiting
		sum.Replaced += d.Replaced
	}
	if most+sum.Replaced == 0 {
		return nil
	}
	p := &plot{Width: plotLeft + len(days)*plotStep, Words: fmt.Sprintf(
		"Webhooks recorded in the last %d days: %s delivered, %s given up, %s still in progress.", len(days), grouped(sum.Delivered), grouped(sum.Failed), grouped(sum.Waiting))}
	p.Height = p.MonthY() + 6
	top := roundUp(most)
	for _, share := range []int{0, 1, 2} {
		p.Lines = append(p.Lines, plotLine{float64(p.Base()) - float64(plotHeight*share)/2, short(top * share / 2)})
	}
	p.Table.Columns = []string{"Day (UTC)", "Delivered", "Given up", "In progress", "Replaced or canceled"}
	for i, d := range days {
		p.Bars = append(p.Bars, p.bar(i, d, top))
		on, failed := "/events?q=created%3A"+d.Day.String(), amount(d.Failed)
		if d.Failed > 0 {
			failed = failed.href(on + "&state=exhausted")
		}
		row := []cell{to(dayText(d.Day), on), amount(d.Delivered), failed, amount(d.Waiting), amount(d.Replaced)}
		p.Table.Rows = append([][]cell{row}, p.Table.Rows...) // the newest first, as lists are
	}
	return p
}

// bar draws the day at a place. top is what the highest line stands for.
func (p *plot) bar(i int, d store.EventDay, top int) plotBar {
	b := plotBar{
		X: float64(plotLeft + i*plotStep + (plotStep-barWidth)/2), Middle: float64(plotLeft + i*plotStep + plotStep/2), Text: strconv.Itoa(d.Day.Day),
		Title: fmt.Sprintf("%s: %s delivered, %s given up, %s in progress", dayText(d.Day), grouped(d.Delivered), grouped(d.Failed), grouped(d.Waiting)),
	}
	if i == 0 || d.Day.Day == 1 {
		b.Month = d.Day.Month.String()[:3]
	}
	y := float64(p.Base())
	for _, part := range []struct {
		n    int
		kind string
	}{{d.Delivered, "good"}, {d.Waiting, "wait"}, {d.Failed, "bad"}} {
		if part.n > 0 {
			height := max(leastBar, float64(plotHeight)*float64(part.n)/float64(top))
			y -= height
			b.Parts = append(b.Parts, plotPart{y, height, part.kind})
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
