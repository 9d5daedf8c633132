package console

import (
	"context"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var clockPages *resource[billing.TestClock, billing.TestClockID]

// Set here, because pages refer to each other.
func init() {
	clockPages = &resource[billing.TestClock, billing.TestClockID]{
		path: "test-clocks", one: "test clock", many: "Test clocks", Resource: subscriptions.TestClocks,
		name:    func(t *billing.TestClock) string { return t.Name },
		about:   "A test clock moves only when you advance it. Put an account on one and try a year of renewals in a minute.",
		hint:    "year",
		columns: []string{"Name", "Shows", "Created"},
		cells: func(_ *call, rows []billing.TestClock) ([][]ui.Cell, error) {
			return ui.RowsOf(rows, func(t *billing.TestClock) []ui.Cell {
				return []ui.Cell{ui.Linked(t.Name, clockPages.href(t.ID)), ui.Moment(t.Now), ui.Moment(t.CreatedAt)}
			}), nil
		},
		show: showClock, fixed: true,
		inputs: func(*call, *billing.TestClock, bool) ([]ui.Section[billing.TestClock], error) {
			return []ui.Section[billing.TestClock]{{Inputs: []ui.Input[billing.TestClock]{
				ui.Text("name", "Name", func(t *billing.TestClock) *string { return &t.Name }).Required(),
				timeInput("now", "Shows", func(t *billing.TestClock) *time.Time { return &t.Now }),
			}}}, nil
		},
		begin: func(c *call) (billing.TestClock, error) {
			return billing.TestClock{Now: c.now().UTC().Truncate(time.Minute)}, nil
		},
		create: func(c *call, ctx context.Context, edit func(*billing.TestClock) error) (*billing.TestClock, error) {
			var t billing.TestClock
			if err := edit(&t); err != nil {
				return nil, err
			}
			return c.service.Subscriptions.TestClockCreate(ctx, t.Name, t.Now)
		},
		remove: func(c *call, ctx context.Context, id billing.TestClockID) (*billing.TestClock, error) {
			return c.service.Subscriptions.TestClockDelete(ctx, id)
		},
		losses: func(c *call, t *billing.TestClock) (string, error) {
			on, err := store.AccountsOnClocks(c.ctx(), c.q(), []billing.TestClockID{t.ID})
			if err != nil || len(on) == 0 {
				return "No account is on it.", err
			}
			return ui.Plural(len(on), "account is", "accounts are") + " on it and will be deleted with all subscriptions, tenants, contacts and events.", nil
		},
	}
}

const timeLayout = "2006-01-02 15:04"

// timeInput is an input for a time in UTC.
func timeInput[T any](name, label string, of func(*T) *time.Time) ui.Input[T] {
	return ui.Input[T]{
		Field: ui.Field{Name: name, Label: label, Kind: ui.FieldText, Required: true, Help: "In UTC, such as 2026-01-31 12:00.", Placeholder: "2026-01-31 12:00"},
		Get:   func(row *T) string { return of(row).UTC().Format(timeLayout) },
		Set: func(row *T, typed string) *billing.Error {
			t, err := readTime(typed)
			if err != nil {
				return billing.Fail(billing.Invalid, name, "%q is not a time. Write it such as 2026-01-31 12:00, in UTC.", clip(typed, 40))
			}
			*of(row) = t
			return nil
		},
	}
}

func readTime(typed string) (time.Time, error) {
	typed = strings.TrimSuffix(strings.TrimSpace(typed), " UTC")
	for _, layout := range []string{timeLayout, "2006-01-02 15:04:05", time.DateOnly, "2006-01-02T15:04"} {
		if t, err := time.Parse(layout, typed); err == nil {
			return t, nil
		}
	}
	return time.Parse(time.RFC3339, typed)
}

func showClock(c *call, t *billing.TestClock) (*ui.Details, error) {
	data := &ui.Details{}
	data.Fact("Shows", ui.Moment(t.Now))
	if c.may(billing.StandardWrite) {
		data.Actions = append(data.Actions, ui.Action{Text: "Advance", Href: clockPages.href(t.ID) + "/advance"})
	}
	jobs, err := store.OpenJobs(c.ctx(), c.q(), billing.JobClockAdvance)
	if err != nil {
		return nil, err
	}
	for i := range jobs {
		if strings.Contains(string(jobs[i].Params), `"clockId":`+ui.IDText(t.ID)+",") {
			data.Blocks = append(data.Blocks, ui.Block{Title: "Being advanced", Table: ui.Table{Columns: jobColumns, Rows: [][]ui.Cell{jobCells(&jobs[i])}}, More: &ui.Link{Text: "Watch it", Href: jobHref(jobs[i].ID)}})
		}
	}
	on, err := store.AccountsOnClocks(c.ctx(), c.q(), []billing.TestClockID{t.ID})
	if err != nil {
		return nil, err
	}
	accounts := ui.Block{Title: "Accounts on it", Table: ui.Table{Columns: accountPages.columnNames()}, Empty: "None yet. Create an account, or edit one without subscriptions, and choose this clock."}
	if accounts.Table.Rows, err = accountPages.cellsOf(c, on[:min(len(on), 50)]); err != nil {
		return nil, err
	}
	data.Blocks = append(data.Blocks, accounts)
	subs, err := clockSubscriptions(c, on)
	data.Blocks = append(data.Blocks, subs)
	return data, err
}

// clockSubscriptions are the subscriptions that the clock moves.
func clockSubscriptions(c *call, accounts []billing.Account) (ui.Block, error) {
	b := ui.Block{Title: "Subscriptions on it", Table: ui.Table{Columns: subscriptionColumns}, Empty: "None yet."}
	rows, err := store.SubscriptionsOfAccounts(c.ctx(), c.q(), ids(accounts[:min(len(accounts), 50)], accountPages.id), billing.Filter{})
	if err != nil {
		return b, err
	}
	b.Table.Rows, err = subscriptionCells(c, rows[:min(len(rows), 50)])
	return b, err
}

// onClock is the way of a clock.
type onClock struct{ To time.Time }

var askAdvance = question[billing.TestClock, onClock]{
	path: "advance", title: "Advance clock", submit: "Advance",
	sections: []ui.Section[onClock]{{Inputs: []ui.Input[onClock]{timeInput("to", "Advance to", func(o *onClock) *time.Time { return &o.To })}}},
	begin:    func(t *billing.TestClock) onClock { return onClock{t.Now.AddDate(0, 1, 0)} },
	page: func(t *billing.TestClock) (ui.FormData, ui.Link) {
		return ui.FormData{
			Title: "Advance “" + t.Name + "”", Crumbs: []ui.Link{clockPages.listLink(), {Text: t.Name, Href: clockPages.href(t.ID)}},
			Note: "It shows " + ui.MomentText(t.Now) + ". Everything that falls due on the way happens to its accounts, in order. A clock cannot go back.",
		}, ui.Link{Text: "Cancel", Href: clockPages.href(t.ID)}
	},
	do: func(c *call, t *billing.TestClock, o onClock) error {
		_, job, err := c.service.Subscriptions.TestClockAdvance(c.ctx(), t.ID, o.To)
		if err != nil {
			return err
		}
		if job != nil && job.FinishedAt == nil {
			return c.goTo(jobHref(job.ID), "The clock is being advanced.")
		}
		return c.goTo(clockPages.href(t.ID), "The clock now shows "+ui.MomentText(o.To)+".")
	},
}

// onClocks say of what is on test clocks which one that is; there is nothing for what is
// on none.
func onClocks(c *call, wanted []billing.TestClockID) (map[billing.TestClockID]string, error) {
	clocks, err := byID(c, store.TestClocks, clockPages.id, wanted)
	words := make(map[billing.TestClockID]string, len(clocks))
	for id, t := range clocks {
		words[id] = "on the test clock " + t.Name
	}
	return words, err
}

// clockCell leads to a test clock by its name.
func clockCell(c *call, id billing.TestClockID) (ui.Cell, error) {
	t, err := store.TestClocks.Get(c.ctx(), c.q(), id)
	if err != nil || t == nil {
		return ui.Muted("none"), err
	}
	return ui.Linked(t.Name, clockPages.href(id)), nil
}
