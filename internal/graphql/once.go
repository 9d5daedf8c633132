package graphql

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	gql "github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// claim tells operations who they are done for and, for a mutation with an
// Idempotency-Key, makes it happen once. release must be called when the
// request is over.
func (h *Handler) claim(ctx context.Context, r *http.Request, params *gql.RawParams, request *gql.OperationContext) (_ context.Context, release func(), err error) {
	principal, _ := oauth.PrincipalOf(ctx)
	caller := operation.Caller{Actor: principal.Actor()}
	keys := r.Header.Values("Idempotency-Key")
	switch {
	case len(keys) == 0 || request.Operation.Operation != ast.Mutation:
		return operation.As(ctx, caller), func() {}, nil
	case len(keys) > 1:
		return ctx, nil, billing.Fail(billing.Invalid, "", "Send one Idempotency-Key, not %d.", len(keys))
	}
	caller.Once, err = h.service.ClaimOnce(ctx, principal.ClientID, keys[0], requestHash(params))
	if err != nil {
		return ctx, nil, err
	}
	release = sync.OnceFunc(func() {
		// Even when the caller is gone: the next one shall not have to wait.
		if err := h.service.Release(context.WithoutCancel(ctx), caller.Once); err != nil {
			h.log.WarnContext(ctx, "an idempotency key was not released", slog.Any("error", err))
		}
	})
	return operation.As(ctx, caller), release, nil
}

// requestHash stands for all that makes a request what it is. Blanks and the
// order of fields in its JSON do not.
func requestHash(params *gql.RawParams) string {
	text, err := json.Marshal([]any{params.Query, params.OperationName, params.Variables})
	if err != nil {
		panic(err) // it was read from JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (h *Handler) refuseClaim(ctx context.Context, w http.ResponseWriter, media string, err error) {
	status := http.StatusOK
	if media == mediaGraphQL {
		switch {
		case billing.Is(err, billing.Conflict):
			status = http.StatusConflict
		case billing.Is(err, billing.Invalid):
			status = http.StatusBadRequest
		default:
			status = http.StatusInternalServerError
		}
	}
	if errors.Is(err, operation.ErrStillRunning) {
		w.Header().Set("Retry-After", "1")
	}
	write(w, media, status, nil, h.exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)}).Errors)
}
