package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestSecondServer(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "sqlite")
	serve := func() (*store.Store, error) {
		return store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now, Exclusive: true})
	}
	first, err := serve()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := serve(); !errors.Is(err, store.ErrSecondServer) {
		t.Errorf("a second server in the same process: %v", err)
	}
	start(t, "serve", db.URL).expect("error: " + store.ErrSecondServer.Error())
	if err := addOne(first); err != nil {
		t.Errorf("the first server, after others were refused: %v", err)
	}

	// Commands work beside a server, and both can write.
	beside := db.Open(t)
	command := start(t, "write", db.URL)
	command.expect("open")
	for range 20 {
		if err := errors.Join(addOne(first), addOne(beside)); err != nil {
			t.Fatal(err)
		}
		if line := command.line(); line == "" {
			t.Fatal("a command in another process cannot write")
		}
	}
	command.kill()

	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	next, err := serve()
	if err != nil {
		t.Fatalf("a server after the first one was closed: %v", err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}

func addOne(s *store.Store) error {
	_, err := addAccount(s)
	return err
}

// TestKilledServerLeavesNoLock starts a server after another one was killed.
func TestKilledServerLeavesNoLock(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "sqlite")
	killed := start(t, "serve", db.URL)
	killed.expect("open")
	killed.kill()
	_ = killed.cmd.Wait() // it was killed: the error is no news
	s, err := store.Open(context.Background(), store.Options{URL: db.URL, Now: db.Clock.Now, Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestManyServersOnPostgres shows that PostgreSQL has no such limit.
func TestManyServersOnPostgres(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "postgres")
	for range 2 {
		s, err := store.Open(t.Context(), store.Options{URL: db.URL, Now: db.Clock.Now, Exclusive: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
	}
}
