package console

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// How many plans and features the matrix shows at once.
const (
	matrixPlans    = 8
	matrixFeatures = 200
)

// matrixData is what the page of plans × features shows.
type matrixData struct {
	Product  catalog.Product
	Crumbs   []ui.Link
	Plans    []matrixPlan
	Rows     []matrixRow
	Version  string
	Editable bool
	Problems []string
	Pages    []ui.NavItem // if there are more plans or features than are shown
	Action   string
}

type matrixPlan struct {
	ID   billing.PlanID
	Name string
}

type matrixRow struct {
	Feature catalog.Feature
	Cells   []matrixCell
}

type matrixCell struct {
	Name  string // of the field: plan.feature
	Value string
	Error string
	Mine  bool // typed, and not what is saved
	Sold  bool // by the number, by a price list of the plan
}

// Meaning says what an empty field means, and what to write.
func (matrixData) Meaning() string {
	return cellMeaning + soldMeaning + " An empty text is written " + emptyText + "."
}

// Quantity reports whether the row's cells are limits.
func (r matrixRow) Quantity() bool { return r.Feature.Kind == catalog.Quantity }

// Check reports whether the row's cells are boxes.
func (r matrixRow) Check() bool { return r.Feature.Kind == catalog.Boolean }

var matrixPage = newPage[matrixData]("matrix")

// An empty field has one meaning: the plan does not include the feature. A
// quantity without a limit and a text without characters are written. A quantity
// without a number that a price list sells is not without a limit: it is what a
// subscription has bought.
const (
	noLimit     = "no limit"
	asSold      = "as sold"
	emptyText   = `""`
	notIncluded = "not included"
	emptyWords  = "an empty text"
	cellMeaning = "Empty: the plan does not include the feature. A quantity is a number, or “no limit”."
	soldMeaning = " “As sold” means the number that each subscription buys."
)

func cellText(kind catalog.FeatureKind, pf *catalog.PlanFeature, sold bool) string {
	switch {
	case pf == nil, kind == catalog.Boolean && pf.Value == "false":
		return ""
	case kind == catalog.Boolean:
		return "on"
	case kind == catalog.Quantity && pf.Value == "":
		return unnumbered(sold)
	case kind == catalog.Value && pf.Value == "":
		return emptyText
	}
	return pf.Value
}

// unnumbered is how much a plan gives that includes a quantity without a number.
func unnumbered(sold bool) string {
	if sold {
		return asSold
	}
	return noLimit
}

// readCell is what was typed into a cell.
func readCell(kind catalog.FeatureKind, typed string) (included bool, value string) {
	typed = strings.TrimSpace(typed)
	switch {
	case typed == "":
		return false, ""
	case kind == catalog.Boolean:
		return true, "true"
	case kind == catalog.Quantity && slices.Contains([]string{noLimit, asSold, "∞", "*", "unlimited"}, strings.ToLower(typed)):
		return true, ""
	case kind == catalog.Value && typed == emptyText:
		return true, ""
	}
	return true, typed
}

// loadMatrix reads the part of the matrix that the address asks for.
func loadMatrix(c *call) (*matrixData, error) {
	product, err := productPages.find(c)
	if err != nil {
		return nil, err
	}
	data := &matrixData{
		Product: *product, Editable: c.may(billing.StandardWrite),
		Crumbs: []ui.Link{productPages.listLink(), {Text: product.Name, Href: productPages.href(product.ID)}},
	}
	plans, err := store.PlansOf(c.ctx(), c.q(), []billing.ProductID{product.ID}, billing.Filter{})
	if err != nil {
		return nil, err
	}
	features, err := store.FeaturesOf(c.ctx(), c.q(), []billing.ProductID{product.ID}, billing.Filter{})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(features, func(a, b catalog.Feature) int { return cmp.Compare(a.Position, b.Position) })
	base := productPages.href(product.ID) + "/matrix"
	data.cut(c, base, &plans, &features)
	for _, p := range plans {
		data.Plans = append(data.Plans, matrixPlan{p.ID, p.Name})
	}
	included, err := store.PlanFeaturesOf(c.ctx(), c.q(), ids(plans, planPages.id))
	if err != nil {
		return nil, err
	}
	data.Version = matrixVersion(included, plans, features)
	saved := map[string]*catalog.PlanFeature{}
	for i := range included {
		saved[cellName(included[i].PlanID, included[i].FeatureID)] = &included[i]
	}
	sold, err := store.NumbersSold(c.ctx(), c.q(), ids(plans, planPages.id))
	if err != nil {
		return nil, err
	}
	for _, f := range features {
		row := matrixRow{Feature: f}
		for _, p := range plans {
			name, sold := cellName(p.ID, f.ID), sold[store.NumberSold{Plan: p.ID, Feature: f.ID}]
			row.Cells = append(row.Cells, matrixCell{Name: name, Value: cellText(f.Kind, saved[name], sold), Sold: sold})
		}
		data.Rows = append(data.Rows, row)
	}
	return data, nil
}

