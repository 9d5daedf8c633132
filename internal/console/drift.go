package console

import (
	"fmt"
	"net/url"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// driftRoutes are the addresses of what applications have, compared with what they were
// told.
func driftRoutes() []route {
	return append([]route{
		{pattern: "GET /platforms/{id}/drift", scope: billing.StandardRead, do: on(platformPages.find, showDrift)},
		{pattern: "GET /platforms/{id}/drift/repair", scope: billing.StandardWrite, do: on(platformPages.find, askRepairs)},
		{pattern: "POST /platforms/{id}/drift/repair", scope: billing.StandardWrite, do: on(platformPages.find, repairAll)},
		{pattern: "GET /tenants/{id}/repair", scope: billing.StandardWrite, do: on(tenantPages.find, askRepair)},
		{pattern: "POST /tenants/{id}/repair", scope: billing.StandardWrite, do: on(tenantPages.find, repairTenant)},
	}, askPolicy.routes("platforms", platformPages.find, billing.PlatformWrite)...)
}

func driftHref(id billing.PlatformID) string { return platformPages.href(id) + "/drift" }

// driftTones are how the outcomes look.
var driftTones = map[drift.Outcome]string{
	drift.InSync: "good", drift.Behind: "warn", drift.Drifted: "bad", drift.Ahead: "bad", drift.UnknownTenant: "warn", drift.Missing: "bad",
}

func driftBadge(outcome drift.Outcome) ui.Cell { return ui.Badge(outcome.Words(), driftTones[outcome]) }

// driftOptions are what is done about drift.
var driftOptions = []ui.Option{
	{Value: string(drift.Off), Text: "Refuse reports"}, {Value: string(drift.Report), Text: "Show what differs"},
	{Value: string(drift.Repair), Text: "Send tenants that differ their state again"},
}

func driftPolicyWords(p drift.Policy) string {
	for _, o := range driftOptions {
		if o.Value == string(p) {
			return o.Text
		}
	}
	return string(p)
}

// offerDrift leads to what an application reported, once it has.
func offerDrift(c *call, data *ui.Details, p *webhook.Platform) error {
	reports, err := store.DriftReportsOf(c.ctx(), c.q(), []billing.PlatformID{p.ID}, 1)
	if err != nil {
		return err
	}
	waiting, err := store.CountUntold(c.ctx(), c.q(), p.ID)
	if err == nil && (len(reports) > 0 || waiting > 0 || p.DriftPolicy != drift.Report) {
		data.Actions = append(data.Actions, ui.Action{Text: "Drift", Href: driftHref(p.ID), Quiet: true})
	}
	return err
}

const (
	// shownReports and shownDrifts are how many the page of a platform shows.
	shownReports, shownDrifts = 30, 50
)

// showDrift is the page of what the application of a platform reported.
func showDrift(c *call, p *webhook.Platform) error {
	d := ui.Details{
		Name: "Drift of " + p.Name, Kind: "platform", Here: driftHref(p.ID), Crumbs: platformCrumbs(p),
	}
	if c.may(billing.PlatformWrite) {
		d.Actions = append(d.Actions, ui.Action{Text: "Change policy", Href: platformPages.href(p.ID) + "/drift-policy"})
	}
	reports, err := store.DriftReportsOf(c.ctx(), c.q(), []billing.PlatformID{p.ID}, plottedReports)
	if err != nil {
		return err
	}
	waiting, err := store.CountUntold(c.ctx(), c.q(), p.ID)
	if err != nil {
		return err
	}
	if waiting > 0 && c.may(billing.StandardWrite) {
		d.Actions = append(d.Actions, ui.Action{Text: "Repair", Href: driftHref(p.ID) + "/repair"})
	}
	d.Fact("Policy", ui.Plain(driftPolicyWords(p.DriftPolicy)))
	if p.DriftPolicy == drift.Repair {
		d.Fact("Repairs a minute", ui.Number(p.DriftRepairsPerMinute).WithSub("at most"))
	}
	all := reports[p.ID]
	if last := drift.Last(all); last != nil {
		d.Fact("Last full report", ui.Moment(last.BegunAt))
		repairs, err := log.CountRepairs(c.ctx(), c.q(), p.ID, c.now().AddDate(0, 0, -7))
		if err != nil {
			return err
		}
		d.Fact("Repaired in the last 7 days", repairsCell(p.ID, repairs))
		if isHeld(all) && waiting > 0 {
			d.Note = "So much of the last full report differs that nothing is repaired by itself: the reporter may be broken. " + heldWords(waiting)
		}
	}
	tenants, err := driftBlock(c, p)
	if err != nil {
		return err
	}
	d.Blocks = []ui.Block{tenants}
	if plot := driftPlot(all); plot != nil {
		d.Blocks = append(d.Blocks, ui.Block{Title: "Drift over time", Plot: plot})
	}
	d.Blocks = append(d.Blocks, reportBlock(all[:min(shownReports, len(all))], waiting > 0))
	return showPage.show(c, d.Name, d)
}

// driftRows are the tenants that differ: first those that an event could bring in line, in the
// order in which they are repaired, then those whose application names an event that was
// never sent.
func driftRows(c *call, p *webhook.Platform) ([]*drift.Tenant, error) {
	rows, err := store.Repairable(c.ctx(), c.q(), p.ID, shownDrifts+1)
	if err != nil || len(rows) > shownDrifts {
		return rows, err
	}
	ahead, _, err := few(c, store.Tenants, shownDrifts, append(term("platform", p.ID), billing.Term{Field: "drift", Op: billing.Equal, Value: string(drift.Ahead)}))
	if err != nil {
		return nil, err
	}
	reported, err := store.DriftOf(c.ctx(), c.q(), ids(ahead, tenantPages.id))
	for n := range ahead {
		if row := reported[ahead[n].ID]; row != nil && row.Digest == "" {
			rows = append(rows, row)
		}
	}
	return rows, err
}

// driftBlock is the tenants that differ.
func driftBlock(c *call, p *webhook.Platform) (ui.Block, error) {
	b := ui.Block{
		Title: "Tenants that differ", Empty: "None of those that the application reported.",
		Table: ui.Table{Columns: []string{"Tenant", "Outcome", "Differences", "Noticed", "Looked at"}},
		Add:   &ui.Link{Text: "Events that repaired", Href: repairsHref("platform", p.ID)},
	}
	rows, err := driftRows(c, p)
	if err != nil || len(rows) == 0 {
		return b, err
	}
	if len(rows) > shownDrifts {
		rows = rows[:shownDrifts]
		b.More = &ui.Link{Text: "All that differ", Href: "/tenants?" + url.Values{"q": {"drift:drifted platform:" + ui.IDText(p.ID)}}.Encode()}
	}
	known, err := store.Tenants.ByIDs(c.ctx(), c.q(), ids(rows, func(row **drift.Tenant) billing.TenantID { return (*row).TenantID }))
	if err != nil {
		return b, err
	}
	byID := map[billing.TenantID]*billing.Tenant{}
	for n := range known {
		byID[known[n].ID] = &known[n]
	}
	names, err := featuresOn(c, p.ID)
	if err != nil {
		return b, err
	}
	for _, row := range rows {
		t := byID[row.TenantID]
		if t == nil {
			continue // deleted just now
		}
		outcome := driftBadge(row.Outcome)
		if row.Persistent {
			outcome = outcome.WithSub("still there after a repair")
		}
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{
			ui.Linked(t.Name, tenantPages.href(t.ID)).WithSub(t.Code), outcome, ui.Plain(names.differenceWords(row.Differences)), ui.Moment(row.Since), ui.Moment(row.CheckedAt),
		})
	}
	return b, nil
}

