package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// A call selects of a thing
//
//   - its own values, except those that need a scope of their own,
//   - of other things it refers to, what names them (briefs),
//   - in full, things that belong to nobody else, such as tiers and recipes,
//   - lists of other things only where they stay short (shortLists).
//
// So what is not selected is not in the types either, no call grows with the
// customer base by surprise, and a list of 1,000 stays within the limits of
// the server.

// briefs are the fields that stand for a thing within another; for things not
// listed those of id, code and name that they have.
var briefs = map[string][]string{
	"Contact":         {"id", "code", "fullName", "email"},
	"Feature":         {"id", "code", "name", "kind"},
	"Job":             {"id", "kind", "state"},
	"PlanFeature":     {"id", "feature", "value"},
	"PriceListCharge": {"id", "code", "name", "feature", "chargeType", "billingPeriod", "billingTiming", "pricingModel", "price", "quantityMin", "quantityMax"},
	"Subscription":    {"id", "state", "product"},
	"TestClock":       {"id", "name", "now"},
	"WebhookEvent":    {"id", "type", "sequence", "state"},
}

// shortLists are the lists of other things that are selected.
var shortLists = []string{
	"Account.contacts", "Feature.plans", "Plan.planFeatures", "PriceList.charges", "Product.features", "Product.plans",
	"Tenant.subscriptions",
}

// heavy is what a list of many things should not carry.
var heavy = []string{
	"CreditNote.paymentApplications", "Entity.logo", "Invoice.paymentApplications", "Payment.paymentApplications", "Platform.driftReports",
	"Subscription.history", "SubscriptionCharge.rate", "Tenant.latestProvisioningChange", "WebhookEvent.attempts", "WebhookEvent.difference",
}

// object is a type of the libraries: a whole thing, or what names it.
type object struct {
	name   string
	doc    string
	fields []selected
}

type selected struct {
	name string
	doc  string
	typ  *ast.Type
	of   *object // nil for a value
}

// selection is the selection set of an object, without braces.
func (o *object) selection() string {
	var parts []string
	for _, f := range o.fields {
		if f.of == nil {
			parts = append(parts, f.name)
		} else {
			parts = append(parts, f.name+" { "+f.of.selection()+" }")
		}
	}
	return strings.Join(parts, " ")
}

// model is all that the libraries are written from.
type model struct {
	schema     *ast.Schema
	entities   map[string]bool // types that a query finds one of
	objects    map[string]*object
	keys       map[string]*ast.FieldDefinition // by name of the key, one operation that uses it
	operations []*operation
}

func newModel(s *ast.Schema) (*model, error) {
	m := &model{schema: s, entities: map[string]bool{}, objects: map[string]*object{}, keys: map[string]*ast.FieldDefinition{}}
	for _, f := range s.Query.Fields {
		if name := f.Type.Name(); strings.EqualFold(f.Name, name) && s.Types[name].Kind == ast.Object {
			m.entities[name] = true
		}
	}
	m.full("PageInfo")
	for _, root := range []*ast.Definition{s.Query, s.Mutation} {
		for _, f := range root.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			o, err := m.operation(root, f)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			m.operations = append(m.operations, o)
		}
	}
	slices.SortFunc(m.operations, func(a, b *operation) int { return strings.Compare(a.name, b.name) })
	return m, nil
}

func (m *model) isLeaf(t *ast.Type) bool { return m.schema.Types[t.Name()].IsLeafType() }

// full is a whole thing.
func (m *model) full(name string) *object {
	if o := m.objects[name]; o != nil {
		return o
	}
	definition := m.schema.Types[name]
	o := &object{name: name, doc: definition.Description}
	m.objects[name] = o
	for _, f := range definition.Fields {
		path := name + "." + f.Name
		entityList := f.Type.Elem != nil && m.entities[f.Type.Name()]
		switch {
		case slices.Contains(heavy, path), f.Directives.ForName("scope") != nil, needsArgument(f):
		case entityList && !slices.Contains(shortLists, path):
		default:
			o.fields = append(o.fields, m.selected(f))
		}
	}
	return o
}

func needsArgument(f *ast.FieldDefinition) bool {
	return slices.ContainsFunc(f.Arguments, func(a *ast.ArgumentDefinition) bool { return a.Type.NonNull && a.DefaultValue == nil })
}

func (m *model) selected(f *ast.FieldDefinition) selected {
	s := selected{name: f.Name, doc: f.Description, typ: f.Type}
	switch {
	case m.isLeaf(f.Type):
	case m.entities[f.Type.Name()]:
		s.of = m.brief(f.Type.Name())
	default:
		s.of = m.full(f.Type.Name())
	}
	return s
}

// brief is what names a thing.
func (m *model) brief(name string) *object {
	key := name + "Ref"
	if o := m.objects[key]; o != nil {
		return o
	}
	definition := m.schema.Types[name]
	o := &object{name: key, doc: "What names a thing of the type " + name + " within another."}
	m.objects[key] = o
	names := briefs[name]
	if names == nil {
		names = []string{"id", "code", "name"}
	}
	for _, n := range names {
		if f := definition.Fields.ForName(n); f != nil {
			o.fields = append(o.fields, m.selected(f))
		}
	}
	return o
}

func (m *model) sortedObjects() []*object {
	var all []*object
	for _, name := range slices.Sorted(maps.Keys(m.objects)) {
		all = append(all, m.objects[name])
	}
	return all
}

// sorted are the definitions of a kind in the order of their names, without
// those of GraphQL itself.
func (m *model) sorted(kind ast.DefinitionKind) []*ast.Definition {
	var all []*ast.Definition
	for _, name := range slices.Sorted(maps.Keys(m.schema.Types)) {
		if d := m.schema.Types[name]; d.Kind == kind && !d.BuiltIn && !strings.HasPrefix(name, "__") {
			all = append(all, d)
		}
	}
	return all
}
