package console

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// addDrift shows what the application has of a tenant, if it ever said so.
func addDrift(c *call, data *ui.Details, t *billing.Tenant, sync *syncView) error {
	row := sync.Drift
	if row == nil {
		return nil
	}
	has := driftBadge(row.Outcome)
	if row.Outcome == drift.InSync && row.Sequence < sync.DesiredSequence {
		has = ui.Plain("what event number " + ui.Grouped(row.Sequence) + " told it")
	}
	data.Fact("In the application", has.WithSub("looked at "+ui.MomentText(row.CheckedAt)))
	names, err := featuresOn(c, t.PlatformID)
	if err != nil {
		return err
	}
	if last := row.LastRepair; last != nil {
		b := names.repairBlock("Last repaired", "On "+ui.MomentText(last.At)+", event number "+ui.Grouped(last.Sequence)+" told the tenant its state again.", last)
		b.Add = &ui.Link{Text: "Event number " + ui.Grouped(last.Sequence) + ", which repaired it", Href: tenantPages.href(t.ID) + "/events/" + strconv.Itoa(last.Sequence)}
		b.More = &ui.Link{Text: "All events that repaired it", Href: repairsHref("tenant", t.ID)}
		data.Blocks = append(data.Blocks, b)
	}
	if row.Outcome == drift.InSync {
		return nil
	}
	data.Badges = append(data.Badges, driftBadge(row.Outcome))
	b := ui.Block{
		Title: "What the application has instead", Note: outcomeNote(row),
		Table: names.differenceTable(row.Differences, "Has"),
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

// notesOfDrift say in a list of tenants which of them the application has differently.
func notesOfDrift(c *call, rows []billing.Tenant) (map[billing.TenantID]string, error) {
	reported, err := store.DriftOf(c.ctx(), c.q(), ids(rows, tenantPages.id))
	notes := map[billing.TenantID]string{}
	for id, row := range reported {
		if row.Outcome != drift.InSync {
			notes[id] = "In the application: " + row.Outcome.Words()
		}
	}
	return notes, err
}

// featureNames are the features of a platform's products, by their codes.
type featureNames map[string]*catalog.Feature

func featuresOn(c *call, platform billing.PlatformID) (featureNames, error) {
	products, _, err := few(c, store.Products, maxOptions, term("platform", platform))
	if err != nil {
		return nil, err
	}
	features, err := store.FeaturesOf(c.ctx(), c.q(), ids(products, productPages.id), billing.Filter{})
	names := featureNames{}
	for n := range features {
		names[features[n].Code] = &features[n]
	}
	return names, err
}

// name is what people call the feature with a code.
func (f featureNames) name(code string) string {
	if of := f[code]; of != nil {
		return of.Name
	}
	return code
}

// cell is the feature with a code, which may be none of the catalog.
func (f featureNames) cell(code string) ui.Cell {
	if of := f[code]; of != nil {
		return ui.Linked(of.Name, featurePages.href(of.ID)).WithSub(code)
	}
	return ui.Code(code).WithSub("not in the catalog")
}

// side is one side of a difference.
func (f featureNames) side(code string, v *drift.Side) ui.Cell {
	var kind catalog.FeatureKind
	if of := f[code]; of != nil {
		kind = of.Kind
	}
	switch {
	case v == nil:
		return ui.Muted("nothing")
	case v.Quantity != nil:
		return ui.Number(*v.Quantity)
	case kind == catalog.Quantity:
		return ui.Plain(noLimit)
	case v.Value != "":
		return ui.Plain(v.Value)
	}
	return ui.Tick()
}

// repairBlock is what the application had when an event was sent to repair a tenant.
func (f featureNames) repairBlock(title, note string, r *drift.SentRepair) ui.Block {
	note += " A report of " + ui.MomentText(r.Since) + " showed that the application " + repairedFor(r)
	return ui.Block{Title: title, Note: strings.TrimSpace(note), Table: f.differenceTable(r.Differences, "Had"), Empty: "No feature differed."}
}

// repairedFor is what was wrong with the application.
func repairedFor(r *drift.SentRepair) string {
	with, since := "", ""
	if r.Acted > 0 {
		event := " event number " + ui.Grouped(r.Acted)
		with, since = " with"+event, " since"+event
	}
	switch r.Outcome {
	case drift.Missing:
		return "did not have the tenant: it was not in the full report."
	case drift.Behind:
		return "had not acted on what it was told" + since + "."
	}
	return "had something else than it was told" + with + ":"
}

// differenceTable has both sides of each difference. Has is what the second is called.
func (f featureNames) differenceTable(all []drift.Difference, has string) ui.Table {
	return ui.Table{Columns: []string{"Feature", "Was told", has, "Difference"}, Rows: ui.RowsOf(all, func(d *drift.Difference) []ui.Cell {
		return []ui.Cell{f.cell(d.Code), f.side(d.Code, d.Expected), f.side(d.Code, d.Actual), ui.Badge(differenceKinds[d.Kind], "bad")}
	})}
}

// differenceKinds are what is wrong with a feature.
var differenceKinds = map[drift.Kind]string{
	drift.FeatureMissing: "missing", drift.FeatureExtra: "not told", drift.WrongQuantity: "other quantity", drift.WrongValue: "other value",
}

// differenceWords are the features that differ, in a line.
func (f featureNames) differenceWords(all []drift.Difference) string {
	words := make([]string, 0, len(all))
	for n := range all {
		words = append(words, f.name(all[n].Code)+" "+differenceKinds[all[n].Kind])
	}
	const most = 3
	if len(words) > most {
		return strings.Join(words[:most], ", ") + " and " + ui.Plural(len(words)-most, "other", "others")
	}
	return strings.Join(words, ", ")
}

// outcomeNote says what an outcome means.
func outcomeNote(row *drift.Tenant) string {
	event := "event number " + ui.Grouped(row.Sequence)
	meanings := map[drift.Outcome]string{
		drift.Behind:  "It has what it was told with " + event + ", and has not acted on what it was told since.",
		drift.Drifted: "It last acted on " + event + ", but does not have what that told it:",
		drift.Ahead:   "It says that it acted on " + event + ", which was never sent: a database was restored, or the tenant is another one.",
		drift.Missing: "The tenant is not in its full report.",
	}
	if row.Sequence == 0 {
		meanings[drift.Behind] = "It has acted on no event yet."
		meanings[drift.Drifted] = "It has acted on no event yet, but has features all the same:"
	}
	text := "The application reported on " + ui.MomentText(row.CheckedAt) + " what it has. "
	if row.Since.Before(row.CheckedAt) {
		text += "This was first noticed on " + ui.MomentText(row.Since) + ". "
	}
	text += meanings[row.Outcome]
	if row.Persistent {
		text = strings.TrimRight(text, ":.") + ". The repair changed nothing: look at why the application did not act on it."
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
