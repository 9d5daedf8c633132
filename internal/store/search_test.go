package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestAccountsByContactAddress finds accounts by the addresses of their
// contacts, whatever becomes of the contacts.
func TestAccountsByContactAddress(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		check := func(when, word, want string) {
			t.Helper()
			checkFilter(t, s, store.Accounts, word, want, func(a *billing.Account) string { return a.Name })
			if t.Failed() {
				t.Fatalf("after %s", when)
			}
		}
		change := func(do func(m maker)) {
			t.Helper()
			write(t, s, func(ctx context.Context, tx *store.Tx) { do(maker{ctx, tx}) })
		}
		var one, two *billing.Account
		var ann, bob *billing.Contact
		change(func(m maker) {
			one, two = m.account("One"), m.account("Two")
			ann, bob = m.contact(one.ID, "Ann", ptr("Ann@Old.example")), m.contact(one.ID, "Bob", ptr("bob@b.example"))
			m.contact(one.ID, "Cid", nil)
		})
		check("adding a contact", "ann@old", "One")
		check("adding a contact", "ann", "One")
		check("adding a contact", "ld", "One")
		check("adding another contact", "BOB@B.EXAMPLE one", "One")

		change(func(m maker) { ann.Email = ptr("ann@new.example"); must(store.Contacts.Update(m.ctx, m.tx, ann)) })
		check("changing an address", "old", "")
		check("changing an address", "ann@new", "One")
		check("changing an address", "ld", "")
		check("changing an address", "ew", "One")

		change(func(m maker) { one.Name = "First"; must(store.Accounts.Update(m.ctx, m.tx, one)) })
		check("renaming the account", "one", "")
		check("renaming the account", "first ann@new bob@b", "First")

		change(func(m maker) { ann.AccountID = two.ID; must(store.Contacts.Update(m.ctx, m.tx, ann)) })
		check("moving a contact", "ann@new", "Two")
		check("moving a contact", "bob@b", "First")
		check("moving a contact", "ew", "Two")

		change(func(m maker) { ann.Email = nil; must(store.Contacts.Update(m.ctx, m.tx, ann)) })
		check("removing an address", "ann@new", "")
		check("removing an address", "ew", "")

		change(func(m maker) { must(store.Contacts.Delete(m.ctx, m.tx, bob)) })
		check("deleting a contact", "bob@b", "")
		check("deleting a contact", "@b", "")

		change(func(m maker) {
			m.contact(two.ID, "Dan", ptr("dan@d.example"))
			_, err := store.DeleteContactsOf(m.ctx, m.tx, two.ID)
			must(err)
		})
		check("deleting all contacts", "dan@d", "")
		check("deleting all contacts", "@", "")
		check("all that", "two", "Two")
		if db.Engine == "sqlite" {
			checkIntegrity(t, s)
		}
	})
}

// TestContactsOfOneAccountAtOnce writes two contacts of the same account side
// by side. The second transaction must see the address of the first when it
// writes down what the account is found by, or it loses that address.
func TestContactsOfOneAccountAtOnce(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres").Open(t) // SQLite writes nothing side by side
	var account *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) { account = maker{ctx, tx}.account("A") })
	add := func(email string, then func()) error {
		return s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			defer then()
			return store.Contacts.Insert(ctx, tx, &billing.Contact{AccountID: account.ID, FirstName: "C", Email: &email})
		})
	}
	added, goOn, outcomes := make(chan bool), make(chan bool), make(chan error)
	go func() { outcomes <- add("ann@example.com", func() { close(added); <-goOn }) }()
	<-added
	go func() { outcomes <- add("bob@example.com", func() {}) }()
	awaitLock(t, s)
	close(goOn)
	for range 2 {
		if err := <-outcomes; err != nil {
			t.Error(err)
		}
	}
	checkFilter(t, s, store.Accounts, "ann@ bob@", "A", func(a *billing.Account) string { return a.Name })
}

// TestContactsOfOneAccountDoNotBlock adds many contacts to one account at once.
// Each transaction holds the account against deletion when it goes on to lock
// it, and they must not wait for each other then.
func TestContactsOfOneAccountDoNotBlock(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "postgres").Open(t)
	var account *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) { account = maker{ctx, tx}.account("A") })
	const goroutines, each = 8, 10
	var runs atomic.Int64
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for range each {
				err := s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					runs.Add(1)
					return store.Contacts.Insert(ctx, tx, &billing.Contact{AccountID: account.ID, FirstName: "C"})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	same(t, "runs of the transactions", runs.Load(), int64(goroutines*each))
}

