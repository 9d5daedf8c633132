package graphql

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	gql "github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// TenantState answers POST /tenants/state, which is the mutation tenantStateReport for
// reports that are too large for GraphQL. The caller's token has been checked before.
func (h *Handler) TenantState() http.Handler { return http.HandlerFunc(h.tenantState) }

func (h *Handler) tenantState(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(gql.StartOperationTrace(context.WithoutCancel(r.Context())), requestTime)
	defer cancel()
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, mediaJSON, http.StatusMethodNotAllowed, codeBadInput, "Send a report with POST.")
		return
	}
	if p, _ := oauth.PrincipalOf(ctx); !p.Has(billing.StandardWrite) {
		h.refuseState(ctx, w, billing.Fail(billing.Forbidden, "", "A report needs the scope %s, which the access token does not have.", billing.StandardWrite))
		return
	}
	if r.Header.Get(previewHeader) != "" || r.Header.Get(expectHeader) != "" {
		h.refuseState(ctx, w, billing.Invalidf("", "A report cannot be previewed here, and nothing was done: send the mutation tenantStateReport with %s or %s.", previewHeader, expectHeader))
		return
	}
	g, ok := h.admit(w, r, mediaJSON)
	if !ok {
		return
	}
	defer g.gone()
	body, err := io.ReadAll(http.MaxBytesReader(g, r.Body, drift.MostBytes))
	if err != nil {
		h.refuseState(ctx, g, unreadBody(err))
		return
	}
	if ctx, ok = g.enter(ctx, mediaJSON); !ok {
		return
	}
	report, err := readState(r)
	if err != nil {
		h.refuseState(ctx, g, err)
		return
	}
	done, err := h.reportOnce(ctx, r, body, report)
	if err != nil {
		h.refuseState(ctx, g, err)
		return
	}
	writeState(g, done)
}

func unreadBody(err error) error {
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return billing.Fail(billing.TooMany, "", "A request has at most %d MiB. Send several with one report id.", drift.MostBytes>>20)
	}
	return billing.Invalidf("", "The request ended before it was complete.")
}

// readState reads which report a request is of.
func readState(r *http.Request) (report drifts.Report, err error) {
	query := r.URL.Query()
	report.PlatformCode = query.Get("platform")
	if report.PlatformCode == "" {
		return report, billing.Requiredf("platform", "Say whose tenants these are: POST /tenants/state?platform=CODE.")
	}
	if query.Has("report") {
		name := query.Get("report")
		report.Name = &name
	}
	if complete := query.Get("complete"); complete != "" {
		if report.Complete, err = strconv.ParseBool(complete); err != nil {
			return report, billing.Invalidf("complete", "complete is true or false, not %q.", billing.Excerpt(complete))
		}
	}
	return report, nil
}

// reportOnce carries out a report, and once for an Idempotency-Key.
func (h *Handler) reportOnce(ctx context.Context, r *http.Request, body []byte, report drifts.Report) (*drifts.Outcome, error) {
	principal, _ := oauth.PrincipalOf(ctx)
	caller := operation.Caller{Actor: principal.Actor(), Step: "tenantStateReport"}
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		sum := sha256.Sum256(append([]byte(r.URL.RawQuery+"\n"), body...))
		once, err := h.service.ClaimOnce(ctx, principal.ClientID, key, hex.EncodeToString(sum[:]))
		if err != nil {
			return nil, err
		}
		caller.Once = once
		defer func() {
			if err := h.service.Release(context.WithoutCancel(ctx), once); err != nil {
				h.log.WarnContext(ctx, "an idempotency key was not released", "error", err)
			}
		}()
	}
	return h.service.Drifts.TenantStateReportOf(operation.As(ctx, caller), report, body)
}

// refuseState answers a report that does not count.
func (h *Handler) refuseState(ctx context.Context, w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	for code, is := range map[billing.Code]int{
		billing.Invalid: http.StatusBadRequest, billing.Required: http.StatusBadRequest, billing.NotFound: http.StatusNotFound, billing.NotAllowed: http.StatusConflict,
		billing.Conflict: http.StatusConflict, billing.TooMany: http.StatusRequestEntityTooLarge, billing.Forbidden: http.StatusForbidden,
	} {
		if billing.Is(err, code) {
			status = is
		}
	}
	if errors.Is(err, operation.ErrStillRunning) {
		w.Header().Set("Retry-After", "1")
	}
	write(w, mediaJSON, status, nil, h.exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(err)}).Errors)
}

// stateAnswer is the answer to a report.
type stateAnswer struct {
	Report   *reportAnswer  `json:"report"`
	Outcomes drift.Counts   `json:"outcomes"`
	Repaired int            `json:"repaired"`
	Tenants  []tenantAnswer `json:"tenants"`
}

type reportAnswer struct {
	ID       string       `json:"id"`
	Complete bool         `json:"complete"`
	Outcomes drift.Counts `json:"outcomes"`
	Held     bool         `json:"held"`
}

type tenantAnswer struct {
	Code       string             `json:"code"`
	Outcome    drift.Outcome      `json:"outcome"`
	Sequence   int                `json:"sequence"`
	Persistent bool               `json:"persistent"`
	Repaired   bool               `json:"repaired"`
	Features   []drift.Difference `json:"features"`
}

func writeState(w http.ResponseWriter, done *drifts.Outcome) {
	answer := stateAnswer{Outcomes: done.Counts, Repaired: done.Repaired, Tenants: []tenantAnswer{}}
	if full := done.Full; full != nil {
		answer.Report = &reportAnswer{full.Name, full.CompletedAt != nil, full.Outcomes, full.Held}
	}
	for _, t := range done.Differing {
		if t.Differences == nil {
			t.Differences = []drift.Difference{}
		}
		answer.Tenants = append(answer.Tenants, tenantAnswer{t.Code, t.Outcome, t.Sequence, t.Persistent, t.Repaired, t.Differences})
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(answer) // the caller may be gone; there is nobody left to tell
}
