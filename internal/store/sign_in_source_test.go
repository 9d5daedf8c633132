package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testSources(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	var ann, bob *billing.User
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		ann, bob = m.user("ann@example.com", billing.Admin), m.user("bob@example.com", billing.Viewer)
		must(store.RememberSource(ctx, tx, ann.ID, "home"))
		must(store.RememberSource(ctx, tx, ann.ID, hard))
		must(store.RememberSource(ctx, tx, bob.ID, "office"))
	})
	known := func(u *billing.User, one, other string) []string {
		return got[[]string](t)(store.KnownSources(t.Context(), s.Queries(), u.ID, one, other))
	}
	same(t, "KnownSources", known(ann, "home", "office"), []string{"home"})
	same(t, "KnownSources of a hard name", known(ann, hard, ""), []string{hard})
	same(t, "KnownSources of another user", len(known(bob, "home", hard)), 0)
	begin := db.Clock.Now()
	db.Clock.Advance(time.Hour)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.RememberSource(ctx, tx, ann.ID, "home"))
		n, err := store.ForgetSourcesBefore(ctx, tx, begin)
		must(err)
		same(t, "ForgetSourcesBefore the first", n, int64(0))
		n, err = store.ForgetSourcesBefore(ctx, tx, begin.Add(time.Minute))
		must(err)
		same(t, "ForgetSourcesBefore the second", n, int64(2))
	})
	same(t, "what is left", known(ann, "home", hard), []string{"home"})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.RememberSource(ctx, tx, bob.ID, "office"))
		must(store.ForgetSourcesOf(ctx, tx, bob.ID))
	})
	same(t, "sources that are forgotten, and another's", append(known(bob, "office", ""), known(ann, "home", "")...), []string{"home"})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.Users.Delete(ctx, tx, ann)) })
	same(t, "sources of a user who is deleted", len(known(ann, "home", hard)), 0)
}
