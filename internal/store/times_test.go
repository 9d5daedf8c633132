package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// dated is an account as the test knows it.
type dated struct {
	id               billing.AccountID
	name             string
	created, updated time.Time
}

// TestTimes finds accounts by when they were created and last changed, which
// has nothing to do with the order of their ids here: clocks may go wrong.
func TestTimes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		r := rand.New(rand.NewPCG(1, 2))
		rows := datedAccounts(t, s, r, 1500)
		checkLastChanges(t, s)
		for range 100 {
			checkTimes(t, s, r, rows)
		}
	})
}

// someTime is within four years, and often on an hour or a day.
func someTime(r *rand.Rand) time.Time {
	at := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(4*365*24*3600_000)) * time.Millisecond)
	return at.Truncate([]time.Duration{time.Millisecond, time.Hour, 24 * time.Hour, 240 * time.Hour}[r.IntN(4)])
}

// datedAccounts adds accounts, changes some and deletes some.
func datedAccounts(t *testing.T, s *store.Store, r *rand.Rand, n int) (rows []dated) {
	t.Helper()
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		rows = nil
		for i := range n {
			tx.Now = someTime(r)
			a := m.account(fmt.Sprintf("%s %d", []string{"Common", "Common", "Common", "Rare"}[r.IntN(4)], i))
			rows = append(rows, dated{a.ID, a.Name, tx.Now, tx.Now})
		}
		for range n / 2 {
			row := &rows[r.IntN(n)]
			tx.Now = row.updated.Add(time.Duration(r.IntN(1000*24*3600)) * time.Second)
			a, err := store.Accounts.Get(ctx, tx.Queries, row.id)
			must(err)
			must(store.Accounts.Update(ctx, tx, a))
			row.updated = tx.Now
		}
		for range n / 10 {
			i := r.IntN(len(rows))
			must(store.Accounts.Delete(ctx, tx, &billing.Account{ID: rows[i].id}))
			rows = slices.Delete(rows, i, i+1)
		}
	})
	return rows
}

// checkTimes asks for one random filter, page by page.
func checkTimes(t *testing.T, s *store.Store, r *rand.Rand, rows []dated) {
	t.Helper()
	var f billing.Filter
	want := slices.Clone(rows)
	for range 1 + r.IntN(2) {
		field, op, at := []string{"created", "updated"}[r.IntN(2)], randomOps[r.IntN(len(randomOps))], someTime(r)
		term := billing.Term{Field: field, Op: op, Value: at.Format(time.RFC3339Nano)}
		from, end := at, at.Add(time.Millisecond)
		if r.IntN(2) == 0 {
			term.Value = at.Format(time.DateOnly)
			from = at.Truncate(24 * time.Hour)
			end = from.AddDate(0, 0, 1)
		}
		f.Terms = append(f.Terms, term)
		want = slices.DeleteFunc(want, func(d dated) bool {
			have := map[string]time.Time{"created": d.created, "updated": d.updated}[field]
			return !compare(have.UnixMilli(), op, from.UnixMilli(), end.UnixMilli())
		})
	}
	if r.IntN(3) == 0 {
		f.Words = []string{"rare"}
		want = slices.DeleteFunc(want, func(d dated) bool { return d.name[0] != 'R' })
	}
	page := store.Page{Filter: f, Limit: []int{40, 300, 5000}[r.IntN(3)], Backwards: r.IntN(2) == 0}
	ids := make([]billing.AccountID, len(want))
	for i, d := range want {
		ids[i] = d.id
	}
	if page.Backwards {
		slices.Reverse(ids)
	}
	have := []billing.AccountID{}
	for {
		found := got[[]billing.Account](t)(store.Accounts.List(t.Context(), s.Queries(), page))
		for _, a := range found {
			have = append(have, a.ID)
		}
		if len(found) < page.Limit {
			break
		}
		page.After = int64(have[len(have)-1])
	}
	same(t, fmt.Sprintf("accounts that are %+v", page), have, ids)
	same(t, fmt.Sprintf("how many are %+v", f), got[int](t)(store.Accounts.Count(t.Context(), s.Queries(), f)), len(ids))
}

// checkLastChanges compares the hours of last changes with the rows.
func checkLastChanges(t *testing.T, s *store.Store) {
	t.Helper()
	for _, table := range []string{"account", "contact", "tenant", "subscription"} {
		of := func(text string) []string {
			return got[[]string](t)(store.Rows(t.Context(), s.Queries(), fmt.Sprintf(text, table)))
		}
		same(t, "hours of last changes of "+table, of("SELECT id, hour FROM last_change WHERE list = '%s' ORDER BY id"),
			of("SELECT id, updated_at / 3600000 FROM %s ORDER BY id"))
	}
}

// TestAlwaysThere changes an account again and again while others list what was
// changed since a time: it is in every list.
func TestAlwaysThere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		rows := datedAccounts(t, s, rand.New(rand.NewPCG(5, 6)), 30)
		id, now := rows[0].id, rows[0].updated
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			var err error
			for i := 0; err == nil && ctx.Err() == nil; i++ {
				now = now.Add(time.Duration(1+i*i%40) * time.Hour)
				err = s.Write(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					a, err := store.Accounts.Lock(ctx, tx, id)
					if err != nil {
						return err
					}
					tx.Now = now
					return store.Accounts.Update(ctx, tx, a)
				})
			}
			ended <- err
		}()
		page := store.Page{Filter: filter(t, "updated:>=2022-12-31"), Limit: 1000}
		for range 80 {
			found := got[[]billing.Account](t)(store.Accounts.List(t.Context(), s.Queries(), page))
			if len(found) != len(rows) {
				t.Errorf("%d of %d accounts", len(found), len(rows))
				break
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestTimesOfNothing asks for what no page has.
func TestTimesOfNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		for range 2 { // without accounts, and with some
			for _, text := range []string{"created:<0001-01-01", "updated:<=0001-01-01", "created:>9999-12-30", "updated:>9999-12-30", "created:>2026-01-01 created:<2025-01-01"} {
				checkFilter(t, s, store.Accounts, text, "", func(a *billing.Account) string { return a.Name })
			}
			for _, text := range []string{"", "created:>2020-01-01", "updated:>2020-01-01"} {
				page := store.Page{Filter: filter(t, text)}
				same(t, "rows of a page without room", len(got[[]billing.Account](t)(store.Accounts.List(t.Context(), s.Queries(), page))), 0)
			}
			datedAccounts(t, s, rand.New(rand.NewPCG(7, 8)), 10)
		}
	})
}

// TestLastChangesAreNoted changes rows by statements of many kinds.
func TestLastChangesAreNoted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		datedAccounts(t, s, rand.New(rand.NewPCG(3, 4)), 20)
		for _, text := range []string{
			"INSERT INTO contact (account_id, first_name, created_at, updated_at, search) SELECT id, 'Ann', created_at, updated_at, '' FROM account",
			"UPDATE contact SET updated_at = updated_at + 1000 * id * id",
			"UPDATE contact SET updated_at = updated_at + 3600000 WHERE id > 5",
			"DELETE FROM contact WHERE id > 9",
		} {
			write(t, s, func(ctx context.Context, tx *store.Tx) {
				_, err := store.Exec(ctx, tx, text)
				must(err)
			})
			checkLastChanges(t, s)
		}
	})
}
