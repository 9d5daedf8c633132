package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Difference is one place in which two JSON texts differ. A value that is not
// there is nil.
type Difference struct {
	Path string          `json:"path"`
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// Differences lists where two JSON texts differ, in the order of their paths
// in the text they are compared with. A path is written like
// payload.change.features[users].quantity: things in a list are compared by
// their code or id if all have one, and by their place otherwise, so that a
// feature more is one difference.
func Differences(from, to []byte) ([]Difference, error) {
	before, err := parseJSON(from)
	if err != nil {
		return nil, err
	}
	after, err := parseJSON(to)
	if err != nil {
		return nil, err
	}
	c := &differ{found: []Difference{}}
	c.compare("", before, after)
	return c.found, nil
}

// parseJSON keeps numbers as they are written.
func parseJSON(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return value, nil
}

type differ struct{ found []Difference }

// absent stands for what is not there, which is not the same as null.
type absent struct{}

func (c *differ) compare(path string, from, to any) {
	switch before := from.(type) {
	case map[string]any:
		if after, ok := to.(map[string]any); ok {
			c.objects(path, before, after)
			return
		}
	case []any:
		if after, ok := to.([]any); ok {
			c.lists(path, before, after)
			return
		}
	default:
		if from == to {
			return
		}
	}
	c.found = append(c.found, Difference{Path: path, From: rawJSON(from), To: rawJSON(to)})
}

func rawJSON(value any) json.RawMessage {
	if _, missing := value.(absent); missing {
		return nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("webhook: what was JSON is JSON: " + err.Error())
	}
	return bytes.TrimSpace(text.Bytes())
}

func (c *differ) objects(path string, from, to map[string]any) {
	for _, name := range union(slices.Sorted(maps.Keys(from)), slices.Sorted(maps.Keys(to))) {
		c.compare(join(path, name), member(from, name), member(to, name))
	}
}

func member(object map[string]any, name string) any {
	if value, there := object[name]; there {
		return value
	}
	return absent{}
}

func join(path, name string) string {
	if strings.ContainsAny(name, ".[]") || name == "" {
		return path + "[" + strconv.Quote(name) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c *differ) lists(path string, from, to []any) {
	key := commonKey(from, to)
	before, beforeNames := byName(from, key)
	after, afterNames := byName(to, key)
	for _, name := range union(beforeNames, afterNames) {
		c.compare(path+"["+name+"]", member(before, name), member(after, name))
	}
}

// commonKey is what tells the things in two lists apart: code or id, if each
// thing has one and no two of a list have the same; otherwise nothing.
func commonKey(lists ...[]any) string {
	for _, key := range []string{"code", "id"} {
		if !slices.ContainsFunc(lists, func(list []any) bool { return !distinct(list, key) }) {
			return key
		}
	}
	return ""
}

func distinct(list []any, key string) bool {
	seen := map[string]bool{}
	for _, thing := range list {
		object, ok := thing.(map[string]any)
		if !ok {
			return false
		}
		name, ok := keyText(object[key])
		if !ok || seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}

func keyText(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// byName are the things of a list by their keys, or by their places without one.
func byName(list []any, key string) (things map[string]any, names []string) {
	things = make(map[string]any, len(list))
	for i, thing := range list {
		name := fmt.Sprint(i)
		if key != "" {
			name, _ = keyText(thing.(map[string]any)[key])
		}
		things[name] = thing
		names = append(names, name)
	}
	return things, names
}

// union is a list and what another has besides, in order.
func union(a, b []string) []string {
	all := slices.Clone(a)
	known := make(map[string]bool, len(a))
	for _, name := range a {
		known[name] = true
	}
	for _, name := range b {
		if !known[name] {
			all = append(all, name)
		}
	}
	return all
}
