package store_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// request is one call of Write, or of Rehearse; ctx is the test's own if it is nil.
type request struct {
	ctx      context.Context
	do       func(ctx context.Context, tx *store.Tx) error
	rehearse func(ctx context.Context) error
}

func (r *request) run(s *store.Store) error {
	if r.rehearse != nil {
		return s.Rehearse(r.ctx, r.rehearse)
	}
	return s.Write(r.ctx, r.do)
}

// inOneGroup hands requests to SQLite's writer while it is busy, so that it
// runs them in their order and commits them together. It returns what came of
// each.
func inOneGroup(t *testing.T, s *store.Store, requests []request) []error {
	t.Helper()
	if len(requests) > db.GroupSize {
		t.Fatalf("a group has %d requests at the most", db.GroupSize)
	}
	var group sync.WaitGroup
	started, release := make(chan bool), make(chan bool)
	group.Go(func() {
		err := s.Write(context.Background(), func(context.Context, *store.Tx) error {
			close(started)
			<-release
			return nil
		})
		if err != nil {
			t.Errorf("keeping the writer busy: %v", err)
		}
	})
	<-started
	errs := make([]error, len(requests))
	for i, r := range requests {
		if r.ctx == nil {
			r.ctx = t.Context()
		}
		group.Go(func() {
			if p := panicOf(func() { errs[i] = r.run(s) }); p != nil {
				errs[i] = fmt.Errorf("panic: %v", p)
			}
		})
		for s.Waiting() <= i {
			runtime.Gosched()
		}
	}
	close(release)
	group.Wait()
	return errs
}

func insertNamed(name string) func(context.Context, *store.Tx) error {
	return func(ctx context.Context, tx *store.Tx) error {
		return store.Accounts.Insert(ctx, tx, &billing.Account{Name: name})
	}
}

func TestWaitingTransactionsShareACommit(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "sqlite")
	s := db.Open(t)
	before := commits(t, db)
	requests := make([]request, 32)
	var want []string
	for i := range requests {
		want = append(want, fmt.Sprint("Account ", i))
		requests[i].do = insertNamed(want[i])
	}
	for _, err := range inOneGroup(t, s, requests) {
		if err != nil {
			t.Error(err)
		}
	}
	same(t, "accounts", accountNames(t, s), want)
	// What keeps the writer busy changes nothing, and so commits nothing.
	same(t, "commits for 32 transactions", commits(t, db)-before, 1)
}

// TestRehearsalsShareNoCommit has a rehearsal among transactions that wait with it: what
// the one before has written is committed by then, or it would seem to be rehearsed.
func TestRehearsalsShareNoCommit(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "sqlite").Open(t)
	names := func(ctx context.Context) (names []string) {
		rows, err := store.Accounts.List(ctx, s.Queries(), store.Page{Limit: 10})
		must(err)
		for _, a := range rows {
			names = append(names, a.Name)
		}
		return names
	}
	requests := []request{{do: insertNamed("before")}, {rehearse: func(ctx context.Context) error {
		same(t, "what a rehearsal finds", names(ctx), []string{"before"})
		same(t, "what was committed", names(store.WithoutRehearsal(ctx)), []string{"before"})
		return s.Write(ctx, insertNamed("rehearsed"))
	}}, {do: insertNamed("after")}}
	for _, err := range inOneGroup(t, s, requests) {
		if err != nil {
			t.Error(err)
		}
	}
	same(t, "accounts", accountNames(t, s), []string{"before", "after"})
}

