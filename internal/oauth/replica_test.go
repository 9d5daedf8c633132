package oauth

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestDeletedClientIsRefusedEverywhere(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		here, there := w.replica(), w.replica()
		a := here.createClient()
		token, other := there.token(a), here.token(a)
		for _, r := range []*replica{here, there} {
			wantPassed(t, r.present(token), a) // remembered in both
		}
		here.deleteClient(a)
		wantRefused(t, here.present(token), "The access token was revoked")
		wantFailure(t, here.ask(a), 401, "invalid_client")

		w.clock.pass(time.Second)
		wantRefused(t, there.present(token), "The access token was revoked")
		wantRefused(t, there.present(other), "The access token was revoked")
		wantFailure(t, there.ask(a), 401, "invalid_client")
	})
}

func TestNewClientIsKnownEverywhereAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		here, there := w.replica(), w.replica()
		for range 3 { // the clock stands still
			a := here.createClient()
			tokenIn(t, there.ask(a))
			b := here.createClient()
			wantPassed(t, there.present(here.token(b)), b)
		}
	})
}

func TestChangedClientIsKnownEverywhere(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		here, there := w.replica(), w.replica()
		a := here.createClient(billing.StandardWrite)
		wantFailure(t, there.ask(a), 400, "invalid_scope")
		_, err := here.service.Access.ClientUpdate(t.Context(), a.ID, func(c *billing.Client) error {
			c.Scopes = []string{billing.StandardRead}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		token := there.token(a) // the new scope, at once

		renewed := here.renewSecret(a, 0, true)
		tokenIn(t, there.ask(renewed)) // the new secret, at once
		w.clock.pass(time.Second)
		wantFailure(t, there.ask(a), 401, "invalid_client")
		wantRefused(t, there.present(token), "The access token was revoked")
		wantPassed(t, here.present(there.token(renewed)), renewed)
	})
}

