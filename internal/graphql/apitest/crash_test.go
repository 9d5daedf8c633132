package apitest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// crashed is a process that took a request with an idempotency key, did some of
// it and was killed: its claim is never released.
type crashed struct {
	service *service.Service
	ctx     context.Context
	once    *operation.Once
}

func (s *server) crash(t *testing.T, key, document string) crashed {
	t.Helper()
	sum := sha256.Sum256(asJSON([]any{document, "", nil})) // what stands for the request
	c := crashed{service: service.New(s.db.Open(t), nil, nil), ctx: t.Context()}
	var err error
	if c.once, err = c.service.ClaimOnce(t.Context(), firstID, key, hex.EncodeToString(sum[:])); err != nil {
		t.Fatal(err)
	}
	return c
}

// create does one of the mutations of the request.
func (c crashed) create(step, name string) error {
	ctx := operation.As(c.ctx, operation.Caller{Actor: "client " + firstID, Once: c.once, Step: step})
	_, err := c.service.Customers.AccountCreate(ctx, func(a *billing.Account) error { a.Name = name; return nil }, nil)
	return err
}

// TestOnceAfterACrash: the retry goes on behind the last step that was done.
func TestOnceAfterACrash(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		document := `mutation { a: accountCreate(attributes: {name: "a"}) { account { name } } b: accountCreate(attributes: {name: "b"}) { account { name } } c: accountCreate(attributes: {name: "c"}) { account { name } } }`
		dead := s.crash(t, "k", document)
		if err := dead.create("a", "a"); err != nil {
			t.Fatal(err)
		}
		r := keyed("k", document, "")
		running := expectation{status: 200, code: conflict, message: "still running", header: map[string]string{"Retry-After": "1"}}
		running.check(t, s.send(t, r))
		s.advance(90*time.Second - time.Millisecond)
		running.check(t, s.send(t, r))
		running.status = 409
		running.check(t, s.send(t, r.with("Accept", mediaGraphQL)))
		s.advance(time.Millisecond)

		want := `{"data":{"a":{"account":{"name":"a"}},"b":{"account":{"name":"b"}},"c":{"account":{"name":"c"}}}}`
		for range 2 {
			expectation{status: 200, body: want}.check(t, s.send(t, r))
		}
		if got := s.names(t); got != "a b c" {
			t.Errorf("the accounts are %q", got)
		}
		// The process was only slow: it lost its claim and does nothing more.
		if err := dead.create("b", "b"); !billing.Is(err, billing.Conflict) {
			t.Errorf("it went on: %v", err)
		}
		if err := dead.service.Release(t.Context(), dead.once); err != nil {
			t.Errorf("release: %v", err)
		}
		expectation{status: 200, body: want}.check(t, s.send(t, r))
		if got := s.names(t); got != "a b c" {
			t.Errorf("the accounts are %q", got)
		}
	})
}

// TestOnceAfterACrashAtTheStart: nothing was done but the claim.
func TestOnceAfterACrashAtTheStart(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		document := `mutation { accountCreate(attributes: {name: "a"}) { errors } }`
		s.crash(t, "k", document)
		expectation{status: 200, code: conflict, message: "another request"}.check(t, s.send(t, keyed("k", document+" ", "")))
		s.advance(90 * time.Second)
		s.done(t, s.send(t, keyed("k", document, "")))
		if got := s.names(t); got != "a" {
			t.Errorf("the accounts are %q", got)
		}
	})
}
