package console

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/ui"
)

// maxChanges bounds the values that are listed one by one; the lines of both
// bodies have all of them.
const maxChanges = 100

// bodyChanges compares two bodies of webhooks and lists each value that differs,
// before and after. Items of a list are matched by their id or code, so that one
// that only moved has not changed. A body that is not JSON has no such list.
func bodyChanges(before, after string) ui.Table {
	t := ui.Table{Columns: []string{"What", "Before", "After"}}
	from, to := readJSON(before), readJSON(after)
	if from == nil || to == nil {
		return t
	}
	compareJSON(&t, "", from, to)
	if more := len(t.Rows) - maxChanges; more > 0 {
		t.Rows = append(t.Rows[:maxChanges], []ui.Cell{ui.Muted("and " + ui.Plural(more, "further value", "further values")), ui.Muted("—"), ui.Muted("—")})
	}
	return t
}

// readJSON is nil if a text is not JSON.
func readJSON(text string) (value any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber() // ids keep all their digits
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

func compareJSON(t *ui.Table, where string, from, to any) {
	switch to := to.(type) {
	case map[string]any:
		if from, same := from.(map[string]any); same {
			compareObjects(t, where, from, to)
			return
		}
	case []any:
		if from, same := from.([]any); same {
			compareLists(t, where, from, to)
			return
		}
	}
	if before, after := inWords(from), inWords(to); before != after {
		t.Rows = append(t.Rows, []ui.Cell{ui.Sentence(ui.Capitalized(cmp.Or(where, "body"))), ui.Sentence(daysInWords(before)), ui.Sentence(daysInWords(after))})
	}
}

func compareObjects(t *ui.Table, where string, from, to map[string]any) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(from)), maps.Keys(to))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		inside := below(where, strings.ReplaceAll(name, "_", " "))
		if _, is := to[name].(map[string]any); is && from[name] != nil && where == "" && (name == "payload" || name == "change") {
			inside = "" // everything is in these
		}
		before, after := from[name], to[name]
		if name == "quantity" && strings.Contains(where, "features › ") {
			before, after = limit(from, after), limit(to, before)
		}
		compareJSON(t, inside, before, after)
	}
}

// limit is the quantity of a feature, which none limits if the other side is a number.
func limit(feature map[string]any, other any) any {
	quantity, is := feature["quantity"]
	if _, number := other.(json.Number); is && quantity == nil && number {
		return noLimit
	}
	return quantity
}

func compareLists(t *ui.Table, where string, from, to []any) {
	old := make(map[string]any, len(from))
	for i, item := range from {
		old[identity(item, i)] = item
	}
	for i, item := range to {
		id := identity(item, i)
		compareJSON(t, below(where, title(item, id)), old[id], item)
		delete(old, id)
	}
	for i, item := range from {
		id := identity(item, i)
		if _, gone := old[id]; gone {
			compareJSON(t, below(where, title(item, id)), item, nil)
		}
	}
}

// identity is what an item of a list is known by: its place, if it has neither
// id nor code.
func identity(item any, place int) string {
	return cmp.Or(ownIdentity(item), strconv.Itoa(place+1))
}

// ownIdentity is the id or the code of an item, empty if it has neither.
func ownIdentity(item any) string {
	if object, is := item.(map[string]any); is {
		for _, name := range []string{"id", "code"} {
			if object[name] != nil {
				return inWords(object[name])
			}
		}
	}
	return ""
}

// title is what people call an item.
func title(item any, id string) string {
	object, _ := item.(map[string]any)
	name := inWords(object["name"])
	if name == "" {
		name = strings.TrimSpace(inWords(object["first_name"]) + " " + inWords(object["last_name"]))
	}
	if plan, _ := object["plan"].(map[string]any); name == "" && plan != nil {
		if name = inWords(plan["name"]); id != "" {
			name = strings.TrimSpace(name + " (" + id + ")") // a subscription has no name
		}
	}
	return cmp.Or(name, id)
}

func below(where, name string) string {
	if where == "" {
		return name
	}
	return where + " › " + name
}

// inWords is a value for people: of an object or a list, the values in it. Objects in a
// list are called by their name, or else told by their values.
func inWords(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case []any:
		var items []string
		between := ", "
		for _, item := range v {
			text := title(item, ownIdentity(item))
			if text == "" {
				if text = inWords(item); strings.Contains(text, between) {
					between = "; "
				}
			}
			items = append(items, text)
		}
		return strings.Join(items, between)
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if text := inWords(v[name]); text != "" {
				parts = append(parts, strings.ReplaceAll(name, "_", " ")+" "+text)
			}
		}
		return strings.Join(parts, ", ")
	}
	return ""
}