// repairsHref leads to the events that repaired tenants of a platform, or one tenant.
func repairsHref[K ~int64](field string, id K) string {
	return "/events?" + url.Values{"q": {field + ":" + ui.IDText(id) + " reason:" + drift.RepairReason}}.Encode()
}

// repairsCell counts the events that repaired tenants, whatever they were sent for: a full
// report, a report of some tenants or a person.
func repairsCell(id billing.PlatformID, n int) ui.Cell {
	switch {
	case n == 0:
		return ui.Plain("none")
	case n > store.MostCounted:
		return ui.Linked("more than "+ui.Grouped(store.MostCounted)+" events", repairsHref("platform", id))
	}
	return ui.Linked(ui.Plural(n, "event", "events"), repairsHref("platform", id))
}

// reportBlock is the full reports, the newest first. What was repaired because of other
// reports, or by a person, is not counted for any of them. Waiting says that some tenants
// wait for a person.
func reportBlock(all []drift.FullReport, waiting bool) ui.Block {
	return ui.Block{
		Title: "Full reports", Empty: "None yet. See the documentation for how an application reports what it has.",
		Table: ui.Table{
			Columns: []string{"Begun", "In sync", "Behind", "Differ", "Missing", "Ahead", "Unknown", "Repaired for it"},
			Rows: ui.RowsOf(all, func(r *drift.FullReport) []ui.Cell {
				begun := ui.Moment(r.BegunAt)
				switch {
				case r.Held && waiting:
					begun = begun.WithSub("waits for a person")
				case r.Held:
					begun = begun.WithSub("held")
				case r.CompletedAt == nil:
					begun = begun.WithSub("not complete")
				}
				cells := []ui.Cell{begun}
				for _, outcome := range []drift.Outcome{drift.InSync, drift.Behind, drift.Drifted, drift.Missing, drift.Ahead, drift.UnknownTenant} {
					cells = append(cells, ui.Number(r.Outcomes[outcome]))
				}
				return append(cells, ui.Number(r.Repaired))
			}),
		},
	}
}

