package clienttest

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/client"
)

const (
	graphqlPath = "/graphql"
	tokenPath   = "/oauth/token"
)

// TestPassingFailures: each of them is over at the next try, and the call
// succeeds.
func TestPassingFailures(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	for name, c := range map[string]struct {
		path  string
		fault fault
		least time.Duration
	}{
		"too many requests":          {graphqlPath, answers(429, "slow down", "Retry-After", "7"), 7 * time.Second},
		"unavailable":                {graphqlPath, answers(503, ""), 100 * time.Millisecond},
		"unavailable until a date":   {graphqlPath, untilDate, 10 * time.Second},
		"a bad gateway":              {graphqlPath, answers(502, "<html>"), 100 * time.Millisecond},
		"a gateway that waited":      {graphqlPath, answers(504, ""), 100 * time.Millisecond},
		"a broken connection":        {graphqlPath, cut, 100 * time.Millisecond},
		"a lost answer":              {graphqlPath, loseAnswer, 100 * time.Millisecond},
		"half an answer":             {graphqlPath, halfAnswer, 100 * time.Millisecond},
		"still running":              {graphqlPath, answers(200, stillRunningAnswer, "Retry-After", "1"), time.Second},
		"no token for too many":      {tokenPath, answers(429, `{"error":"too_many_requests","error_description":"x"}`, "Retry-After", "3"), 3 * time.Second},
		"no token while unavailable": {tokenPath, answers(503, ""), 100 * time.Millisecond},
		"no connection for a token":  {tokenPath, cut, 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t, s)
			n.breakNext(c.path, c.fault)
			caller, pauses := dial(t, n.URL)
			if _, err := caller.AccountCreate(t.Context(), client.AccountAttributes{Name: client.Some(name)}); err != nil {
				t.Fatal(err)
			}
			if got := len(n.requests(c.path)); got != 2 {
				t.Errorf("%d requests for %s", got, c.path)
			}
			if len(pauses.all) != 1 || pauses.all[0] < c.least {
				t.Errorf("it waited for %v, at least %s was asked for", pauses.all, c.least)
			}
			made := 0
			for _, account := range must[[]client.Account](t)(caller.Accounts(t.Context(), "", 0)) {
				if account.Name == name {
					made++
				}
			}
			if made != 1 {
				t.Errorf("the account was made %d times", made)
			}
		})
	}
}

// untilDate asks to wait for 20 seconds, by a date.
func untilDate(w http.ResponseWriter, r *http.Request, carry http.Handler) {
	answers(503, "", "Retry-After", time.Now().Add(20*time.Second).UTC().Format(http.TimeFormat))(w, r, carry)
}

