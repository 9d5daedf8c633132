package schema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// Breaking lists, in words, every way in which a client written for the schema
// before could fail with the schema after. Additions that a client need not
// know about are no breaks: new types, fields, enum values, optional arguments.
// The order is that of the type names, so that two runs give the same list.
func Breaking(before, after *ast.Schema) []string {
	c := &comparison{before: before, after: after}
	for _, name := range slices.Sorted(maps.Keys(before.Types)) {
		if old := before.Types[name]; !old.BuiltIn {
			c.definition(old, after.Types[name])
		}
	}
	return c.breaks
}

// comparison collects what breaks while two schemas are walked side by side.
type comparison struct {
	before, after *ast.Schema
	breaks        []string
}

func (c *comparison) report(format string, args ...any) {
	c.breaks = append(c.breaks, fmt.Sprintf(format, args...))
}

func (c *comparison) definition(old, now *ast.Definition) {
	if now == nil {
		c.report("%s: the type was removed", old.Name)
		return
	}
	if now.Kind != old.Kind {
		c.report("%s: it was of kind %s and is now %s", old.Name, old.Kind, now.Kind)
		return
	}
	switch old.Kind {
	case ast.Object, ast.Interface:
		c.removedNames(old.Name, "interface", old.Interfaces, now.Interfaces)
		c.outputFields(old, now)
	case ast.InputObject:
		c.inputFields(old, now)
	case ast.Union:
		c.removedNames(old.Name, "member", old.Types, now.Types)
	case ast.Enum:
		c.enumValues(old, now)
	case ast.Scalar:
		// A scalar has nothing but its name.
	}
}

func (c *comparison) removedNames(where, what string, old, now []string) {
	for _, name := range old {
		if !slices.Contains(now, name) {
			c.report("%s: the %s %s was removed", where, what, name)
		}
	}
}

func (c *comparison) enumValues(old, now *ast.Definition) {
	for _, value := range old.EnumValues {
		if now.EnumValues.ForName(value.Name) == nil {
			c.report("%s: the value %s was removed", old.Name, value.Name)
		}
	}
}

func (c *comparison) outputFields(old, now *ast.Definition) {
	for _, field := range old.Fields {
		where := old.Name + "." + field.Name
		current := now.Fields.ForName(field.Name)
		if current == nil {
			c.report("%s: the field was removed", where)
			continue
		}
		if !outputFits(field.Type, current.Type) {
			c.report("%s: the type changed from %s to %s", where, field.Type, current.Type)
		}
		c.scope(where, scopeOf(c.before, old, field), scopeOf(c.after, now, current))
		c.inputs(where, "argument", argumentsOf(field), argumentsOf(current))
	}
}

func (c *comparison) inputFields(old, now *ast.Definition) {
	for _, field := range old.Fields {
		if current := now.Fields.ForName(field.Name); current != nil {
			c.scope(old.Name+"."+field.Name, scopeOf(c.before, old, field), scopeOf(c.after, now, current))
		}
	}
	c.inputs(old.Name, "input field", inputFieldsOf(old), inputFieldsOf(now))
}

// scope reports a field that asks for a scope it did not ask for before: a
// client's token may not carry that one, even if it seems the lesser of the two.
func (c *comparison) scope(where, old, now string) {
	if now != "" && now != old {
		c.report("%s: the scope %s is now needed", where, now)
	}
}

// inputs compares what a client may or must send to one place.
func (c *comparison) inputs(where, what string, old, now []input) {
	for _, before := range old {
		after, found := find(now, before.name)
		if !found {
			c.report("%s: the %s %s was removed", where, what, before.name)
			continue
		}
		if !inputFits(before.typ, after.typ) {
			c.report("%s: the type of the %s %s changed from %s to %s", where, what, before.name, before.typ, after.typ)
		}
		if before.fallback != after.fallback {
			c.report("%s: the default of the %s %s changed from %s to %s", where, what, before.name, before.fallback, after.fallback)
		}
	}
	for _, after := range now {
		if _, known := find(old, after.name); !known && after.required() {
			c.report("%s: the required %s %s was added", where, what, after.name)
		}
	}
}
