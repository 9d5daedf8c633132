package graphql

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	gql "github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// The codes in extensions.code, beside those of GraphQL itself.
const (
	codeBadInput    = "BAD_USER_INPUT"
	codeForbidden   = "FORBIDDEN"
	codeConflict    = "CONFLICT"
	codeLimit       = "LIMIT_EXCEEDED"
	codeUnavailable = "UNAVAILABLE"
	codeInternal    = "INTERNAL"
)

// present turns an error into what the caller sees. What is not meant for the
// caller is logged, once, under an id that the caller gets. It returns nil for
// an error that is not shown because there are too many.
func (h *Handler) present(ctx context.Context, err error) *gqlerror.Error {
	if isOneTooMany(ctx) {
		return nil
	}
	shown := h.explain(ctx, err)
	shown.Message = bounded(shown.Message)
	return shown
}

func (h *Handler) explain(ctx context.Context, err error) *gqlerror.Error {
	shown := gql.DefaultErrorPresenter(ctx, err)
	argument := placed(ctx, shown)
	switch {
	case strings.HasPrefix(shown.Message, "exceeded token limit"):
		shown.Message = fmt.Sprintf("The document is longer than %d tokens.", maxTokens)
		return coded(shown, codeLimit)
	case shown.Message == "must not be null", shown.Message == "the requested element is null which the schema does not allow":
		// Foreign keys see to it that what must be there is; but a query is
		// several statements, and somebody may delete between two of them.
		shown.Message = "Something of it was deleted while it was read; ask again."
		return coded(shown, codeConflict)
	case strings.HasPrefix(shown.Message, "exceeded maximum nesting depth"):
		shown.Message = fmt.Sprintf("The document is nested far too deep; at most %d fields are allowed.", maxDepth)
		return coded(shown, codeLimit)
	}
	if _, has := shown.Extensions["code"]; has {
		return shown
	}
	if problems, known := billing.AsProblems(err); known {
		shown.Message = argument + problems.Error()
		return coded(shown, apiCode(problems[0].Code))
	}
	if isGraphQL(err) {
		return coded(shown, codeBadInput)
	}
	shown.Message = h.internal(ctx, err)
	if store.IsUnavailable(err) {
		return coded(shown, codeUnavailable)
	}
	return coded(shown, codeInternal)
}

// placed makes the path of an error that of a field in the answer. The library
// goes on into the arguments; what is left over says which of them is at fault.
func placed(ctx context.Context, e *gqlerror.Error) (argument string) {
	fc := gql.GetFieldContext(ctx)
	if fc == nil || fc.Field.Field == nil {
		return ""
	}
	field := fc.Path()
	if len(e.Path) <= len(field) {
		return ""
	}
	argument = strings.ReplaceAll(e.Path[len(field):].String(), "[", ".")
	e.Path = field
	if e.Locations == nil {
		e.Locations = locationOf(fc.Field.Position)
	}
	return strings.Trim(strings.ReplaceAll(argument, "]", ""), ".") + ": "
}

func locationOf(p *ast.Position) []gqlerror.Location {
	if p == nil {
		return nil
	}
	return []gqlerror.Location{{Line: p.Line, Column: p.Column}}
}

// isGraphQL reports whether the error was made by the executor itself, about
// the request: such errors wrap no other.
func isGraphQL(err error) bool {
	var e *gqlerror.Error
	return errors.As(err, &e) && e.Err == nil
}

const tookTooLong = "The request took too long and was stopped"

// internal logs a failure that is not the caller's and returns what the caller
// may know of it.
func (h *Handler) internal(ctx context.Context, err error) string {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return tookTooLong + whatNow(ctx, err) + "."
	}
	if errors.Is(err, store.ErrUnsure) {
		return "The clock of the server cannot be believed, so nothing was changed that depends on what day it is. Try again later, or have somebody resume the lifecycle."
	}
	id := secret.RandomText(6)
	h.log.ErrorContext(ctx, "a request failed", slog.String("error_id", id), slog.Any("error", err))
	if store.IsFull(err) {
		return fmt.Sprintf("The server has no room left to store this; nothing was changed. Try again later (error %s).", id)
	}
	if store.IsUnavailable(err) {
		return fmt.Sprintf("The database cannot answer at the moment%s (error %s).", whatNow(ctx, err), id)
	}
	return fmt.Sprintf("internal error (error %s)", id)
}

type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// recovered turns a panic into an error; its stack goes to the log.
func (h *Handler) recovered(ctx context.Context, value any) error {
	h.log.ErrorContext(ctx, "a request panicked", slog.Any("panic", value), slog.String("stack", string(debug.Stack())))
	return panicked{value}
}

func apiCode(code billing.Code) string {
	switch code {
	case billing.Forbidden:
		return codeForbidden
	case billing.Conflict:
		return codeConflict
	case billing.TooMany:
		return codeLimit
	}
	return codeBadInput
}

func coded(e *gqlerror.Error, code string) *gqlerror.Error {
	if e.Extensions == nil {
		e.Extensions = map[string]any{}
	}
	e.Extensions["code"] = code
	return e
}