// askPolicy changes what is done about drift. It is not in the form of a platform, which
// somebody new fills in before there is anything to compare.
var askPolicy = question[webhook.Platform, webhook.Platform]{
	path: "drift-policy", title: "Drift policy", submit: "Save",
	sections: []ui.Section[webhook.Platform]{{Inputs: []ui.Input[webhook.Platform]{
		ui.Choice("driftPolicy", "If the application has something else than it was told", func(p *webhook.Platform) *drift.Policy { return &p.DriftPolicy }, driftOptions...).Wide(),
		ui.Int("driftRepairsPerMinute", "Repairs a minute, at most", func(p *webhook.Platform) *int { return &p.DriftRepairsPerMinute }),
	}}},
	begin: func(p *webhook.Platform) webhook.Platform { return *p },
	page: func(p *webhook.Platform) (ui.FormData, ui.Link) {
		return ui.FormData{
			Title: "Drift policy of “" + p.Name + "”", Crumbs: append(platformCrumbs(p), ui.Link{Text: "Drift", Href: driftHref(p.ID)}),
			Note: "Tenants are repaired once for each difference, and not at all if more than 5 % of a full report differs.",
		}, ui.Link{Text: "Cancel", Href: platformPages.href(p.ID)}
	},
	do: func(c *call, p *webhook.Platform, answer webhook.Platform) error {
		_, err := c.service.Delivery.PlatformUpdate(c.ctx(), p.ID, func(p *webhook.Platform) error {
			p.DriftPolicy, p.DriftRepairsPerMinute = answer.DriftPolicy, answer.DriftRepairsPerMinute
			return nil
		}, delivery.PlatformSecrets{})
		if err != nil {
			return err
		}
		return c.goTo(driftHref(p.ID), "The policy was changed.")
	},
}

func askRepairs(c *call, p *webhook.Platform) error {
	waiting, err := store.CountUntold(c.ctx(), c.q(), p.ID)
	if err != nil {
		return err
	}
	return confirmPage.show(c, "Repair", ui.Confirmation{
		Title: fmt.Sprintf("Send %s of “%s” their state again?", countWords(waiting), p.Name), Action: driftHref(p.ID) + "/repair", Submit: "Repair",
		Text:   fmt.Sprintf("A new event with all features is recorded for each, behind any that are waiting: at most %s a minute, those first that wait longest.", ui.Grouped(p.DriftRepairsPerMinute)),
		Cancel: ui.Link{Text: "Back", Href: driftHref(p.ID)}, Safe: true,
	})
}

// countWords is a number of tenants, of which no more are counted than matters.
func countWords(n int) string {
	if n > store.MostCounted {
		return "more than " + ui.Grouped(store.MostCounted) + " tenants"
	}
	return ui.Plural(n, "tenant", "tenants")
}

// heldWords say how many tenants a person has to decide on, also after some were repaired
// by hand.
func heldWords(waiting int) string {
	if waiting == 1 {
		return "1 tenant waits for a person: look at it below, then repair it."
	}
	return ui.Capitalized(countWords(waiting)) + " wait for a person: look at some of them below, then repair them."
}

func repairAll(c *call, p *webhook.Platform) error {
	done, err := c.service.Drifts.DriftRepair(c.ctx(), &p.ID, nil)
	if err != nil {
		return err
	}
	said := ui.Plural(len(done.Tenants), "tenant is", "tenants are") + " being told again."
	if done.Waiting > 0 {
		said += " " + ui.Capitalized(countWords(done.Waiting)) + " wait: they follow, minute by minute."
	}
	return c.goTo(driftHref(p.ID), said)
}
