package graphql

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// maxList is how many entries a list in the variables may have. What is of type
// JSON is not looked into.
const maxList = 5_000

// checkVariables refuses variables that are not of the type the document
// declares. The library does so too, but takes a number for a text and an enum
// in any case, and its messages do not say what was sent.
func (h *Handler) checkVariables(operation *ast.OperationDefinition, variables map[string]any) gqlerror.List {
	c := variableChecker{schema: h.schema, tooLong: new(bool)}
	for _, definition := range operation.VariableDefinitions {
		name := "$" + definition.Variable
		value, given := variables[definition.Variable]
		var problem string
		switch {
		case given:
			problem = c.check(name, definition.Type, value)
		case definition.Type.NonNull && definition.DefaultValue == nil:
			problem = missing(name, definition.Type)
		}
		if problem != "" {
			e := &gqlerror.Error{Message: problem, Locations: locationOf(definition.Position)}
			errcode.Set(e, errcode.ValidationFailed)
			if *c.tooLong {
				errcode.Set(e, codeLimit)
			}
			return gqlerror.List{e}
		}
	}
	return nil
}

type variableChecker struct {
	schema  *ast.Schema
	tooLong *bool // set when what is wrong is the length of a list
}

// check says what is wrong with a value that stands at a place, nothing if it
// is in order.
func (c variableChecker) check(place string, typ *ast.Type, value any) string {
	switch {
	case value == nil && typ.NonNull:
		return fmt.Sprintf("%s cannot be null: it is of type %s.", place, typ)
	case value == nil:
		return ""
	case typ.Elem != nil:
		return c.checkList(place, typ, value)
	}
	fits := true
	switch definition := c.schema.Types[typ.Name()]; definition.Kind {
	case ast.Enum:
		name, isText := value.(string)
		fits = isText && definition.EnumValues.ForName(name) != nil
	case ast.InputObject:
		object, isObject := value.(map[string]any)
		if isObject {
			return c.checkObject(place, definition, object)
		}
		fits = false
	default:
		fits = fitsScalar(definition.Name, value)
	}
	if fits {
		return ""
	}
	return fmt.Sprintf("%s must be %s, not %s.", place, c.describe(typ), excerpt(value))
}

func (c variableChecker) checkList(place string, typ *ast.Type, value any) string {
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice {
		return c.check(place, typ.Elem, value) // a value stands for a list of it
	}
	if *c.tooLong = list.Len() > maxList; *c.tooLong {
		return fmt.Sprintf("%s has %d entries; at most %d are allowed.", place, list.Len(), maxList)
	}
	for i := range list.Len() {
		if problem := c.check(fmt.Sprintf("%s.%d", place, i), typ.Elem, list.Index(i).Interface()); problem != "" {
			return problem
		}
	}
	return ""
}

func (c variableChecker) checkObject(place string, definition *ast.Definition, object map[string]any) string {
	for name := range object {
		if definition.Fields.ForName(name) == nil {
			return fmt.Sprintf("%s has an unknown field %s: there is none in %s.", place, excerpt(name), definition.Name)
		}
	}
	for _, field := range definition.Fields {
		value, given := object[field.Name]
		place := place + "." + field.Name
		if !given {
			if field.Type.NonNull && field.DefaultValue == nil {
				return missing(place, field.Type)
			}
			continue
		}
		if problem := c.check(place, field.Type, value); problem != "" {
			return problem
		}
	}
	return ""
}

func missing(place string, typ *ast.Type) string {
	return fmt.Sprintf("%s must be defined: it is of type %s.", place, typ)
}

// fitsScalar knows GraphQL's own types; what others allow they say themselves.
func fitsScalar(name string, value any) bool {
	number, isNumber := value.(json.Number)
	whole, err := strconv.ParseInt(number.String(), 10, 64)
	_, isText := value.(string)
	switch name {
	case "Int":
		return isNumber && err == nil && whole >= math.MinInt32 && whole <= math.MaxInt32
	case "ID":
		return isText || isNumber && !strings.ContainsAny(number.String(), ".eE")
	case "String":
		return isText
	case "Boolean":
		_, isTruth := value.(bool)
		return isTruth
	}
	return true
}

func (c variableChecker) describe(typ *ast.Type) string {
	definition := c.schema.Types[typ.Name()]
	switch {
	case definition.Kind == ast.Enum:
		var names []string
		for _, value := range definition.EnumValues {
			names = append(names, value.Name)
		}
		slices.Sort(names)
		return fmt.Sprintf("a %s, one of %s", definition.Name, strings.Join(names, ", "))
	case definition.Name == "Int":
		return fmt.Sprintf("an Int, a whole number from %d to %d", math.MinInt32, math.MaxInt32)
	}
	return "of type " + definition.Name
}

// excerpt shows what the caller sent, shortened.
func excerpt(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "that"
	}
	return shortened(string(text))
}

func shortened(text string) string {
	const most = 60
	if characters := []rune(text); len(characters) > most {
		return string(characters[:most]) + "…"
	}
	return text
}
