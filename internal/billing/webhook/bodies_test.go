package webhook

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDifferences(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"nothing", `{"a":1}`, `{"a":1}`, `[]`},
		{"the order of fields", `{"a":1,"b":2}`, `{"b":2,"a":1}`, `[]`},
		{"a value", `{"a":{"b":1}}`, `{"a":{"b":2}}`, `[{"path":"a.b","from":1,"to":2}]`},
		{"a big number", `{"a":9007199254740993}`, `{"a":9007199254740992}`, `[{"path":"a","from":9007199254740993,"to":9007199254740992}]`},
		{"a kind", `{"a":1}`, `{"a":"1"}`, `[{"path":"a","from":1,"to":"1"}]`},
		{"null and nothing", `{"a":null}`, `{}`, `[{"path":"a","from":null,"to":null}]`},
		{"new fields", `{}`, `{"a":1,"b":[]}`, `[{"path":"a","from":null,"to":1},{"path":"b","from":null,"to":[]}]`},
		{"a feature more", `{"f":[{"code":"sso","q":null}]}`, `{"f":[{"code":"api","q":null},{"code":"sso","q":null}]}`,
			`[{"path":"f[api]","from":null,"to":{"code":"api","q":null}}]`},
		{"a feature less", `{"f":[{"code":"a"},{"code":"b"}]}`, `{"f":[{"code":"b"}]}`, `[{"path":"f[a]","from":{"code":"a"},"to":null}]`},
		{"its quantity", `{"f":[{"code":"a","q":1},{"code":"b"}]}`, `{"f":[{"code":"b"},{"code":"a","q":2}]}`, `[{"path":"f[a].q","from":1,"to":2}]`},
		{"by ids", `[{"id":7,"s":"trial"}]`, `[{"id":8,"s":"trial"},{"id":7,"s":"active"}]`, `[{"path":"[7].s","from":"trial","to":"active"},{"path":"[8]","from":null,"to":{"id":8,"s":"trial"}}]`},
		{"a code twice", `[{"code":"a"},{"code":"a"}]`, `[{"code":"a"}]`, `[{"path":"[1]","from":{"code":"a"},"to":null}]`},
		{"plain lists", `[1,2]`, `[1,3,4]`, `[{"path":"[1]","from":2,"to":3},{"path":"[2]","from":null,"to":4}]`},
		{"list and object", `[]`, `{}`, `[{"path":"","from":[],"to":{}}]`},
		{"odd names", `{"a.b":1,"":1}`, `{"a.b":2,"":2}`, `[{"path":"[\"\"]","from":1,"to":2},{"path":"[\"a.b\"]","from":1,"to":2}]`},
		{"no escapes", `{"a":"<"}`, `{"a":"&"}`, `[{"path":"a","from":"<","to":"&"}]`},
	} {
		found, err := Differences([]byte(c.from), []byte(c.to))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var have strings.Builder
		encoder := json.NewEncoder(&have)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(found); err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(have.String()) != c.want {
			t.Errorf("%s:\nhave %s\nwant %s", c.name, have.String(), c.want)
		}
	}
	if _, err := Differences([]byte("{"), []byte("{}")); err == nil {
		t.Error("half a text was compared")
	}
}

// drawJSON draws a value as it is in webhooks: objects, lists of things with
// codes, and plain values.
func drawJSON(rt *rapid.T, depth int) any {
	kinds := []string{"text", "number", "null", "bool"}
	if depth > 0 {
		kinds = append(kinds, "object", "list", "features")
	}
	switch rapid.SampledFrom(kinds).Draw(rt, "kind") {
	case "text":
		return rapid.StringMatching(`[a-c<&é.]{0,2}`).Draw(rt, "text")
	case "number":
		return float64(rapid.IntRange(0, 3).Draw(rt, "number"))
	case "bool":
		return rapid.Bool().Draw(rt, "bool")
	case "object":
		object := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(rt, "fields") {
			object[rapid.SampledFrom([]string{"a", "b", "c.d", ""}).Draw(rt, "name")] = drawJSON(rt, depth-1)
		}
		return object
	case "list":
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(rt, "length") {
			list = append(list, drawJSON(rt, depth-1))
		}
		return list
	case "features":
		list := []any{}
		for _, code := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3, rapid.ID).Draw(rt, "codes") {
			list = append(list, map[string]any{"code": code, "v": drawJSON(rt, depth-1)})
		}
		return list
	}
	return nil
}

// TestDifferencesAreRight: there are none between a text and itself, the same
// places differ in both directions, no place is named twice, and the values
// named do differ.
func TestDifferencesAreRight(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := drawJSON(rt, 3), drawJSON(rt, 3)
		from, _ := json.Marshal(a)
		to, _ := json.Marshal(b)
		there, err := Differences(from, to)
		if err != nil {
			rt.Fatal(err)
		}
		back, _ := Differences(to, from)
		if none, _ := Differences(from, from); len(none) > 0 {
			rt.Fatalf("%s differs from itself: %v", from, none)
		}
		if len(there) == 0 && !sameButForOrder(a, b) {
			rt.Fatalf("no difference between %s and %s", from, to)
		}
		places := map[string]Difference{}
		for _, d := range there {
			if _, twice := places[d.Path]; twice {
				rt.Fatalf("%s is named twice between %s and %s", d.Path, from, to)
			}
			if d.From != nil && d.To != nil && string(d.From) == string(d.To) {
				rt.Fatalf("%s does not differ: %s", d.Path, d.From)
			}
			places[d.Path] = d
		}
		for _, d := range back {
			if p := places[d.Path]; string(p.From) != string(d.To) || string(p.To) != string(d.From) {
				rt.Fatalf("%s: %v there, %v back", d.Path, p, d)
			}
		}
		if len(back) != len(there) {
			rt.Fatalf("%d differences there, %d back", len(there), len(back))
		}
	})
}

// sameButForOrder compares values in which things with codes may change places.
func sameButForOrder(a, b any) bool {
	from, fromIsList := a.([]any)
	to, toIsList := b.([]any)
	if fromIsList && toIsList && len(from) == len(to) && distinct(from, "code") && distinct(to, "code") {
		before, _ := byName(from, "code")
		after, _ := byName(to, "code")
		return sameButForOrder(before, after)
	}
	before, fromIsObject := a.(map[string]any)
	after, toIsObject := b.(map[string]any)
	if fromIsObject && toIsObject && len(before) == len(after) {
		for name := range before {
			other, there := after[name]
			if !there || !sameButForOrder(before[name], other) {
				return false
			}
		}
		return true
	}
	if fromIsList && toIsList && len(from) == len(to) {
		for i := range from {
			if !sameButForOrder(from[i], to[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}
