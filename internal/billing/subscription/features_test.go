package subscription

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"pgregory.net/rapid"
)

// shown is a list of features in a line: CODE=VALUE:QUANTITY.
func shown(features []ProvisionedFeature) string {
	texts := make([]string, len(features))
	for i, f := range features {
		quantity := "-"
		if f.Quantity != nil {
			quantity = fmt.Sprint(*f.Quantity)
		}
		texts[i] = fmt.Sprintf("%s=%s:%s", f.Code, f.Value, quantity)
	}
	return strings.Join(texts, " ")
}

func included(id billing.FeatureID, code string, kind catalog.FeatureKind, position int, planValue string) catalog.IncludedFeature {
	return catalog.IncludedFeature{Feature: catalog.Feature{ID: id, Code: code, Name: strings.ToUpper(code), Kind: kind, Position: position, IsProvisioned: true}, PlanValue: planValue}
}

func TestFeaturesByKind(t *testing.T) {
	hidden := included(9, "hidden", catalog.Boolean, 0, "true")
	hidden.IsProvisioned = false
	y := newStory(t, "2026-01-01", splitID, Draft{Quantities: []QuantityOrder{order("seats", 5), order("extra", 0)}})
	for _, c := range []struct {
		name string
		plan []catalog.IncludedFeature
		want string
	}{
		{"none", nil, ""},
		{"boolean", []catalog.IncludedFeature{included(3, "sso", catalog.Boolean, 0, "true")}, "sso=:-"},
		{"boolean that is false", []catalog.IncludedFeature{included(3, "sso", catalog.Boolean, 0, "false")}, ""},
		{"value", []catalog.IncludedFeature{included(3, "region", catalog.Value, 0, "eu")}, "region=eu:-"},
		{"empty value", []catalog.IncludedFeature{included(3, "region", catalog.Value, 0, "")}, "region=:-"},
		{"value false is a text", []catalog.IncludedFeature{included(3, "region", catalog.Value, 0, "false")}, "region=false:-"},
		{"subscribed quantity", []catalog.IncludedFeature{included(usersID, "users", catalog.Quantity, 0, "3")}, "users=:5"},
		{"included quantity", []catalog.IncludedFeature{included(storageID, "storage", catalog.Quantity, 0, "10")}, "storage=:10"},
		{"included zero", []catalog.IncludedFeature{included(storageID, "storage", catalog.Quantity, 0, "0")}, "storage=:0"},
		{"no limit", []catalog.IncludedFeature{included(storageID, "storage", catalog.Quantity, 0, "")}, "storage=:-"},
		{"not provisioned", []catalog.IncludedFeature{hidden}, ""},
		{"by position, then code", []catalog.IncludedFeature{
			included(3, "c", catalog.Boolean, 1, "true"), included(4, "b", catalog.Boolean, 2, "true"), included(5, "a", catalog.Boolean, 2, "true"), included(6, "d", catalog.Boolean, 0, "true"),
		}, "d=:- c=:- a=:- b=:-"},
	} {
		if got := shown(y.s.FeaturesOn(y.today, &catalog.PlanContents{Features: c.plan})); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOnlyLiveSubscriptionsGiveFeatures(t *testing.T) {
	plan := &catalog.PlanContents{Features: []catalog.IncludedFeature{included(3, "sso", catalog.Boolean, 0, "true")}}
	for _, state := range allStates {
		y := inState(t, state)
		if got := shown(y.s.FeaturesOn(y.today, plan)); (got != "") != (state == StateTrial || state == StateActive) {
			t.Errorf("%s gives %q", state, got)
		}
	}
}

// users returns the quantity of the users feature on a day.
func users(y *story, day, planValue string) string {
	features := y.s.FeaturesOn(d(day), &catalog.PlanContents{Features: []catalog.IncludedFeature{included(usersID, "users", catalog.Quantity, 0, planValue)}})
	return strings.TrimPrefix(shown(features), "users=:")
}

func TestSubscribedQuantities(t *testing.T) {
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s users, want %s", got, want)
		}
	}
	split := newStory(t, "2026-01-01", splitID, Draft{Trial: true, Quantities: []QuantityOrder{order("seats", 5), order("extra", 2)}})
	want(users(split, "2026-01-01", "100"), "7")
	split.do(quantities("", order("extra", 0)))
	want(users(split, "2026-01-01", "100"), "5")
	split.do(quantities("2026-01-10", order("extra", 3)))
	want(users(split, "2026-01-09", "100"), "5")
	want(users(split, "2026-01-10", "100"), "8")
	none := newStory(t, "2026-01-01", splitID, Draft{Quantities: []QuantityOrder{order("seats", 0), order("extra", 0)}})
	want(users(none, "2026-01-01", "100"), "0")
	other := fiveSeats(t)
	other.s.Charges[1].Type = catalog.Usage
	want(users(other, "2026-01-01", "100"), "100")
}

// One that has not been renewed yet gives what it gave, not what the plan
// includes.
func TestQuantitiesUntilTheSubscriptionIsMoved(t *testing.T) {
	y := fiveSeats(t).do(quantities("2026-01-20", order("seats", 8)))
	for day, want := range map[string]string{"2026-01-19": "5", "2026-01-31": "8", "2026-02-01": "8", "2026-12-31": "8"} {
		if got := users(y, day, "100"); got != want {
			t.Errorf("%s users on %s, want %s", got, day, want)
		}
	}
	y.do(update(Update{EndDate: at(d("2026-01-10"))}))
	for day, want := range map[string]string{"2026-01-10": "5", "2026-01-15": "5", "2026-01-20": "8", "2026-02-20": "8"} {
		if got := users(y, day, "100"); got != want {
			t.Errorf("after the end was moved, %s users on %s, want %s", got, day, want)
		}
	}
}

