package billing_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// TestChangesAreThoseOfTheJSON compares Changes, which looks at fields, with
// what the same rows differ in as JSON, for every type that is audited.
func TestChangesAreThoseOfTheJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, example := range []any{
		billing.Account{}, billing.Contact{}, webhook.Platform{}, catalog.Product{}, catalog.Feature{}, catalog.Plan{}, catalog.PlanFeature{}, catalog.PriceList{}, catalog.Charge{}, billing.Client{},
		billing.Tenant{}, billing.TestClock{}, subscription.Subscription{},
	} {
		typ := reflect.TypeOf(example)
		for range 200 {
			before, after := reflect.New(typ), reflect.New(typ)
			scramble(random, before.Elem())
			after.Elem().Set(before.Elem())
			for range random.IntN(4) {
				scramble(random, after.Elem().Field(random.IntN(typ.NumField())))
			}
			for _, pair := range [][2]any{{before.Interface(), after.Interface()}, {nil, after.Interface()}, {before.Interface(), nil}} {
				have, want := billing.Changes(pair[0], pair[1]), billing.JSONChanges(pair[0], pair[1])
				if !reflect.DeepEqual(have, want) {
					t.Fatalf("%s: have %s, want %s", typ, changesText(t, have), changesText(t, want))
				}
			}
		}
	}
	if _, fast := billing.StructChanges(&billing.Account{}, &billing.Account{}); !fast {
		t.Error("accounts are not compared by their fields")
	}
}

func changesText(t *testing.T, changes map[string]billing.Change) string {
	t.Helper()
	text, err := json.Marshal(changes)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// scramble sets a value, and all that is in it, to something else.
func scramble(random *rand.Rand, v reflect.Value) {
	if !v.CanSet() {
		return
	}
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMilli(random.Int64N(1 << 40)).UTC()))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{"a": [1, "<"]}`)))
		return
	case map[string]any:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"", "a", "<&>\u2028", "ü\n"}[random.IntN(4)])
	case reflect.Int, reflect.Int64:
		v.SetInt(random.Int64N(20))
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Pointer:
		if random.IntN(2) == 0 {
			v.SetZero()
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		scramble(random, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(3), 3))
		for i := range v.Len() {
			scramble(random, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			scramble(random, v.Field(i))
		}
	}
}
