package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

func servedModel(t *testing.T) *model {
	t.Helper()
	served, err := schema.Served()
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(served)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestListsOfFieldsAreTrue: what the lists in shape.go name is in the schema, or
// nobody would notice that a rule has lost its field.
func TestListsOfFieldsAreTrue(t *testing.T) {
	m := servedModel(t)
	for name, fields := range briefs {
		if !m.entities[name] {
			t.Errorf("briefs: a query finds no %s", name)
			continue
		}
		for _, field := range fields {
			if m.schema.Types[name].Fields.ForName(field) == nil {
				t.Errorf("briefs: %s has no %s", name, field)
			}
		}
	}
	for _, path := range slices.Concat(shortLists, heavy) {
		name, field, _ := strings.Cut(path, ".")
		if definition := m.schema.Types[name]; definition == nil || definition.Fields.ForName(field) == nil {
			t.Errorf("there is no %s", path)
		}
	}
}

// TestSelections: no call needs a scope that its operation does not need, and
// none asks for a list of things that grows with the business.
func TestSelections(t *testing.T) {
	m := servedModel(t)
	answered := 0
	for _, o := range m.objects {
		definition := m.schema.Types[strings.TrimSuffix(o.name, "Ref")]
		for _, f := range o.fields {
			field := definition.Fields.ForName(f.name)
			if field.Directives.ForName("scope") != nil {
				t.Errorf("%s.%s needs a scope of its own", o.name, f.name)
			}
			payload := strings.HasSuffix(o.name, "Payload")
			if m.entities[field.Type.Name()] && field.Type.Elem != nil && !payload && !slices.Contains(shortLists, o.name+"."+f.name) {
				t.Errorf("%s.%s is a list of things", o.name, f.name)
			}
		}
		if len(o.fields) == 0 {
			t.Errorf("%s has no fields", o.name)
		}
	}
	for _, o := range m.operations {
		if o.result != nil {
			answered++
		}
	}
	if answered < 80 {
		t.Errorf("only %d operations answer with a thing", answered)
	}
}

func TestNamesInGo(t *testing.T) {
	for name, want := range map[string][2]string{
		"id": {"ID", "id"}, "ids": {"IDs", "ids"}, "planIds": {"PlanIDs", "planIDs"}, "apiClientCreate": {"APIClientCreate", "apiClientCreate"},
		"ApiClient": {"APIClient", "apiClient"}, "webhookUrl": {"WebhookURL", "webhookURL"}, "url": {"URL", "url"},
		"durationMs": {"DurationMs", "durationMs"}, "identity": {"Identity", "identity"},
	} {
		if got := [2]string{goName(name), goArgument(name)}; got != want {
			t.Errorf("%s becomes %v, not %v", name, got, want)
		}
	}
}