// Between the steps of one instant, the quantities are those of the new plan.
func TestQuantitiesBetweenSteps(t *testing.T) {
	y := fiveSeats(t).do(changePlan(annualID, PlanUpdate{AtTermEnd: true, Quantities: []QuantityOrder{order("licences", 7)}}))
	s, change, err := y.s.Step(findOffer)
	if err != nil || change.Kind != KindPlanChanged {
		t.Fatal(change.Kind, err)
	}
	y.s = s
	if got := users(y, "2026-02-01", "100"); got != "7" {
		t.Errorf("%s users, want 7", got)
	}
}

// Days do not go back behind what has been done.
func TestFeaturesDoNotGoBack(t *testing.T) {
	y := fiveSeats(t).until("2026-01-10").do(quantities("", order("seats", 8)))
	if got := users(y, "2026-01-09", "100"); got != "8" {
		t.Errorf("%s users, want 8", got)
	}
}

func TestMergeFeatures(t *testing.T) {
	feature := func(kind catalog.FeatureKind, position int, value string, quantity *int) ProvisionedFeature {
		return ProvisionedFeature{Code: "f", Name: fmt.Sprint(kind, position), Kind: kind, Position: position, Value: value, Quantity: quantity}
	}
	q := func(position, n int) ProvisionedFeature { return feature(catalog.Quantity, position, "", &n) }
	v := func(position int, value string) ProvisionedFeature {
		return feature(catalog.Value, position, value, nil)
	}
	b := func(position int) ProvisionedFeature { return feature(catalog.Boolean, position, "", nil) }
	unlimited := feature(catalog.Quantity, 3, "", nil)
	for _, c := range []struct {
		name     string
		features []ProvisionedFeature // one of each subscription, oldest first
		want     string
		named    string
	}{
		{"one", []ProvisionedFeature{q(1, 5)}, "f=:5", "QUANTITY1"},
		{"quantities add up", []ProvisionedFeature{q(2, 5), q(1, 7), q(3, 0)}, "f=:12", "QUANTITY1"},
		{"no limit wins", []ProvisionedFeature{q(1, 5), unlimited, q(2, 7)}, "f=:-", "QUANTITY1"},
		{"no limit first", []ProvisionedFeature{unlimited, q(1, 5)}, "f=:-", "QUANTITY1"},
		{"booleans", []ProvisionedFeature{b(2), b(1)}, "f=:-", "BOOLEAN1"},
		{"value with the lowest position", []ProvisionedFeature{v(2, "a"), v(1, "b"), v(3, "c")}, "f=b:-", "VALUE1"},
		{"value of the oldest", []ProvisionedFeature{v(1, "a"), v(1, "b")}, "f=a:-", "VALUE1"},
		{"kinds differ, lowest position", []ProvisionedFeature{v(2, "a"), q(1, 5)}, "f=:5", "QUANTITY1"},
		{"kinds differ, oldest", []ProvisionedFeature{b(1), q(1, 5)}, "f=:-", "BOOLEAN1"},
		{"kinds differ, all quantities count", []ProvisionedFeature{q(9, 4), v(5, "a"), q(1, 3)}, "f=:7", "QUANTITY1"},
		{"kinds differ, the value decides", []ProvisionedFeature{q(9, 4), v(1, "a"), q(5, 3)}, "f=a:-", "VALUE1"},
	} {
		var perSubscription [][]ProvisionedFeature
		for _, f := range c.features {
			perSubscription = append(perSubscription, []ProvisionedFeature{f})
		}
		merged := MergeFeatures(perSubscription)
		if got := shown(merged); got != c.want || merged[0].Name != c.named {
			t.Errorf("%s: %s named %s, want %s named %s", c.name, got, merged[0].Name, c.want, c.named)
		}
	}
	if merged := MergeFeatures(nil); merged == nil || len(merged) > 0 {
		t.Errorf("of none it is %v", merged)
	}
}

func TestMergedFeaturesAreInOrder(t *testing.T) {
	f := func(code string, position int) ProvisionedFeature {
		return ProvisionedFeature{Code: code, Position: position, Kind: catalog.Boolean}
	}
	got := shown(MergeFeatures([][]ProvisionedFeature{{f("b", 1), f("d", 9)}, {f("a", 1), f("c", 5), f("d", 0)}}))
	if want := "d=:- a=:- b=:- c=:-"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Of quantities alone, the sum does not depend on who comes first, and neither
// the parts nor their order are touched.
func TestMergeOfQuantities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quantity := rapid.Custom(func(t *rapid.T) []ProvisionedFeature {
			f := ProvisionedFeature{Code: "f", Kind: catalog.Quantity, Position: rapid.IntRange(0, 3).Draw(t, "position")}
			if rapid.IntRange(0, 9).Draw(t, "limited") > 0 {
				f.Quantity = new(rapid.IntRange(0, billing.MaxQuantity).Draw(t, "quantity"))
			}
			return []ProvisionedFeature{f}
		})
		parts := rapid.SliceOfN(quantity, 1, 8).Draw(t, "parts")
		sum, unlimited := 0, false
		for _, p := range parts {
			if unlimited = unlimited || p[0].Quantity == nil; !unlimited {
				sum += *p[0].Quantity
			}
		}
		want := fmt.Sprintf("f=:%d", sum)
		if unlimited {
			want = "f=:-"
		}
		before := fmt.Sprint(parts)
		slices.Reverse(parts)
		backwards := shown(MergeFeatures(parts))
		slices.Reverse(parts)
		if got := shown(MergeFeatures(parts)); got != want || backwards != want || fmt.Sprint(parts) != before {
			t.Fatalf("%s and backwards %s, want %s", got, backwards, want)
		}
	})
}