// TestScopeIsTakenFromTokens: a scope that a client loses is lost to tokens
// issued before, also where they are remembered, and comes back with it.
func TestScopeIsTakenFromTokens(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		here, there := w.replica(), w.replica()
		a := here.createClient(billing.StandardRead, billing.StandardWrite)
		token := here.issue(a, billing.StandardRead+" "+billing.StandardWrite, 3600)
		set := func(scopes ...string) {
			_, err := here.service.Access.ClientUpdate(t.Context(), a.ID, func(c *billing.Client) error {
				c.Scopes = scopes
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		want := func(r *replica, scopes ...string) {
			t.Helper()
			if p := r.principal(token); p == nil || !slices.Equal(p.Scopes, scopes) {
				t.Errorf("the token is of %+v, want %q", p, scopes)
			}
		}
		want(here, billing.StandardRead, billing.StandardWrite)
		want(there, billing.StandardRead, billing.StandardWrite)
		set(billing.StandardRead)
		want(here, billing.StandardRead)
		w.clock.pass(time.Second)
		want(there, billing.StandardRead)
		set(billing.AdminRead)
		want(here)
		w.clock.pass(time.Second)
		want(there)
		set(billing.Scopes...) // no more than the token had
		want(here, billing.StandardRead, billing.StandardWrite)
	})
}

// TestRightsEndThoughTheClockGoesBack: the time that all go by is set back, and
// what a client lost is lost to its tokens a second later all the same.
func TestRightsEndThoughTheClockGoesBack(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		here, there := w.replica(), w.replica()
		a, b := here.createClient(), here.createClient()
		first, second := there.token(a), there.token(b)
		wantPassed(t, there.present(first), a)
		w.clock.set(-4 * time.Minute)
		here.deleteClient(a)
		if _, err := here.service.Access.ClientUpdate(t.Context(), b.ID, func(c *billing.Client) error {
			c.Scopes = []string{billing.AdminRead}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		w.clock.pass(time.Second)
		wantRefused(t, there.present(first), "The access token was revoked")
		if p := there.principal(second); p == nil || len(p.Scopes) != 0 {
			t.Errorf("the token is of %+v, want one without scopes", p)
		}
	})
}

func TestReplicasMakeOneKey(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		var stores []*store.Store
		for range 4 {
			stores = append(stores, w.open())
		}
		servers := make([]*Server, len(stores))
		var wait sync.WaitGroup
		for i, st := range stores {
			wait.Go(func() {
				s, err := New(t.Context(), w.options(st))
				if err != nil {
					t.Error(err)
				}
				servers[i] = s
			})
		}
		wait.Wait()
		if t.Failed() {
			return
		}
		for _, s := range servers {
			if keys := s.keys.known.Load().keys; len(keys) != 1 || keys[0].id != servers[0].keys.known.Load().keys[0].id {
				t.Errorf("the replicas have different keys")
			}
		}

		w.clock.pass(rotateAfter)
		for _, s := range servers {
			wait.Go(func() {
				if err := s.runOnce(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if rows, err := store.SigningKeys(t.Context(), stores[0].Queries()); err != nil || len(rows) != 2 {
			t.Errorf("%d keys after a rotation: %v", len(rows), err)
		}
	})
}

func TestKeyOfAnotherReplicaIsFetchedWhenATokenNamesIt(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		here, there := w.replica(), w.replica()
		a := here.createClient()
		w.clock.pass(rotateAfter)
		if err := here.keys.prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.clock.pass(publishedBefore)
		old, _ := parts(t, there.token(a)) // there does not know the new key yet
		token := here.token(a)
		if header, _ := parts(t, token); header["kid"] == old["kid"] {
			t.Fatal("the new key does not sign")
		}
		wantPassed(t, there.present(token), a)
	})
}

// TestIdleReplica misses a deletion whose mark is gone when it wakes up.
func TestIdleReplicaLearnsOfForgottenClients(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		here, idle := w.replica(), w.replica()
		a := here.createClient()
		tokenIn(t, idle.ask(a))
		here.deleteClient(a)
		w.clock.pass(deletedAfter + time.Second)
		if err := here.runOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if c, err := store.ClientByClientID(t.Context(), here.store.Queries(), a.ClientID); err != nil || c != nil {
			t.Fatalf("the mark is still there: %v, %v", c, err)
		}
		wantFailure(t, idle.ask(a), 401, "invalid_client")
	})
}

func TestDatabaseAway(t *testing.T) {
	w := sqliteWorld(t)
	r := w.replica()
	a := r.createClient()
	token := r.token(a)
	r.store.Close()
	wantPassed(t, r.present(token), a) // not older than may be
	for range 3 {
		w.clock.pass(clientsAge + time.Millisecond)
		wantUnavailable(t, r, a, token)
	}
	wantFailure(t, r.do(tokenRequest("grant_type=password")), 400, "unsupported_grant_type") // needs no database
	if n := strings.Count(w.log.String(), "level=ERROR"); n != 1 {
		t.Errorf("%d errors in the log, want 1:\n%s", n, w.log.String())
	}
}

func TestDatabaseAwayAndBack(t *testing.T) {
	server := storetest.PostgresServer(t)
	w := newWorld(t, server.URL("postgres"))
	r := w.replica()
	a := r.createClient()
	token := r.token(a)
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	w.clock.pass(time.Second)
	wantUnavailable(t, r, a, token)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	wantPassed(t, r.present(token), a)
	tokenIn(t, r.ask(a))
	if log := w.log.String(); !strings.Contains(log, "works again") {
		t.Errorf("the log does not say that it works again: %s", log)
	}
}

func wantUnavailable(t *testing.T, r *replica, a app, token string) {
	t.Helper()
	answer := r.present(token)
	const body = `{"errors":[{"message":"The access token cannot be checked at the moment. Try again.","extensions":{"code":"UNAVAILABLE"}}]}`
	if answer.Code != http.StatusServiceUnavailable || answer.Body.String() != body || answer.Header().Get("Retry-After") == "" {
		t.Errorf("got %d %s", answer.Code, answer.Body)
	}
	wantFailure(t, r.ask(a), http.StatusServiceUnavailable, "temporarily_unavailable")
}
