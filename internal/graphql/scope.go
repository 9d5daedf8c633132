package graphql

import (
	"context"

	gql "github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/service"
)

// guard runs before every field: it refuses what the caller's token has no
// scope for, and tells operations who they are done for.
func (h *Handler) guard(ctx context.Context, next gql.Resolver) (any, error) {
	fc := gql.GetFieldContext(ctx)
	root := fc.Parent == nil || fc.Parent.Parent == nil
	if !root && len(fc.Field.Definition.Directives) == 0 {
		return next(ctx)
	}
	if scope := scopeOf(fc); scope != "" {
		if caller, _ := oauth.PrincipalOf(ctx); !caller.Has(scope) {
			return nil, billing.Fail(billing.Forbidden, "", "The field %s needs the scope %s, which the access token does not have.", fc.Field.Name, scope)
		}
	}
	if fc.Object == "Mutation" {
		caller := service.CallerOf(ctx)
		caller.Step = fc.Field.Alias
		ctx = service.As(ctx, caller)
	}
	return next(ctx)
}

// scopeOf is the scope a field needs: what its @scope says; for the root
// fields without one, that of reading or writing business data. Anybody may
// ask who they are and what the schema is.
func scopeOf(fc *gql.FieldContext) string {
	if directive := fc.Field.Definition.Directives.ForName("scope"); directive != nil {
		return directive.Arguments.ForName("name").Value.Raw
	}
	switch {
	case fc.Object == "Mutation":
		return billing.StandardWrite
	case fc.Object != "Query", fc.Field.Name == "currentClient", fc.Field.Name == "__schema", fc.Field.Name == "__type":
		return ""
	}
	return billing.StandardRead
}
