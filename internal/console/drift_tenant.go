package console

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// addDrift shows what the application has of a tenant, if it ever said so.
func addDrift(c *call, data *ui.Details, t *billing.Tenant) error {
	found, err := store.DriftOf(c.ctx(), c.q(), []billing.TenantID{t.ID})
	if err != nil || found[t.ID] == nil {
		return err
	}
	row := found[t.ID]
	data.Fact("In the application", driftBadge(row.Outcome).WithSub("looked at "+ui.MomentText(row.CheckedAt)))
	if last := row.LastRepair; last != nil {
		data.Blocks = append(data.Blocks, ui.Block{
			Title: "Last repaired", Note: "On " + ui.MomentText(last.At) + ", the tenant was told its state again. From " + ui.MomentText(last.Since) + " on, the application had something else:",
			Table: differenceTable(last.Differences), Empty: "No feature differed: " + driftWords[last.Outcome][0] + ".",
			More: &ui.Link{Text: "Event " + strconv.Itoa(last.Sequence) + ", which repaired it", Href: tenantPages.href(t.ID) + "/events/" + strconv.Itoa(last.Sequence)},
		})
	}
	if row.Outcome == drift.InSync {
		return nil
	}
	data.Badges = append(data.Badges, driftBadge(row.Outcome))
	b := ui.Block{
		Title: "What the application has instead", Note: outcomeNote(row),
		Table: differenceTable(row.Differences),
		Empty: "No feature differs from what it was told with that event.",
		Add:   &ui.Link{Text: "Drift of the platform", Href: driftHref(t.PlatformID)},
	}
	if row.Sequence > 0 {
		b.More = &ui.Link{Text: "The event it was told with", Href: tenantPages.href(t.ID) + "/events/" + strconv.Itoa(row.Sequence)}
	}
	if row.Digest != "" && c.may(billing.StandardWrite) {
		data.Actions = append(data.Actions, ui.Action{Text: "Repair", Href: tenantPages.href(t.ID) + "/repair"})
	}
	data.Blocks = append(data.Blocks, b)
	return nil
}

// differenceTable has both sides of each difference.
func differenceTable(all []drift.Difference) ui.Table {
	return ui.Table{Columns: []string{"Feature", "Told", "Has", "Difference"}, Rows: ui.RowsOf(all, func(d *drift.Difference) []ui.Cell {
		return []ui.Cell{ui.Code(d.Code), valueCell(d.Expected), valueCell(d.Actual), ui.Badge(differenceKinds[d.Kind], "bad")}
	})}
}

// differenceKinds are what is wrong with a feature.
var differenceKinds = map[drift.Kind]string{
	drift.FeatureMissing: "missing", drift.FeatureExtra: "not told", drift.WrongQuantity: "other quantity", drift.WrongValue: "other value",
}

// valueCell is one side of a difference.
func valueCell(v *drift.Side) ui.Cell {
	switch {
	case v == nil:
		return ui.Muted("nothing")
	case v.Quantity != nil:
		return ui.Number(*v.Quantity)
	case v.Value != "":
		return ui.Plain(v.Value)
	}
	return ui.Plain("yes")
}

// differenceWords are the features that differ, in a line.
func differenceWords(all []drift.Difference) string {
	words := make([]string, 0, len(all))
	for n := range all {
		words = append(words, all[n].Code+" "+differenceKinds[all[n].Kind])
	}
	const most = 3
	if len(words) > most {
		return strings.Join(words[:most], ", ") + " and " + ui.Plural(len(words)-most, "other", "others")
	}
	return strings.Join(words, ", ")
}

// outcomeNote says what an outcome means.
func outcomeNote(row *drift.Tenant) string {
	text := map[drift.Outcome]string{
		drift.Behind:  "It has what it was told then, and has not acted on what it was told since.",
		drift.Drifted: "It has something else than it was told with the event that it acted on last.",
		drift.Ahead:   "It names an event that was never sent: a database was restored, or the tenant is another one.",
		drift.Missing: "A full report of the application does not have the tenant.",
	}[row.Outcome]
	if row.Persistent {
		text += " The repair changed nothing: look at why the application did not act on it."
	}
	return text
}

func askRepair(c *call, t *billing.Tenant) error {
	return confirmPage.show(c, "Repair", ui.Confirmation{
		Title: "Send “" + t.Name + "” its state again?", Action: tenantPages.href(t.ID) + "/repair", Submit: "Repair",
		Text:   "A new event with all current features is recorded and sent, behind any that are waiting. It counts as a repair: the next report shows whether it helped.",
		Cancel: ui.Link{Text: "Back", Href: tenantPages.href(t.ID)}, Safe: true,
	})
}

func repairTenant(c *call, t *billing.Tenant) error {
	done, err := c.service.Drifts.DriftRepair(c.ctx(), nil, []billing.TenantID{t.ID})
	if err != nil {
		return err
	}
	if len(done.Tenants) == 0 {
		return c.goTo(tenantPages.href(t.ID), "Nothing was sent: the tenant does not differ, or enough were repaired in this minute.")
	}
	return c.goTo(tenantPages.href(t.ID), "The current state is being sent.")
}
