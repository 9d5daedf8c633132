package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRequestsReadTheDatabaseOnlyWhenItsTimeHasCome(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	token := r.token(a)
	statements := func(do func()) int64 {
		before := r.store.Statements()
		do()
		return r.store.Statements() - before
	}
	busy := func() {
		var wait sync.WaitGroup
		for range 50 {
			wait.Go(func() {
				tokenIn(t, r.ask(a))
				wantPassed(t, r.present(token), a)
			})
		}
		wait.Wait()
	}
	r.world.clock.pass(clientsAge)
	if n := statements(busy); n != 0 {
		t.Errorf("%d statements while everything is known", n)
	}
	r.world.clock.pass(time.Millisecond)
	if n := statements(busy); n != 1 {
		t.Errorf("%d statements for one refresh", n)
	}
}

func TestStrangersDoNotHammerTheDatabase(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	forged := forgedKeyID(r.token(a))
	before := r.store.Statements()
	for range 300 {
		wantFailure(t, r.ask(app{a.Client, "wrong"}), 401, "invalid_client")
		wantRefused(t, r.present(forged), "The access token is invalid")
	}
	if n := r.store.Statements() - before; n > 25 {
		t.Errorf("%d statements", n)
	}
	r.world.clock.pass(100 * time.Millisecond)
	before = r.store.Statements()
	for range 100 {
		r.ask(app{a.Client, "wrong"})
	}
	if n := r.store.Statements() - before; n != 2 {
		t.Errorf("%d statements in another tenth of a second, want 2", n)
	}
}

// forgedKeyID returns the token with a header that names another key.
func forgedKeyID(token string) string {
	_, rest, _ := strings.Cut(token, ".")
	return base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"at+jwt","alg":"ES256","kid":"x"}`)) + "." + rest
}

// slowLoad is a load that begins and ends when the test says so.
type slowLoad struct {
	begun chan struct{}
	end   chan error
	count atomic.Int64
}

func slowMirror() (*mirror, *slowLoad) {
	l := &slowLoad{begun: make(chan struct{}), end: make(chan error)}
	return &mirror{
		what: "test", elapsed: func() time.Duration { return 0 }, log: slog.New(slog.DiscardHandler),
		load: func(context.Context, time.Duration) error {
			l.count.Add(1)
			l.begun <- struct{}{}
			return <-l.end
		},
	}, l
}

func TestRefreshDoesNotTrustAReadingThatBeganBefore(t *testing.T) {
	m, load := slowMirror()
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { first <- m.refresh(t.Context()) }()
	<-load.begun
	go func() { second <- m.refresh(t.Context()) }()
	load.end <- nil
	if err := <-first; err != nil {
		t.Error(err)
	}
	<-load.begun // the second reads for itself
	load.end <- nil
	if err := <-second; err != nil {
		t.Error(err)
	}
}

func TestFailureIsSharedAndARequestThatEndsDoesNotWait(t *testing.T) {
	m, load := slowMirror()
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { first <- m.fresh(ctx, time.Second) }()
	<-load.begun
	cancel() // the reading goes on: others may wait for it

	if err := m.fresh(ctx, time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that ended got %v", err)
	}
	away := errors.New("away")
	load.end <- away
	if err := <-first; err != away {
		t.Errorf("got %v", err)
	}
	if n := load.count.Load(); n != 1 {
		t.Errorf("%d readings", n)
	}
}

func TestPanicInAReadingLeavesNobodyWaiting(t *testing.T) {
	m, _ := slowMirror()
	m.load = func(context.Context, time.Duration) error { panic("broken") }
	for range 2 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is lost")
				}
			}()
			_ = m.refresh(t.Context())
		}()
	}
}

func TestClientsChangedWithoutDatabaseTrustsNothing(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	token := r.token(a)
	r.store.Close()
	r.ClientsChanged(t.Context())
	wantUnavailable(t, r, a, token)
}
