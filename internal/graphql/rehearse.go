package graphql

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	gql "github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// The headers that ask what mutations would do, before or instead of doing it.
const (
	previewHeader = "Tenantry-Preview"
	expectHeader  = "Tenantry-Expect-Tenants"
)

// errTookTooLong ends a preview that has no answer.
var errTookTooLong = errors.New("the preview took too long")

// impactOf are the extensions of an answer that says what mutations would do.
type impactOf struct {
	Impact *impact.Impact `json:"impact"`
}

// rehearse runs mutations whose caller wants to know what they would do, and takes them
// back. It reports whether they are to be done now: they are if nobody asked for a
// preview, and they reach no more tenants than their caller expects.
func (h *Handler) rehearse(ctx context.Context, w http.ResponseWriter, r *http.Request, media string, request *gql.OperationContext) bool {
	preview, most, problem := readPreview(r)
	if problem != nil {
		problem.write(w, media)
		return false
	}
	if !preview && most < 0 {
		return true
	}
	principal, _ := oauth.PrincipalOf(ctx)
	data := node.NewAnswer(h.maxAnswer)
	ctx, shown := withErrorCount(store.WithAllowance(node.WithAnswer(operation.As(ctx, operation.Caller{Actor: principal.Actor()}), data), data.Read))
	var response *gql.Response
	found, err := h.service.Impact.Foretell(ctx, func(ctx context.Context) error {
		data.Reset()
		if response = h.execute(ctx, request, data); response == nil {
			return errTookTooLong
		}
		return nil
	})
	found = shownTo(ctx, found)
	if refused := err != nil || len(response.Errors) > 0 || found.Tenants > most; refused && !preview && h.isRepeated(ctx, r, principal.ClientID) {
		return true // and its answer is found again
	}
	switch {
	case errors.Is(err, impact.ErrTooLong):
		refuse(w, media, http.StatusServiceUnavailable, codeUnavailable, fmt.Sprintf("What this would do could not be found out within %.0f seconds, and nothing was done.", impact.Longest.Seconds()))
		return false
	case errors.Is(err, errTookTooLong):
		refuse(w, media, http.StatusServiceUnavailable, codeUnavailable, tookTooLong+tryAgain+".")
		return false
	case err != nil:
		write(w, media, http.StatusOK, nil, h.exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)}).Errors)
		return false
	case most >= 0 && found.Tenants > most:
		h.refuseReach(ctx, w, media, found, most)
		return false
	case !preview && len(response.Errors) == 0:
		return true
	case !preview: // nobody knows how many tenants it would reach, and nothing was done
		data = nil
	}
	inOrder(response.Errors)
	if data != nil && !data.IsFull() {
		response.Errors = append(response.Errors, shown.rest()...)
	}
	if data != nil {
		defer h.makeWay(ctx, w, data.Size())()
	}
	writeWith(w, media, http.StatusOK, data, response.Errors, impactOf{found})
	return false
}

// isRepeated reports whether something of the request was done before, under its key. It is
// asked after the rehearsal, which may have failed because of that.
func (h *Handler) isRepeated(ctx context.Context, r *http.Request, client string) bool {
	key := r.Header.Get("Idempotency-Key")
	if key == "" {
		return false
	}
	done, err := h.service.HasBegun(ctx, client, key)
	return done && err == nil
}

// shownTo leaves out what the caller may not read.
func shownTo(ctx context.Context, i *impact.Impact) *impact.Impact {
	if i == nil || hasScope(ctx, billing.StandardRead) {
		return i
	}
	hidden := *i
	hidden.Features = []impact.Feature{}
	if !hasScope(ctx, billing.BillingRead) {
		hidden.Money = []impact.Money{}
	}
	return &hidden
}

// readPreview reads the headers of a request: whether it asks for a preview, and how many
// tenants its caller expects to reach, -1 if it does not say.
func readPreview(r *http.Request) (preview bool, most int, problem *badRequest) {
	most = -1
	switch text := r.Header.Get(previewHeader); text {
	case "", "false":
	case "true":
		preview = true
	default:
		return false, most, bad("%s is true or false, not %q.", previewHeader, billing.Excerpt(text))
	}
	if text := r.Header.Get(expectHeader); text != "" {
		var err error
		if most, err = strconv.Atoi(text); err != nil || most < 0 {
			return false, most, bad("%s is how many tenants may be reached, such as 100, not %q.", expectHeader, billing.Excerpt(text))
		}
	}
	return preview, most, nil
}

// refuseReach answers a request that would reach more tenants than its caller expects.
func (h *Handler) refuseReach(ctx context.Context, w http.ResponseWriter, media string, found *impact.Impact, most int) {
	status := http.StatusOK
	if media == mediaGraphQL {
		status = http.StatusConflict
	}
	noun := "tenants"
	if found.Tenants == 1 {
		noun = "tenant"
	}
	err := billing.Fail(billing.Conflict, "", "This would reach %d %s, and %s is %d: nothing was done.", found.Tenants, noun, expectHeader, most)
	writeWith(w, media, status, nil, h.exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)}).Errors, impactOf{found})
}
