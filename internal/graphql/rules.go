package graphql

import (
	"strings"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// documentRules are what a document is validated by.
func documentRules() *rules.Rules {
	all := rules.NewDefaultRules()
	all.AddRule("ExactDecimals", exactDecimals)
	all.AddRule("NoObjects", noObjects)
	all.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, enumsByName)
	all.RemoveRule(rules.OverlappingFieldsCanBeMergedRule.Name) // mergeable stands in for it
	return all
}

// exactDecimals is no rule that a document could break. Validation is where the
// types of literals become known, and a decimal must be taken as it is written
// before it is read as a floating-point number, which keeps fewer digits.
func exactDecimals(observers *core.Events, _ core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, value *ast.Value) {
		isNumber := value.Kind == ast.IntValue || value.Kind == ast.FloatValue
		if isNumber && value.Definition != nil && value.Definition.Name == "BigDecimal" {
			value.Kind = ast.StringValue
		}
	})
}

// checkText refuses a document with an escape of half a character in one of its
// strings, which the parser takes for another character.
func checkText(document string) gqlerror.List {
	if !strings.Contains(document, `\ud`) && !strings.Contains(document, `\uD`) {
		return nil
	}
	characters := []rune(document)
	tokens := lexer.New(&ast.Source{Input: document})
	for {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return nil // the parser says what is wrong
		}
		if token.Kind != lexer.String {
			continue
		}
		if half := halfCharacter(string(characters[token.Pos.Start:token.Pos.End])); half != "" {
			problem := gqlerror.ErrorPosf(&token.Pos, "The escape %s is half a character; it takes two such escapes to make one.", half)
			errcode.Set(problem, errcode.ParseFailed)
			return gqlerror.List{problem}
		}
	}
}

// noObjects refuses an object where a type has no fields, which the library
// passes on. What is of type JSON may be anything.
func noObjects(observers *core.Events, addError core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, value *ast.Value) {
		if value.Kind == ast.ObjectValue && value.Definition != nil && value.Definition.Kind != ast.InputObject && value.Definition.Name != "JSON" {
			addError(core.Message("Expected value of type %q, found %s.", value.Definition.Name, value.String()), core.At(value.Position))
		}
	})
}

// enumsByName is the library's rule about the types of values, except that it
// lists what an enum allows, as checkVariables does.
func enumsByName(observers *core.Events, addError core.AddErrFunc) {
	var hidden *ast.Definition // of a value that has been refused already
	observers.OnValue(func(walker *core.Walker, value *ast.Value) {
		if !isWrongEnum(value) {
			return
		}
		quotes := ""
		if value.Kind == ast.StringValue || value.Kind == ast.BlockValue {
			quotes = ", without quotes"
		}
		expected := variableChecker{schema: walker.Schema}.describe(value.ExpectedType)
		addError(core.Message("Expected %s%s, not %s.", expected, quotes, shortened(value.String())), core.At(value.Position))
		// The library passes over what it has no type for, and looks for no
		// enum like a text of any length.
		hidden, value.Definition = value.Definition, nil
	})
	rules.ValuesOfCorrectTypeRule.RuleFunc(observers, addError)
	observers.OnValue(func(_ *core.Walker, value *ast.Value) {
		if hidden != nil {
			value.Definition, hidden = hidden, nil
		}
	})
}

func isWrongEnum(value *ast.Value) bool {
	if value.Definition == nil || value.Definition.Kind != ast.Enum || value.ExpectedType == nil {
		return false
	}
	switch value.Kind {
	case ast.EnumValue:
		return value.Definition.EnumValues.ForName(value.Raw) == nil
	case ast.IntValue, ast.FloatValue, ast.StringValue, ast.BlockValue, ast.BooleanValue:
		return true
	}
	return false // null, a variable, a list, or an object, which others judge
}
