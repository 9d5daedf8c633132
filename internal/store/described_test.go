package store_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// describes holds the description of a table, if it has one, to its struct: every
// field but the special ones is described under the name that JSON has for it, and
// the description leads to that field.
func describes[T any](t *testing.T, fields billing.Fields[T], special []string) {
	t.Helper()
	if len(fields) == 0 {
		return
	}
	var row T
	at := map[string]any{"id": nil, "createdAt": nil, "updatedAt": nil, "-": nil}
	for _, name := range special {
		at[name] = nil
	}
	for f := range fields.All() {
		if _, twice := at[f.Name]; twice {
			t.Errorf("%T: %s is described twice", row, f.Name)
		}
		at[f.Name] = f.At(&row)
	}
	value := reflect.ValueOf(&row).Elem()
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		pointer, described := at[name]
		if !described || pointer != nil && pointer != value.Field(i).Addr().Interface() {
			t.Errorf("%T: the description of %s does not lead to it", row, value.Type().Field(i).Name)
		}
		if name != "-" {
			delete(at, name)
		}
	}
	for name := range at {
		if name != "-" {
			t.Errorf("%T has no field %s", row, name)
		}
	}
}
