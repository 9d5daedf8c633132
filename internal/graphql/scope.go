package graphql

import (
	"context"
	"encoding/json"

	gql "github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// guard runs before every field: it refuses what the caller's token has no
// scope for, and tells operations who they are done for.
func (h *Handler) guard(ctx context.Context, next gql.Resolver) (any, error) {
	fc := gql.GetFieldContext(ctx)
	root := fc.Parent == nil || fc.Parent.Parent == nil
	if !root && len(fc.Field.Definition.Directives) == 0 {
		return reserved(ctx, next)
	}
	caller, _ := oauth.PrincipalOf(ctx)
	attributes := h.attributesGiven(ctx, fc)
	if scope := scopeOf(fc); scope != "" && !attributes.scopesOnly() && !caller.Has(scope) {
		return nil, billing.Fail(billing.Forbidden, "", "The field %s needs the scope %s, which the access token does not have.", fc.Field.Name, scope)
	}
	for _, a := range attributes.guarded {
		if !caller.Has(a.scope) {
			return nil, billing.Fail(billing.Forbidden, "", "The attribute %s of %s needs the scope %s, which the access token does not have.", a.name, fc.Field.Name, a.scope)
		}
	}
	for _, a := range attributes.arguments {
		if !caller.Has(a.scope) {
			return nil, billing.Fail(billing.Forbidden, "", "The argument %s of %s needs the scope %s, which the access token does not have.", a.name, fc.Field.Name, a.scope)
		}
	}
	if fc.Object == "Mutation" {
		caller := operation.CallerOf(ctx)
		caller.Step = fc.Field.Alias
		ctx = operation.As(ctx, caller)
	}
	return reserved(ctx, next)
}

// largeValue is the size, in bytes, from which on values are counted as soon as
// they are there. Smaller ones are counted when they are written: an answer
// cannot have so many of them that they matter before.
const largeValue = 128

// reserved resolves a field and counts its value if that is large.
func reserved(ctx context.Context, next gql.Resolver) (any, error) {
	value, err := next(ctx)
	if err != nil {
		return nil, err
	}
	size := 0
	switch v := value.(type) {
	case string:
		size = len(v)
	case *string:
		if v != nil {
			size = len(*v)
		}
	case json.RawMessage:
		size = len(v)
	}
	if size < largeValue {
		return value, nil
	}
	return value, node.AnswerOf(ctx).Reserve(size)
}

// scopeOf is the scope a field needs: what its @scope says; for the root
// fields without one, that of reading or writing business data. Anybody may
// ask who they are and what the schema is.
func scopeOf(fc *gql.FieldContext) string {
	if scope := scopeIn(fc.Field.Definition.Directives); scope != "" {
		return scope
	}
	switch {
	case fc.Object == "Mutation":
		return billing.StandardWrite
	case fc.Object != "Query", fc.Field.Name == "currentClient", fc.Field.Name == "__schema", fc.Field.Name == "__type":
		return ""
	}
	return billing.StandardRead
}

// hasScope says whether the caller has a scope.
func hasScope(ctx context.Context, scope string) bool {
	caller, _ := oauth.PrincipalOf(ctx)
	return caller.Has(scope)
}

// scopeIn is what a @scope says, empty if there is none.
func scopeIn(directives ast.DirectiveList) string {
	directive := directives.ForName("scope")
	if directive == nil {
		return ""
	}
	return directive.Arguments.ForName("name").Value.Raw
}

// attributes are those that a mutation is given: the ones with a scope of their
// own, and how many there are without; and the arguments with one.
type attributes struct {
	guarded   []attribute
	plain     int
	arguments []attribute
}

type attribute struct{ name, scope string }

// scopesOnly says that the scopes of the attributes are all that is needed.
func (a *attributes) scopesOnly() bool { return len(a.guarded) > 0 && a.plain == 0 }

// attributesGiven looks at what the caller wrote, be it null.
func (h *Handler) attributesGiven(ctx context.Context, fc *gql.FieldContext) (found attributes) {
	if fc.Object != "Mutation" || len(fc.Field.Arguments) == 0 {
		return found
	}
	values := fc.Field.ArgumentMap(gql.GetOperationContext(ctx).Variables)
	for _, argument := range fc.Field.Definition.Arguments {
		if scope := scopeIn(argument.Directives); scope != "" && asksForMore(argument, values[argument.Name]) {
			found.arguments = append(found.arguments, attribute{argument.Name, scope})
		}
		if object := h.schema.Types[argument.Type.Name()]; object.Kind == ast.InputObject {
			found.in(h.schema, object, values[argument.Name])
		}
	}
	return found
}

// asksForMore reports whether an argument says something else than its default.
func asksForMore(argument *ast.ArgumentDefinition, value any) bool {
	if value == nil || argument.DefaultValue == nil {
		return value != nil
	}
	standard, err := argument.DefaultValue.Value(nil)
	return err != nil || value != standard
}

// in adds the attributes that a value of an input type has.
func (a *attributes) in(schema *ast.Schema, object *ast.Definition, value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			a.in(schema, object, element)
		}
	case map[string]any:
		for _, field := range object.Fields {
			given, ok := value[field.Name]
			if !ok {
				continue
			}
			inner := schema.Types[field.Type.Name()]
			switch scope := scopeIn(field.Directives); {
			case scope != "":
				a.guarded = append(a.guarded, attribute{field.Name, scope})
			case inner.Kind == ast.InputObject && given != nil:
				a.in(schema, inner, given)
			default:
				a.plain++
			}
		}
	}
}