// halfAnswer breaks off in the middle of a body.
func halfAnswer(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"data":`))
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// TestRetriedMutationHasOneKey: all tries of a mutation carry the same key, two
// mutations carry two, and queries carry none.
func TestRetriedMutationHasOneKey(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, start(t, "sqlite"))
	c, _ := dial(t, n.URL)
	n.breakNext(graphqlPath, loseAnswer, answers(503, ""), cut)
	first := must[*client.Account](t)(c.AccountCreate(t.Context(), client.AccountAttributes{Name: client.Some("Once")}))
	second := must[*client.Account](t)(c.AccountCreate(t.Context(), client.AccountAttributes{Name: client.Some("Twice")}))
	must[*client.Account](t)(c.Account(t.Context(), client.AccountKey{ID: second.ID}))
	own := client.WithIdempotencyKey(t.Context(), "job 12")
	third := must[*client.Account](t)(c.AccountCreate(own, client.AccountAttributes{Name: client.Some("Own")}))
	again := must[*client.Account](t)(c.AccountCreate(own, client.AccountAttributes{Name: client.Some("Own")}))
	if third.ID != again.ID {
		t.Errorf("the same key made %s and %s", third.ID, again.ID)
	}

	var keys []string
	for _, r := range n.requests(graphqlPath) {
		keys = append(keys, r.Header.Get("Idempotency-Key"))
	}
	if len(keys) != 8 || len(slices.Compact(slices.Clone(keys[:4]))) != 1 || keys[0] == "" {
		t.Fatalf("the keys are %q", keys)
	}
	if keys[4] == keys[0] || keys[4] == "" || keys[5] != "" || keys[6] != "job 12" || keys[7] != "job 12" {
		t.Errorf("the keys are %q", keys)
	}
	found := must[[]client.Account](t)(c.Accounts(t.Context(), "", 0))
	if len(found) != 3 || found[0].ID != first.ID {
		t.Errorf("there are %d accounts: %v", len(found), found)
	}
}

const stillRunningAnswer = `{"data":null,"errors":[{"message":"Still running.","extensions":{"code":"CONFLICT"}}]}`

// TestLongMutation: while the server says that the first try still runs, it is
// asked again, more often than a failure would be, but not forever.
func TestLongMutation(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, start(t, "sqlite"))
	c, _ := dial(t, n.URL)
	running := answers(200, stillRunningAnswer, "Retry-After", "1")
	n.breakNext(graphqlPath, slices.Repeat([]fault{running}, 30)...)
	must[*client.Account](t)(c.AccountCreate(t.Context(), client.AccountAttributes{Name: client.Some("Slow")}))
	n.breakNext(graphqlPath, slices.Repeat([]fault{running}, 1000)...)
	var failed client.Errors
	if _, err := c.AccountCreate(t.Context(), client.AccountAttributes{Name: client.Some("Stuck")}); !errors.As(err, &failed) || !failed.Has(client.CodeConflict) {
		t.Errorf("the error is %v", err)
	}
}

// TestLastingFailures: these are returned, after as many requests as make
// sense.
func TestLastingFailures(t *testing.T) {
	t.Parallel()
	s := start(t, "sqlite")
	repeat := func(f fault) []fault { return slices.Repeat([]fault{f}, 20) }
	for name, c := range map[string]struct {
		path     string
		fault    fault
		requests int
		want     func(error) bool
	}{
		"unavailable for long": {graphqlPath, answers(503, "down"), 5, httpStatus(503)},
		"a wait that is too long": {graphqlPath, answers(429, "", "Retry-After", "3600"), 1, func(err error) bool {
			var failure *client.HTTPError
			return errors.As(err, &failure) && failure.RetryAfter == time.Hour
		}},
		"a token that is never good": {graphqlPath, answers(401, `[{"description":["The access token is invalid"]}]`), 2, httpStatus(401)},
		"a connection that always breaks": {graphqlPath, cut, 5, func(err error) bool {
			var broken *client.ConnectionError
			return errors.As(err, &broken)
		}},
		"not found":          {graphqlPath, answers(404, "no such page"), 1, httpStatus(404)},
		"a redirect":         {graphqlPath, answers(307, "", "Location", "/elsewhere"), 1, httpStatus(307)},
		"no JSON":            {graphqlPath, answers(200, "<html>"), 1, func(err error) bool { return err != nil }},
		"a token page":       {tokenPath, answers(200, "<html>"), 1, func(err error) bool { return err != nil }},
		"a token error page": {tokenPath, answers(500, "<html>"), 1, httpStatus(500)},
		"no token for long":  {tokenPath, answers(503, ""), 5, httpStatus(503)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNetwork(t, s)
			n.breakNext(c.path, repeat(c.fault)...)
			caller, _ := dial(t, n.URL)
			_, err := caller.CurrentClient(t.Context())
			if !c.want(err) {
				t.Errorf("the error is %v (%T)", err, err)
			}
			if got := len(n.requests(c.path)); got != c.requests {
				t.Errorf("%d requests, not %d", got, c.requests)
			}
		})
	}
}

func httpStatus(status int) func(error) bool {
	return func(err error) bool {
		var failure *client.HTTPError
		return errors.As(err, &failure) && failure.Status == status
	}
}

// TestTimeoutOfOneTry: a server that does not answer is asked again.
func TestTimeoutOfOneTry(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, start(t, "sqlite"))
	c, err := client.NewWith(client.Config{
		BaseURL: n.URL, ClientID: firstID, ClientSecret: firstSecret, Timeout: 2 * time.Second, UserAgent: "shop/1",
	})
	if err != nil {
		t.Fatal(err)
	}
	must[*client.CurrentClient](t)(c.CurrentClient(t.Context()))
	n.breakNext(graphqlPath, func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() })
	must[*client.CurrentClient](t)(c.CurrentClient(t.Context()))
	requests := n.requests(graphqlPath)
	if len(requests) < 3 || requests[0].UserAgent() != "shop/1 tenantry-go" {
		t.Errorf("%d requests, by %q", len(requests), requests[0].UserAgent())
	}
}

// TestCanceledCalls end at once, whatever they wait for.
func TestCanceledCalls(t *testing.T) {
	t.Parallel()
	n := newNetwork(t, start(t, "sqlite"))
	gone := errors.New("nobody waits any more")
	for name, setup := range map[string]func(c *client.Config, cancel context.CancelCauseFunc){
		"before": func(_ *client.Config, cancel context.CancelCauseFunc) { cancel(gone) },
		"while it waits for a token": func(_ *client.Config, cancel context.CancelCauseFunc) {
			n.breakNext(tokenPath, func(w http.ResponseWriter, r *http.Request, carry http.Handler) {
				cancel(gone)
				carry.ServeHTTP(w, r)
			})
		},
		"while it waits for an answer": func(_ *client.Config, cancel context.CancelCauseFunc) {
			n.breakNext(graphqlPath, func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
				cancel(gone)
				<-r.Context().Done()
			})
		},
		"while it waits for the next try": func(c *client.Config, cancel context.CancelCauseFunc) {
			n.breakNext(graphqlPath, answers(503, ""))
			c.Wait = func(ctx context.Context, _ time.Duration) error {
				cancel(gone)
				<-ctx.Done()
				return context.Cause(ctx)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c := dialWith(t, n.URL, func(config *client.Config) { setup(config, cancel) })
			_, err := c.CurrentClient(ctx)
			if !errors.Is(err, gone) && !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