// TestManyWriters lets goroutines write as they like.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	db := storetest.New(t, "sqlite")
	s := db.Open(t)
	const goroutines, each = 32, 8
	before := commits(t, db)
	var group sync.WaitGroup
	ids := make([][]billing.AccountID, goroutines)
	for i := range ids {
		group.Go(func() {
			for range each {
				id, err := addAccount(s)
				if err != nil {
					t.Error(err)
				}
				ids[i] = append(ids[i], id)
			}
		})
	}
	group.Wait()
	for _, some := range ids {
		checkHas(t, s, some)
	}
	same(t, "accounts", len(listed(t, s, store.Accounts, billing.Filter{})), goroutines*each)
	if n := commits(t, db) - before; n >= goroutines*each/2 {
		t.Errorf("%d commits for %d transactions: they are hardly grouped", n, goroutines*each)
	} else {
		t.Logf("%d commits for %d transactions", n, goroutines*each)
	}
}

// commits counts the commits in SQLite's log. A frame that ends a transaction
// says how large the database is then; all others say 0.
func commits(t *testing.T, db *storetest.Database) (n int) {
	t.Helper()
	log, err := os.ReadFile(strings.TrimPrefix(db.URL, "sqlite:") + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	const header, frameHeader = 32, 24
	if len(log) < header {
		return 0
	}
	pageSize := int(binary.BigEndian.Uint32(log[8:]))
	for at := header; at+frameHeader <= len(log); at += frameHeader + pageSize {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 {
			n++
		}
	}
	return n
}

// TestOneOfAGroup shows that what happens to one transaction of a group is
// nothing to the others.
func TestOneOfAGroup(t *testing.T) {
	t.Parallel()
	refused := errors.New("refused")
	for name, spoil := range map[string]func(context.Context, *store.Tx) error{
		"returns an error": func(context.Context, *store.Tx) error { return refused },
		"panics":           func(context.Context, *store.Tx) error { panic(refused) },
		"violates a constraint": func(ctx context.Context, tx *store.Tx) error {
			return store.Contacts.Insert(ctx, tx, &billing.Contact{AccountID: nobody})
		},
		"has wrong SQL": func(ctx context.Context, tx *store.Tx) error {
			_, err := store.Exec(ctx, tx, "UPDATE nothing")
			return err
		},
		// As SQLite does by itself when a disk is full.
		"ends the transaction of all": func(ctx context.Context, tx *store.Tx) error {
			_, err := store.Exec(ctx, tx, "ROLLBACK")
			return errors.Join(err, refused)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.New(t, "sqlite").Open(t)
			errs := inOneGroup(t, s, []request{
				{do: insertNamed("first")},
				{do: func(ctx context.Context, tx *store.Tx) error {
					must(insertNamed("spoilt")(ctx, tx))
					return spoil(ctx, tx)
				}},
				{do: insertNamed("last")},
			})
			if errs[0] != nil || errs[1] == nil || errs[2] != nil {
				t.Errorf("outcomes: %v", errs)
			}
			same(t, "accounts", accountNames(t, s), []string{"first", "last"})
			write(t, s, func(ctx context.Context, tx *store.Tx) { must(insertNamed("next")(ctx, tx)) })
			same(t, "accounts then", accountNames(t, s), []string{"first", "last", "next"})
		})
	}
}

// TestCancelledInAGroup cancels one request while it waits and one while it
// runs. To interrupt SQLite then would break the whole group.
func TestCancelledInAGroup(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "sqlite").Open(t)
	waiting, cancelWaiting := context.WithCancel(t.Context())
	running, cancelRunning := context.WithCancel(t.Context())
	defer cancelWaiting()
	defer cancelRunning()
	errs := inOneGroup(t, s, []request{
		{do: func(ctx context.Context, tx *store.Tx) error {
			cancelWaiting()
			return insertNamed("first")(ctx, tx)
		}},
		{ctx: waiting, do: insertNamed("waiting")},
		{ctx: running, do: func(ctx context.Context, tx *store.Tx) error {
			cancelRunning()
			return insertNamed("running")(ctx, tx)
		}},
		{do: insertNamed("last")},
	})
	if !errors.Is(errs[1], context.Canceled) || errors.Join(errs[0], errs[2], errs[3]) != nil {
		t.Errorf("outcomes: %v", errs)
	}
	same(t, "accounts", accountNames(t, s), []string{"first", "running", "last"})
}
