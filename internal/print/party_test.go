package print

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// An entity as JSON is a seller: every text of a seller is one of an entity, but
// those that only buyers have.
func TestEntityIsSeller(t *testing.T) {
	fields := map[string]string{}
	var p Party
	value := reflect.ValueOf(&p).Elem()
	for n := range value.NumField() {
		name := value.Type().Field(n).Tag.Get("json")
		if !slices.Contains([]string{"contact", "locale", "timezone", "poNumber", "buyerReference"}, name) {
			fields[name] = "the " + name
		}
	}
	var e billing.Entity
	if err := json.Unmarshal(raw(fields), &e); err != nil {
		t.Fatal(err)
	}
	if err := readParty(raw(e), &p); err != nil {
		t.Fatal(err)
	}
	for n := range value.NumField() {
		name := value.Type().Field(n).Tag.Get("json")
		if got := value.Field(n).String(); got != fields[name] {
			t.Errorf("%s is %q, want %q", name, got, fields[name])
		}
	}
}

func TestPartiesMayBeIncomplete(t *testing.T) {
	for _, text := range []string{"", "null", "{}", `{"name":null,"zip":null,"other":[1]}`} {
		var p Party
		if err := readParty(json.RawMessage(text), &p); err != nil || p != (Party{}) {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
	d := Document{Number: "1"}
	if err := d.readParties(json.RawMessage("{}"), json.RawMessage("[")); err == nil {
		t.Error("a broken copy is taken")
	}
}

func TestAddresses(t *testing.T) {
	l := localeOf("en")
	for want, p := range map[string]Party{
		"1 Main St|Springfield, IL 62701|United States": {Street: "1 Main St", City: "Springfield", State: "IL", Zip: "62701", Country: "US"},
		"Torstr. 1|Hof|10119 Berlin|Germany":            {Street: "Torstr. 1\nHof", City: "Berlin", Zip: "10119", Country: "DE"},
		"Dublin, Leinster":                              {City: "Dublin", State: "Leinster"},
		"":                                              {},
	} {
		text := ""
		for n, line := range p.address(&l) {
			if n > 0 {
				text += "|"
			}
			text += line
		}
		if text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
