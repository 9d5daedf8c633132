package schema

import (
	"slices"

	"github.com/vektah/gqlparser/v2/ast"
)

// noDefault stands for the default value of an input that has none.
const noDefault = "none"

// input is what a client sends to one place: an argument of a field or a field
// of an input type. GraphQL has the same rules for both.
type input struct {
	name     string
	typ      *ast.Type
	fallback string
}

func newInput(name string, typ *ast.Type, value *ast.Value) input {
	if value == nil {
		return input{name: name, typ: typ, fallback: noDefault}
	}
	return input{name: name, typ: typ, fallback: value.String()}
}

func argumentsOf(field *ast.FieldDefinition) []input {
	inputs := make([]input, 0, len(field.Arguments))
	for _, argument := range field.Arguments {
		inputs = append(inputs, newInput(argument.Name, argument.Type, argument.DefaultValue))
	}
	return inputs
}

func inputFieldsOf(def *ast.Definition) []input {
	inputs := make([]input, 0, len(def.Fields))
	for _, field := range def.Fields {
		inputs = append(inputs, newInput(field.Name, field.Type, field.DefaultValue))
	}
	return inputs
}

// required says whether a client has to send it.
func (i input) required() bool {
	return i.typ.NonNull && i.fallback == noDefault
}

func find(inputs []input, name string) (input, bool) {
	at := slices.IndexFunc(inputs, func(i input) bool { return i.name == name })
	if at < 0 {
		return input{}, false
	}
	return inputs[at], true
}
