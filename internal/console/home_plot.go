package console

import (
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/ui"
)

// fillPlot shows what became of the webhooks of the last days, if there were
// any.
func fillPlot(c *call, data *homeData) error {
	today := billing.DateOf(c.now(), time.UTC)
	first := today.AddDays(1 - delivery.CountedDays)
	days, err := log.EventDays(c.ctx(), c.q(), first)
	if err != nil {
		return err
	}
	counted := make(map[billing.Date]log.EventCounts, len(days))
	for _, d := range days {
		counted[d.Day] = d.EventCounts
	}
	all := make([]log.EventDay, delivery.CountedDays)
	for i := range all {
		day := first.AddDays(i)
		all[i] = log.EventDay{Day: day, EventCounts: counted[day]}
	}
	data.Plot = plotOf(all)
	return nil
}

// plotOf draws days, or nothing if nothing happened on them.
func plotOf(days []log.EventDay) *ui.Plot {
	var sum log.EventCounts
	bars := make([]ui.PlotDay, len(days))
	for i, d := range days {
		sum.Delivered += d.Delivered
		sum.Failed += d.Failed
		sum.Waiting += d.Waiting
		sum.Replaced += d.Replaced
		bars[i] = ui.PlotDay{
			Day: d.Day, Counts: []int{d.Delivered, d.Waiting, d.Failed},
			Title: fmt.Sprintf("%s: %s delivered, %s given up, %s in progress", ui.DayText(d.Day), ui.Grouped(d.Delivered), ui.Grouped(d.Failed), ui.Grouped(d.Waiting)),
		}
	}
	if sum == (log.EventCounts{}) {
		return nil
	}
	p := ui.NewPlot([]ui.PlotSeries{{Name: "Delivered", Kind: "good"}, {Name: "In progress", Kind: "wait"}, {Name: "Given up", Kind: "bad"}}, bars)
	p.Title = "Webhooks by the day they were recorded"
	p.Words = fmt.Sprintf("Webhooks recorded in the last %d days: %s delivered, %s given up, %s still in progress.", len(days), ui.Grouped(sum.Delivered), ui.Grouped(sum.Failed), ui.Grouped(sum.Waiting))
	p.Table.Columns = []string{"Day (UTC)", "Delivered", "Given up", "In progress", "Replaced or canceled"}
	for _, d := range days {
		on, failed := "/events?q=created%3A"+d.Day.String(), ui.Number(d.Failed)
		if d.Failed > 0 {
			failed = failed.WithHref(on + "&state=exhausted")
		}
		row := []ui.Cell{ui.Linked(ui.DayText(d.Day), on), ui.Number(d.Delivered), failed, ui.Number(d.Waiting), ui.Number(d.Replaced)}
		p.Table.Rows = append([][]ui.Cell{row}, p.Table.Rows...) // the newest first, as lists are
	}
	return p
}