// testWordsInTransaction looks for words that a transaction has just written,
// and finds nothing of them when it fails.
func testWordsInTransaction(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	count := func(ctx context.Context, q store.Queries, word string) int {
		n, err := store.Accounts.Count(ctx, q, words(word))
		must(err)
		return n
	}
	var kept *billing.Account
	write(t, s, func(ctx context.Context, tx *store.Tx) { kept = maker{ctx, tx}.account("Ashenberg") })
	do := func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		added := m.account("Mannering")
		same(t, "added", count(ctx, tx.Queries, "mannering"), 1)
		added.Name = "Lindenfeld"
		must(store.Accounts.Update(ctx, tx, added))
		same(t, "the name before", count(ctx, tx.Queries, "mannering"), 0)
		same(t, "the name now", count(ctx, tx.Queries, "lindenfeld"), 1)
		same(t, "two letters of the name before", count(ctx, tx.Queries, "ri"), 0)
		same(t, "two letters of the name now", count(ctx, tx.Queries, "nf"), 1)
		kept.Name = "Marshwood"
		must(store.Accounts.Update(ctx, tx, kept))
		kept.Name = "Ashenberg"
		must(store.Accounts.Update(ctx, tx, kept))
		same(t, "changed and changed back", count(ctx, tx.Queries, "ashenberg"), 1)
		must(store.Accounts.Delete(ctx, tx, kept))
		same(t, "deleted", count(ctx, tx.Queries, "ashenberg"), 0)
		same(t, "seen by others", count(ctx, s.Queries(), "lindenfeld"), 0)
	}
	failed := errors.New("failed")
	if err := attempt(t, s, func(ctx context.Context, tx *store.Tx) { do(ctx, tx); panic(failed) }); !errors.Is(err, failed) {
		t.Errorf("a transaction that fails: %v", err)
	}
	for word, want := range map[string]int{"ashenberg": 1, "mannering": 0, "lindenfeld": 0, "marshwood": 0} {
		same(t, word+" after it failed", count(t.Context(), s.Queries(), word), want)
	}
	write(t, s, do)
	for word, want := range map[string]int{"ashenberg": 0, "mannering": 0, "lindenfeld": 1, "marshwood": 0} {
		same(t, word+" after it succeeded", count(t.Context(), s.Queries(), word), want)
	}
	if db.Engine == "sqlite" {
		checkIntegrity(t, s)
	}
}

// TestWordsOfAGroup commits transactions together of which some look for words
// and some fail: the index has what the others wrote.
func TestWordsOfAGroup(t *testing.T) {
	t.Parallel()
	s := storetest.New(t, "sqlite").Open(t)
	requests := make([]request, 12)
	for i := range requests {
		requests[i].do = func(ctx context.Context, tx *store.Tx) error {
			maker{ctx, tx}.account(fmt.Sprintf("Group number%02d", i))
			if i%3 == 1 {
				n, err := store.Accounts.Count(ctx, tx.Queries, words("group"))
				if want := 1 + i - i/4; err != nil || n != want { // every fourth was taken back
					return fmt.Errorf("%d accounts of the group, %v; want %d", n, err, want)
				}
			}
			if i%4 == 3 {
				return errors.New("failed")
			}
			return nil
		}
	}
	for i, err := range inOneGroup(t, s, requests) {
		if failed := err != nil && err.Error() == "failed"; failed != (i%4 == 3) || err != nil && !failed {
			t.Errorf("request %d: %v", i, err)
		}
		want := 1
		if i%4 == 3 {
			want = 0
		}
		same(t, fmt.Sprintf("found of request %d", i), got[int](t)(store.Accounts.Count(t.Context(), s.Queries(), words(fmt.Sprintf("number%02d", i)))), want)
	}
	same(t, "changes left", got[[]string](t)(store.Rows(t.Context(), s.Queries(), "SELECT count(*) FROM search_change")), []string{"0"})
	checkIntegrity(t, s)
}

// awaitLock waits until some transaction on PostgreSQL waits for another.
func awaitLock(t *testing.T, s *store.Store) {
	t.Helper()
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for got[[]string](t)(store.Rows(t.Context(), s.Queries(), waiting))[0] == "0" {
		runtime.Gosched()
	}
}
