package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testRehearsals does things that do not last: they are seen where they are done, and
// nowhere else.
func testRehearsals(t *testing.T, database *storetest.Database) {
	s := database.Open(t)
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("kept") })
	names := func(ctx context.Context) (names []string) {
		rows, err := store.Accounts.List(ctx, s.Queries(), store.Page{Limit: 10})
		must(err)
		for _, a := range rows {
			names = append(names, a.Name)
		}
		return names
	}
	add := func(ctx context.Context, name string, err error) error {
		return s.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			maker{ctx, tx}.account(name)
			return err
		})
	}
	refused := errors.New("refused")
	rehearsed := func(ctx context.Context) error {
		same(t, "whether it is one", store.Rehearsing(ctx), true)
		// A part that ends before its first statement, or with one that was put off, fails
		// alone as well.
		for name, do := range map[string]func(context.Context, *store.Tx) error{
			"at once": func(context.Context, *store.Tx) error { return refused },
			"with something put off": func(ctx context.Context, tx *store.Tx) error {
				must(tx.EachLater(ctx, `INSERT INTO setting (name, value) VALUES ('lost', '') RETURNING name`, nil, func(db.Row) error { return nil }))
				return refused
			},
			"by what was put off": func(ctx context.Context, tx *store.Tx) error {
				return tx.EachLater(ctx, `INSERT INTO account (id) VALUES (NULL) RETURNING id`, nil, func(db.Row) error { return nil })
			},
			"by a row that is not there to be changed": func(ctx context.Context, tx *store.Tx) error {
				must(tx.ExecLater(ctx, `INSERT INTO setting (name, value) VALUES ('lost', '')`))
				return tx.ExecLater(ctx, `UPDATE setting SET value = '' WHERE name = 'none'`)
			},
		} {
			if err := s.Write(ctx, do); err == nil {
				t.Errorf("a part that fails %s succeeded", name)
			}
		}
		n, err := s.Queries().Number(ctx, `SELECT count(*) FROM setting WHERE name = 'lost'`)
		must(err)
		same(t, "what parts that failed left", n, 0)
		must(add(ctx, "first", nil))
		if err := add(ctx, "refused", refused); !errors.Is(err, refused) {
			t.Errorf("a part that fails returns %v", err)
		}
		// A part that the database refuses does not end the others.
		if err := s.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO account (id) VALUES (NULL)`)
			return err
		}); err == nil {
			t.Error("a row without anything was accepted")
		}
		must(add(ctx, "second", nil))
		same(t, "in it", names(ctx), []string{"kept", "first", "second"})
		n, err = store.Accounts.Count(ctx, s.Snapshot().Queries, billing.Filter{})
		must(err)
		same(t, "in a snapshot of it", n, 3)
		must(s.Queries().AtOneMoment(ctx, func(ctx context.Context, q store.Queries) error {
			n, err = store.Accounts.Count(ctx, q, billing.Filter{})
			return err
		}))
		same(t, "at one moment of it", n, 3)
		must(s.Rehearse(ctx, func(ctx context.Context) error { return add(ctx, "third", nil) }))
		same(t, "outside of it", names(store.WithoutRehearsal(ctx)), []string{"kept"})
		same(t, "for others", names(t.Context()), []string{"kept"})
		return nil
	}
	must(s.Rehearse(t.Context(), rehearsed))
	same(t, "afterwards", names(t.Context()), []string{"kept"})
	same(t, "an error", s.Rehearse(t.Context(), func(context.Context) error { return refused }), refused)
	write(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.account("next") })
	same(t, "after all that", names(t.Context()), []string{"kept", "next"})
}
