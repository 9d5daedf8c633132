package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/ui"
)

// dunningBlock is what happened while an invoice was unpaid, and what is to come.
func dunningBlock(c *call, i *document.Invoice) (ui.Block, error) {
	b := ui.Block{Title: "Dunning", Table: ui.Table{Columns: []string{"Day", "Step", "Counted from the due date", "State"}}, Empty: "No dunning policy counts for this invoice."}
	of, err := c.service.Invoicing.DunningOf(c.ctx(), []document.Invoice{*i})
	if err != nil || of[i.ID] == nil {
		return b, err
	}
	d := of[i.ID]
	b.Empty = "No steps."
	add := func(on billing.Date, s dunning.Step, state string) {
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Days(on), ui.Plain(actionWord(s.Action)), ui.Muted(dayWord(s.Day)), ui.Plain(state)})
	}
	for _, s := range d.Steps {
		add(s.On, s.Step, "done")
	}
	for _, s := range d.Upcoming {
		add(s.Day, s.Step, "to come, if it stays unpaid")
	}
	if d.State.HoldUntil != (billing.Date{}) {
		b.Note = "Steps wait until " + ui.DayText(d.State.HoldUntil) + ": " + d.State.HoldReason
	}
	return b, nil
}

// standingWord is a standing for people.
func standingWord(s billing.Standing) string {
	words := map[billing.Standing]string{billing.PastDue: "past due", billing.Restricted: "restricted", billing.Suspended: "suspended"}
	if word := words[s]; word != "" {
		return word
	}
	return "good"
}

// pausesCell has the days that are not billed because of suspensions, the last ones.
func pausesCell(pauses ledger.Pauses) ui.Cell {
	last := pauses[len(pauses)-1]
	cell := ui.Days(last.From, last.To)
	if last.To == (billing.Date{}) {
		cell = ui.Plain("since " + ui.DayText(last.From))
	}
	if earlier := len(pauses) - 1; earlier > 0 {
		return cell.WithSub("suspended; " + ui.Plural(earlier, "time", "times") + " before")
	}
	return cell.WithSub("suspended")
}
