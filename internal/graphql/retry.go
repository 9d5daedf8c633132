package graphql

import (
	"context"

	gql "github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

const tryAgain = "; try again"

// whatNow ends a sentence about a failure that passes: whether something was
// changed all the same, and whether the request can be sent again.
func whatNow(ctx context.Context, err error) string {
	if !gql.HasOperationContext(ctx) || gql.GetOperationContext(ctx).Operation.Operation != ast.Mutation {
		return tryAgain
	}
	switch field := gql.GetFieldContext(ctx); {
	case store.Rehearsing(ctx):
		return tryAgain
	case operation.CallerOf(ctx).Once != nil:
		return "; send it again with the same Idempotency-Key: nothing is done twice"
	case field != nil && len(field.Path()) > 1:
		return "; the mutation is done, only this field of its answer is missing: query it, and do not send the mutation again"
	case store.IsInDoubt(err):
		return ", and nobody knows whether this was done: look before you send it again. With an Idempotency-Key it is safe to send it again"
	case !isSingle(gql.GetOperationContext(ctx).Operation):
		return "; this was not done, but other mutations of the request may have been. With an Idempotency-Key it is safe to send it again"
	}
	return "; nothing was changed, try again"
}

// isSingle reports whether an operation is one mutation.
func isSingle(operation *ast.OperationDefinition) bool {
	if len(operation.SelectionSet) != 1 {
		return false
	}
	_, is := operation.SelectionSet[0].(*ast.Field)
	return is
}
