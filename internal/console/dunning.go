package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/store"
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
	add := func(on billing.Date, s dunning.Step, state ui.Cell) {
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Days(on), ui.Plain(actionWord(s.Action)), ui.Muted(dayWord(s.Day)), state})
	}
	mails, err := reminders(c, i)
	if err != nil {
		return b, err
	}
	for _, s := range d.Steps {
		add(s.On, s.Step, mails.carried(&s))
	}
	had, err := standingOfInvoice(c, i)
	if err != nil {
		return b, err
	}
	for _, s := range d.Upcoming {
		add(s.Day, s.Step, ui.Plain(aheadWords(s.Step.Action, had)))
	}
	if d.State.HoldUntil != (billing.Date{}) {
		b.Note = "Steps wait until " + ui.DayText(d.State.HoldUntil) + ": " + d.State.HoldReason
		return b, nil
	}
	b.Note, err = pastDueNote(c, i, &d.Record)
	return b, err
}

// standingOfInvoice is the standing that all running subscriptions of an invoice have at
// least, for whatever invoice; good if none runs.
func standingOfInvoice(c *call, i *document.Invoice) (billing.Standing, error) {
	ids, err := store.SubscriptionsOfInvoices(c.ctx(), c.q(), []billing.InvoiceID{i.ID})
	if err != nil {
		return billing.Good, err
	}
	subs, err := store.Subscriptions.ByIDs(c.ctx(), c.q(), ids)
	var least *billing.Standing
	for n := range subs {
		if s := &subs[n]; s.State.Live() && (least == nil || least.Worse(s.Standing)) {
			least = &s.Standing
		}
	}
	if least == nil {
		return billing.Good, err
	}
	return *least, err
}

// aheadWords say that a step is to come, and that it takes away nothing more if another
// invoice has done so before. had is the standing of the subscriptions.
func aheadWords(a dunning.Action, had billing.Standing) string {
	switch {
	case a == dunning.Suspend && had == billing.Suspended:
		return "to come, if it stays unpaid; suspended already"
	case a == dunning.Restrict && !had.HasAllFeatures():
		return "to come, if it stays unpaid; " + standingWord(had) + " already"
	}
	return "to come, if it stays unpaid"
}

// pastDueNote says from when on an invoice that is overdue by its date counts as past due:
// what a policy does on a day begins at the time of day of the entity.
func pastDueNote(c *call, i *document.Invoice, r *dunning.Record) (string, error) {
	today, err := c.today(i.TestClockID)
	if err != nil {
		return "", err
	}
	first := i.DueAt
	if r.State.Restarted.After(first) {
		first = r.State.Restarted
	}
	looked := r.Next == (billing.Date{}) || r.Next.After(today)
	if r.Standing != billing.Good || looked || !first.Before(today) || i.Kind != document.SubscriptionInvoice {
		return "", nil
	}
	e, err := store.Entities.Get(c.ctx(), c.q(), i.EntityID)
	if err != nil || e == nil {
		return "", err
	}
	return "It counts as past due from " + e.CollectionTime + " on today, when the steps of a day are carried out.", nil
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
