package console

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// deedDone is an action that was done: to whom, and what was there before and
// is there now.
type deedDone struct {
	customer, plan string
	before, now    *subscription.Subscription
	order          *order
	today          billing.Date
}

// saidOf are the sentences that say what an action has done.
var saidOf = map[string]func(deedDone) string{
	"new":        saidNew,
	"quantities": saidQuantities,
	"plan":       saidPlan,
	"extend-trial": func(d deedDone) string {
		return "The trial of " + d.customer + " now ends on " + ui.DayText(*d.now.TrialEndDate) + "."
	},
	"convert-trial": func(d deedDone) string {
		return "The trial of " + d.customer + " is over, and its paid term runs until " + ui.DayText(d.now.EndDate) + "."
	},
	"renewal": saidRenewal,
	"tenant": func(d deedDone) string {
		return "The subscription of " + d.customer + " now belongs to the tenant " + d.order.TenantCode + "."
	},
	"invoicing": func(d deedDone) string { return "Saved how " + d.customer + " is invoiced for " + d.plan + "." },
	"reinstate": saidReinstated,
	"cancel":    saidEnded,
}

// whatHappened says what an action has done to a subscription, which is as it
// was before.
func whatHappened(c *call, action string, before *subscription.Subscription, o *order) (string, error) {
	now, err := store.Subscriptions.Get(c.ctx(), c.q(), before.ID)
	if err != nil || now == nil || saidOf[action] == nil {
		return "Done.", err
	}
	names, err := namesOf(c, []subscription.Subscription{*now})
	if err != nil {
		return "", err
	}
	d := deedDone{customer: names.customer(now), plan: names.bought(now), before: before, now: now, order: o}
	if d.today, err = c.today(now.TestClockID); err != nil {
		return "", err
	}
	return saidOf[action](d), nil
}

func saidNew(d deedDone) string {
	switch {
	case d.now.State == subscription.StatePending:
		return d.customer + " has a subscription to " + d.plan + " from " + ui.DayText(d.now.FirstDay()) + "."
	case d.now.State == subscription.StateTrial:
		return d.customer + " has a trial of " + d.plan + " to " + ui.DayText(*d.now.TrialEndDate) + "."
	}
	return d.customer + " now has a subscription to " + d.plan + "."
}

func saidQuantities(d deedDone) string {
	names := map[string]string{}
	for _, line := range d.now.Charges {
		names[line.Code] = line.Name
	}
	var changed []string
	for _, o := range d.order.sent {
		number := "no"
		if o.Quantity != nil {
			number = ui.Grouped(*o.Quantity)
		}
		changed = append(changed, number+" "+strings.ToLower(names[o.Code]))
	}
	from := d.before.Earliest(d.today)
	switch day, _ := readDay("startDate", d.order.Day); { // which was taken
	case d.order.When == whenEnd:
		from = d.before.TermEnd()
	case day != nil:
		from = *day
	}
	if from.After(d.today) {
		return d.customer + " will have " + ui.Enumerated(changed) + " from " + ui.DayText(from) + "."
	}
	return d.customer + " now has " + ui.Enumerated(changed) + "."
}

func saidPlan(d deedDone) string {
	if next := d.now.NextPriceList; next != nil && next.ID == d.order.PriceList {
		return "The plan of " + d.customer + " changes on " + ui.DayText(next.On) + "."
	}
	return d.customer + " now has " + d.plan + "."
}

func saidRenewal(d deedDone) string {
	if d.now.CancellationDate != nil {
		return saidEnded(d)
	}
	if !d.now.Evergreen {
		return "The subscription of " + d.customer + " expires after " + ui.DayText(d.now.EndDate) + "."
	}
	return "The subscription of " + d.customer + " renews on " + ui.DayText(d.now.EndDate.AddDays(1)) + " for " + ui.Plural(d.now.RenewalTermMonths, "month", "months") + "."
}

func saidReinstated(d deedDone) string {
	return "The subscription of " + d.customer + " is active again, to " + ui.DayText(d.now.EndDate) + "."
}

// lastDayWords say what an end means: it is the first day without the subscription.
func lastDayWords(end billing.Date) string {
	return "Its last day is " + ui.DayText(end.AddDays(-1)) + "."
}

func saidEnded(d deedDone) string {
	switch on := d.now.CancellationDate; {
	case on == nil:
		return "The subscription of " + d.customer + " continues."
	case on.After(d.today):
		return "The subscription of " + d.customer + " ends on " + ui.DayText(*on) + ". " + lastDayWords(*on)
	}
	return "The subscription of " + d.customer + " ended today."
}
