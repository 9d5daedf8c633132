package graphql

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	gql "github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// The codes in extensions.code, beside those of GraphQL itself.
const (
	codeBadInput  = "BAD_USER_INPUT"
	codeForbidden = "FORBIDDEN"
	codeConflict  = "CONFLICT"
	codeLimit     = "LIMIT_EXCEEDED"
	codeInternal  = "INTERNAL"
)

// present turns an error into what the caller sees. What is not meant for the
// caller is logged, once, under an id that the caller gets.
func (h *Handler) present(ctx context.Context, err error) *gqlerror.Error {
	shown := gql.DefaultErrorPresenter(ctx, err)
	if strings.HasPrefix(shown.Message, "exceeded token limit") {
		shown.Message = fmt.Sprintf("The document is longer than %d tokens.", maxTokens)
		return coded(shown, codeLimit)
	}
	if _, has := shown.Extensions["code"]; has {
		return shown
	}
	if problems, known := billing.AsProblems(err); known {
		shown.Message = problems.Error()
		return coded(shown, apiCode(problems[0].Code))
	}
	if isGraphQL(err) {
		return coded(shown, codeBadInput)
	}
	shown.Message = h.internal(ctx, err)
	return coded(shown, codeInternal)
}

// isGraphQL reports whether the error was made by the executor itself, about
// the request: such errors wrap no other.
func isGraphQL(err error) bool {
	var e *gqlerror.Error
	return errors.As(err, &e) && e.Err == nil
}

// internal logs a failure that is not the caller's and returns what the caller
// may know of it.
func (h *Handler) internal(ctx context.Context, err error) string {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "The request took too long and was stopped."
	}
	id := secret.RandomText(6)
	h.log.ErrorContext(ctx, "a request failed", slog.String("error_id", id), slog.Any("error", err))
	if store.IsFull(err) {
		return fmt.Sprintf("The server has no room left to store this; nothing was changed. Try again later (error %s).", id)
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
