package graphql

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/store"
)

// Admission is what bounds requests. What is nil bounds nothing.
type Admission struct {
	Gate    *admission.Gate
	Budgets *admission.Budgets
	// Unread bounds the answers that wait for slow readers.
	Unread *admission.Room
}

// Admit has requests bounded. It comes before all requests.
func (h *Handler) Admit(a Admission) { h.admission = a }

// guest is a request that its caller's budget allows. It counts what it takes.
type guest struct {
	http.ResponseWriter
	handler *Handler
	caller  admission.Caller
	visit   *admission.Visit
	leave   func()
	sent    *admission.Counter
	bytes   int64 // of the answer
}

// callerOf is who a request is charged to.
func callerOf(p oauth.Principal) admission.Caller {
	c := admission.Caller{Key: p.ClientID, Label: p.ClientID}
	if p.Client == nil { // a user of the console
		c.Label = "console"
		return c
	}
	given := func(limit *int) int {
		if limit == nil {
			return 0
		}
		return *limit
	}
	c.Limits = admission.Limits{
		Requests: given(p.Client.MaxConcurrentRequests), CPU: time.Duration(given(p.Client.MaxCPUSecondsPerMinute)) * time.Second,
		Bytes: int64(given(p.Client.MaxMegabytesPerMinute)) << 20,
	}
	return c
}

// admit lets a request in if the caller's budget allows it, and answers it
// otherwise. Its body has not been read yet.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request, media string) (*guest, bool) {
	principal, _ := oauth.PrincipalOf(r.Context())
	g := &guest{ResponseWriter: w, handler: h, caller: callerOf(principal), sent: admission.Count(r)}
	if h.admission.Budgets == nil {
		return g, true
	}
	var no *admission.Refusal
	if g.visit, no = h.admission.Budgets.Begin(g.caller); no != nil {
		w.Header().Set("Retry-After", strconv.Itoa(int(no.After/time.Second)))
		refuse(w, media, http.StatusTooManyRequests, codeLimit, "The API client "+no.Message())
		return nil, false
	}
	return g, true
}

// enter waits until the request may run, and answers it if that takes too long.
// The request has been read: who sends slowly keeps nobody out.
func (g *guest) enter(ctx context.Context, media string) (context.Context, bool) {
	ctx = store.ForRequest(ctx)
	if gate := g.handler.admission.Gate; gate != nil {
		leave, err := gate.Enter(ctx, g.caller.Key)
		if err != nil {
			refuse(g, media, http.StatusServiceUnavailable, codeUnavailable, "The server has too many requests at the moment, and did not begin this one. Send it again.")
			return ctx, false
		}
		g.leave, ctx = leave, gate.Hold(ctx, g.caller.Key)
	}
	if g.visit != nil {
		g.visit.Run(ctx)
	}
	return ctx, true
}

// gone charges the caller.
func (g *guest) gone() {
	if g.leave != nil {
		g.leave()
	}
	if g.visit != nil {
		g.visit.End(g.sent.Bytes() + g.bytes)
	}
}

func (g *guest) Write(p []byte) (int, error) {
	n, err := g.ResponseWriter.Write(p)
	g.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the writer below.
func (g *guest) Unwrap() http.ResponseWriter { return g.ResponseWriter }
