package console

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/ui"
)

// matrixChange is a cell that was typed over.
type matrixChange struct {
	catalog.MatrixCell
	name       string // of the field
	typed      string
	plan       int // of those that are shown
	feature    string
	kind       catalog.FeatureKind
	saved, now string // for people
	sold       bool   // by the number
}

// saveMatrix asks first: it says what changes in each plan and how many tenants
// are on it. Saving without being asked is what the second form does.
func saveMatrix(c *call) error {
	data, err := loadMatrix(c)
	if err != nil {
		return err
	}
	changes := data.typed(c)
	if c.goesBack() {
		return data.complain(c, nil)
	}
	if len(changes) == 0 {
		return c.goTo(data.Action, "Nothing was changed.")
	}
	if problems := data.problemsOf(c, changes); len(problems) > 0 {
		return data.complain(c, problems)
	}
	if c.value(confirmedField) == "" {
		found, err := foretell(c, func(ctx context.Context) error { return data.save(c, ctx, changes) })
		if problems, known := billing.AsProblems(err); known {
			return data.complain(c, problems)
		}
		if err != nil {
			return err
		}
		return data.confirm(c, changes, found)
	}
	err = data.save(c, c.ctx(), changes)
	if problems, known := billing.AsProblems(err); known {
		return data.complain(c, problems)
	}
	if err != nil {
		return err
	}
	return c.goTo(data.Action, "Saved "+ui.Plural(len(changes), "change", "changes")+". Tenants are notified in the background; see Jobs.")
}

// save changes the cells, unless somebody else did after the page was opened.
func (d *matrixData) save(c *call, ctx context.Context, changes []matrixChange) error {
	version := c.value("version")
	plans, features := d.shown()
	cells := make([]catalog.MatrixCell, len(changes))
	for n := range changes {
		cells[n] = changes[n].MatrixCell
	}
	return c.service.Catalog.PlanMatrixUpdate(ctx, d.Product.ID, func(now []catalog.PlanFeature) error {
		if version != matrixVersion(now, plans, features) {
			return errChanged("matrix")
		}
		return nil
	}, cells)
}

// shown is the plans and features of the page.
func (d *matrixData) shown() (plans []catalog.Plan, features []catalog.Feature) {
	for _, p := range d.Plans {
		plans = append(plans, catalog.Plan{ID: p.ID})
	}
	for i := range d.Rows {
		features = append(features, d.Rows[i].Feature)
	}
	return plans, features
}

// typed finds the cells that differ from what is saved. The form that asks has
// those alone; the one before has all, but no boxes that are not ticked.
func (d *matrixData) typed(c *call) (changes []matrixChange) {
	confirmed := c.value(confirmedField) != ""
	for i := range d.Rows {
		f := d.Rows[i].Feature
		for j := range d.Rows[i].Cells {
			shown := &d.Rows[i].Cells[j]
			typed := c.r.PostForm.Get(shown.Name)
			if (confirmed || f.Kind != catalog.Boolean) && !c.r.PostForm.Has(shown.Name) || typed == shown.Value {
				continue // not in the form, or as it is
			}
			included, value := readCell(f.Kind, typed)
			if was, before := readCell(f.Kind, shown.Value); was == included && before == value {
				continue // said in other words
			}
			changes = append(changes, matrixChange{
				MatrixCell: catalog.MatrixCell{PlanID: d.Plans[j].ID, FeatureID: f.ID, Included: included, Value: value},
				name:       shown.Name, typed: typed, plan: j, feature: f.Name, kind: f.Kind,
				saved: cellWords(f.Kind, shown.Value, shown.Sold), now: cellWords(f.Kind, typed, shown.Sold), sold: shown.Sold,
			})
			shown.Value, shown.Mine = typed, true
		}
	}
	return changes
}

// cellWords is what a cell says, for people.
func cellWords(kind catalog.FeatureKind, typed string, sold bool) string {
	switch included, value := readCell(kind, typed); {
	case !included:
		return notIncluded
	case kind == catalog.Boolean:
		return "included"
	case value == "" && kind == catalog.Quantity:
		return unnumbered(sold)
	case value == "":
		return emptyWords
	default:
		return ui.Shortened(value, 60)
	}
}

// problemsOf is what is wrong with what was typed, before anybody is asked.
func (d *matrixData) problemsOf(c *call, changes []matrixChange) (problems billing.Problems) {
	if c.value("version") != d.Version {
		return billing.Problems{errChanged("matrix")}
	}
	for _, change := range changes {
		if !change.sold && saysSold(change.typed) {
			e := errNotSold()
			e.Field = strings.Split(change.name, ".")
			problems = append(problems, e)
			continue
		}
		pf := catalog.NewPlanFeature(0, 0, change.Value)
		if wrong := pf.CheckFor(change.kind); change.Included && len(wrong) > 0 {
			wrong[0].Field = strings.Split(change.name, ".")
			problems = append(problems, wrong[0])
		}
	}
	return problems
}

// saysSold reports whether the words “as sold” were typed.
func saysSold(typed string) bool { return strings.EqualFold(strings.TrimSpace(typed), asSold) }

// errNotSold refuses “as sold” where nothing is: it would be without a limit.
func errNotSold() *billing.Error {
	return billing.Fail(billing.Invalid, "", "No price list of the plan sells it by quantity. Write a number, or “no limit”.")
}

// confirm shows what would change in each plan, and whom that reaches.
func (d *matrixData) confirm(c *call, changes []matrixChange, found forecast) error {
	plans, _ := d.shown()
	reach, err := c.service.Provisioning.FeatureReach(c.ctx(), &d.Product, ids(plans, planPages.id))
	if err != nil {
		return err
	}
	fields := []ui.Pair{{Name: "version", Value: c.value("version")}, {Name: confirmedField, Value: "yes"}}
	table := ui.Table{Columns: []string{"Plan", "What changes", "Tenants on it"}}
	for i, plan := range d.Plans {
		var words []string
		for _, change := range changes {
			if change.plan == i {
				words = append(words, change.feature+": "+change.saved+" → "+change.now)
				fields = append(fields, ui.Pair{Name: change.name, Value: change.typed})
			}
		}
		if len(words) > 0 {
			table.Rows = append(table.Rows, []ui.Cell{ui.Plain(plan.Name), ui.Sentence(strings.Join(words, "; ")), ui.Plain(reachWords(reach.Plans[plan.ID]))})
		}
	}
	slices.SortStableFunc(fields[2:], func(a, b ui.Pair) int { return strings.Compare(a.Name, b.Name) })
	silent := ""
	if found.isNothing() {
		silent = toldWords(&d.Product, reach.Told)
	}
	foretold, err := found.shown(c)
	if err != nil {
		return err
	}
	return confirmPage.show(c, "Save the matrix", ui.Confirmation{
		Title: "Save " + ui.Plural(len(changes), "change", "changes") + " to the plans of " + d.Product.Name + "?", Text: silent, Table: table, Foretold: foretold,
		Action: d.Action, Submit: "Save and notify", Cancel: ui.Link{Text: "Discard changes", Href: d.Action}, Fields: fields, Safe: true, Back: backField,
	})
}
