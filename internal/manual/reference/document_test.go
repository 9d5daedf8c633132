package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/graphql/schema"
)

// TestReferenceIsWhole finds every operation and type of the schema on one page,
// once, and in the index, and the pages as they would be written now.
func TestReferenceIsWhole(t *testing.T) {
	t.Parallel()
	served, err := schema.Served()
	if err != nil {
		t.Fatal(err)
	}
	files := documents(served)
	there, err := filepath.Glob("../../../docs/reference/*.md")
	if err != nil || len(there) != len(files)-1 {
		t.Errorf("there are %d pages, want %d (%v)", len(there), len(files)-1, err)
	}
	all := ""
	for name, text := range files {
		if written, err := os.ReadFile("../../../docs/" + name); err != nil || string(written) != text {
			t.Errorf("docs/%s is not what the schema says: run make generate (%v)", name, err)
		}
		if name != "reference.md" {
			all += text
		}
	}
	want := map[string]int{}
	for _, field := range operations(served.Query) {
		want["query `"+field.Name+"`"] = 1
	}
	for _, field := range operations(served.Mutation) {
		want["mutation `"+field.Name+"`"] = 1
	}
	for _, def := range served.Types {
		want[kinds[def.Kind]+" `"+def.Name+"`"] = 1
		if def.BuiltIn || def == served.Query || def == served.Mutation {
			want[kinds[def.Kind]+" `"+def.Name+"`"] = 0
		}
	}
	for heading, times := range want {
		if got := strings.Count(all, "\n## "+heading+"\n"); got != times {
			t.Errorf("%q is on %d pages, want %d", heading, got, times)
		}
		_, name, _ := strings.Cut(heading, " ")
		if strings.Contains(files["reference.md"], "["+name+"](reference/") != (times == 1) {
			t.Errorf("%q is not in the index, or should not be", heading)
		}
	}
}

// TestEachThingHasAPage: what is about a thing is on its page.
func TestEachThingHasAPage(t *testing.T) {
	t.Parallel()
	served, err := schema.Served()
	if err != nil {
		t.Fatal(err)
	}
	files := documents(served)
	for heading, page := range map[string]string{
		"type `Account`": "account", "query `accountsConnection`": "account", "input `AccountAttributes`": "account", "type `AccountEdge`": "account",
		"mutation `accountCreate`": "account", "mutation `priceListChargeCreate`": "price-list-charge", "type `PlanFeature`": "plan-feature",
		"query `auditEntries`": "audit-entry", "enum `SubscriptionState`": "subscription", "input `QuantityAttributes`": "subscription",
		"enum `PricingModel`": "price-list", "scalar `BigDecimal`": "values", "type `UserError`": "values", "type `CurrentClient`": "current-client",
	} {
		if !strings.Contains(files["reference/"+page+".md"], "\n## "+heading+"\n") {
			t.Errorf("%s is not on the page %s", heading, page)
		}
	}
}
