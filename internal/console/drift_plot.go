package console

import (
	"fmt"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/ui"
)

const (
	// plottedReports is how many reports are looked at to draw the last days: those of
	// an application that reports every half hour.
	plottedReports = 700
	plottedDays    = 14
)

// driftDay is the full report of a day in which most tenants differ.
type driftDay struct {
	day             billing.Date
	differ, missing int
	behind, inSync  int
}

// worstOfDays are the days of some reports, the newest first, with the worst of each.
func worstOfDays(reports []drift.FullReport) (days []driftDay) {
	for n := range reports {
		r := &reports[n]
		if r.CompletedAt == nil {
			continue
		}
		d := driftDay{
			day: billing.DateOf(r.BegunAt, time.UTC), differ: r.Outcomes[drift.Drifted] + r.Outcomes[drift.Ahead], missing: r.Outcomes[drift.Missing],
			behind: r.Outcomes[drift.Behind], inSync: r.Outcomes[drift.InSync],
		}
		last := len(days) - 1
		switch {
		case last < 0 || days[last].day != d.day:
			if len(days) == plottedDays {
				return days
			}
			days = append(days, d)
		case d.worse(&days[last]):
			days[last] = d
		}
	}
	return days
}

func (d *driftDay) worse(than *driftDay) bool {
	if mine, other := d.differ+d.missing, than.differ+than.missing; mine != other {
		return mine > other
	}
	return d.behind > than.behind
}

// driftPlot draws how many tenants differed on the last days; nil if none did.
func driftPlot(reports []drift.FullReport) *ui.Plot {
	days := worstOfDays(reports)
	if !slices.ContainsFunc(days, func(d driftDay) bool { return d.differ+d.missing+d.behind > 0 }) {
		return nil
	}
	byDay := map[billing.Date]*driftDay{}
	for n := range days {
		byDay[days[n].day] = &days[n]
	}
	bars := make([]ui.PlotDay, plottedDays)
	for n := range bars {
		bars[n] = ui.PlotDay{Day: days[0].day.AddDays(n + 1 - plottedDays), Counts: []int{0, 0}}
		text := "no full report"
		if d := byDay[bars[n].Day]; d != nil {
			bars[n].Counts = []int{d.behind, d.differ + d.missing}
			text = fmt.Sprintf("%s differ, %s missing, %s behind", ui.Grouped(d.differ), ui.Grouped(d.missing), ui.Grouped(d.behind))
		}
		bars[n].Title = ui.DayText(bars[n].Day) + ": " + text
	}
	p := ui.NewPlot([]ui.PlotSeries{{Name: "Behind", Kind: "wait"}, {Name: "Differ or missing", Kind: "bad"}}, bars)
	p.Title = "Tenants that differ, by the day of the report"
	p.Words = "On each day, the full report in which most tenants differ."
	p.Table.Columns = []string{"Day (UTC)", "Differ", "Missing there", "Behind", "In sync"}
	for n := range days {
		d := &days[n]
		p.Table.Rows = append(p.Table.Rows, []ui.Cell{ui.Plain(ui.DayText(d.day)), ui.Number(d.differ), ui.Number(d.missing), ui.Number(d.behind), ui.Number(d.inSync)})
	}
	return p
}