// cut leaves the plans and features of one page.
func (d *matrixData) cut(c *call, base string, plans *[]catalog.Plan, features *[]catalog.Feature) {
	p, f := int(cursor(c, "plans")), int(cursor(c, "features"))
	d.Action = fmt.Sprintf("%s?plans=%d&features=%d", base, p, f)
	allPlans, allFeatures := len(*plans), len(*features)
	for from := 0; allPlans > matrixPlans && from < allPlans; from += matrixPlans {
		d.Pages = append(d.Pages, ui.NavItem{Text: fmt.Sprintf("Plans %d–%d", from+1, min(from+matrixPlans, allPlans)), Href: fmt.Sprintf("%s?plans=%d&features=%d", base, from, f), Current: from == p})
	}
	for from := 0; allFeatures > matrixFeatures && from < allFeatures; from += matrixFeatures {
		d.Pages = append(d.Pages, ui.NavItem{Text: fmt.Sprintf("Features %d–%d", from+1, min(from+matrixFeatures, allFeatures)), Href: fmt.Sprintf("%s?plans=%d&features=%d", base, p, from), Current: from == f})
	}
	*plans = (*plans)[min(p, allPlans):min(p+matrixPlans, allPlans)]
	*features = (*features)[min(f, allFeatures):min(f+matrixFeatures, allFeatures)]
}

func cellName(plan billing.PlanID, feature billing.FeatureID) string {
	return ui.IDText(plan) + "." + ui.IDText(feature)
}

// matrixVersion stands for what those plans say about those features.
func matrixVersion(included []catalog.PlanFeature, plans []catalog.Plan, features []catalog.Feature) string {
	shown := map[billing.FeatureID]bool{}
	for _, f := range features {
		shown[f.ID] = true
	}
	here := map[billing.PlanID]bool{}
	for _, p := range plans {
		here[p.ID] = true
	}
	var lines []string
	for _, pf := range included {
		if shown[pf.FeatureID] && here[pf.PlanID] {
			lines = append(lines, cellName(pf.PlanID, pf.FeatureID)+"="+strconv.Quote(pf.Value))
		}
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}

func showMatrix(c *call) error {
	data, err := loadMatrix(c)
	if err != nil {
		return err
	}
	return matrixPage.show(c, "Plans × features", *data)
}

// complain shows the matrix as it was typed, with what is wrong.
func (d *matrixData) complain(c *call, problems billing.Problems) error {
	status := http.StatusUnprocessableEntity
	if len(problems) == 0 {
		status = http.StatusOK
	}
	if billing.Is(problems, billing.Conflict) {
		status = http.StatusConflict
	} else {
		d.Version = c.value("version")
	}
	for _, p := range problems {
		field, found := strings.Join(p.Field, "."), false
		for i := range d.Rows {
			for j := range d.Rows[i].Cells {
				if shown := &d.Rows[i].Cells[j]; shown.Name == field {
					shown.Error, found = p.Message, true
					d.Problems = append(d.Problems, d.Rows[i].Feature.Name+" in "+d.Plans[j].Name+": "+p.Message)
				}
			}
		}
		if !found {
			d.Problems = append(d.Problems, p.Message)
		}
	}
	return matrixPage.showStatus(c, status, "Plans × features", *d)
}
