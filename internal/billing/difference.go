package billing

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// auditedField is a field of a struct that is audited.
type auditedField struct {
	name  string
	index int
}

// auditedFields remembers the fields of struct types, nil for those that are
// written as JSON in a way of their own.
var auditedFields sync.Map // of reflect.Type to []auditedField

// structChanges is Changes for two pointers to a struct, of which one may be
// nil. Only what differs is written as JSON: most of a row stays as it was, and
// this is done while others wait to write. ok is false for anything else.
func structChanges(before, after any) (changes map[string]Change, ok bool) {
	from, to := structOf(before), structOf(after)
	typ := reflect.Value.Type
	switch {
	case before != nil && !from.IsValid(), after != nil && !to.IsValid(), before == nil && after == nil:
		return nil, false
	case from.IsValid() && to.IsValid() && typ(from) != typ(to):
		return nil, false
	}
	one := to
	if !one.IsValid() {
		one = from
	}
	fields := fieldsOf(typ(one))
	if fields == nil {
		return nil, false
	}
	changes = map[string]Change{}
	for _, f := range fields {
		if from.IsValid() && to.IsValid() && reflect.DeepEqual(from.Field(f.index).Interface(), to.Field(f.index).Interface()) {
			continue
		}
		was, is := fieldJSON(from, f.index), fieldJSON(to, f.index)
		if !bytes.Equal(was, is) {
			changes[f.name] = Change{From: was, To: is}
		}
	}
	return changes, true
}

// structOf returns the struct that a pointer points to.
func structOf(v any) reflect.Value {
	value := reflect.ValueOf(v)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return value.Elem()
}

// fieldJSON is a field as JSON; that of nothing is null.
func fieldJSON(s reflect.Value, index int) json.RawMessage {
	if !s.IsValid() {
		return orNull(nil)
	}
	field := s.Field(index)
	if field.Kind() == reflect.Pointer && field.IsNil() {
		return orNull(nil)
	}
	text, err := json.Marshal(field.Addr().Interface())
	if err != nil {
		panic("billing: a type that is audited must be JSON: " + err.Error())
	}
	return text
}

// fieldsOf returns the fields that package json would write, without those that
// every row has; nil if it would not go by the fields alone.
func fieldsOf(t reflect.Type) []auditedField {
	if known, is := auditedFields.Load(t); is {
		return known.([]auditedField)
	}
	fields := []auditedField{}
	if t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler) {
		fields = nil
	}
	for i := 0; i < t.NumField() && fields != nil; i++ {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous || options != "":
			fields = nil
		case name == "-", name == "id", name == "createdAt", name == "updatedAt", !f.IsExported():
		case name == "":
			fields = append(fields, auditedField{f.Name, i})
		default:
			fields = append(fields, auditedField{name, i})
		}
	}
	auditedFields.Store(t, fields)
	return fields
}

var marshaler = reflect.TypeFor[json.Marshaler]()
