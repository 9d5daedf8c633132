package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testClients(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b, c *billing.Client
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b, c = m.client(), m.client(), m.client()
	})
	same(t, "the versions of new clients", []int64{a.Version, b.Version, c.Version}, []int64{1, 2, 3})
	since := func(version int64) []billing.Client {
		return got[[]billing.Client](t)(store.ClientsSince(ctx, q, version))
	}
	same(t, "ClientsSince the beginning", since(0), []billing.Client{*a, *b, *c})
	same(t, "ClientsSince now", since(3), []billing.Client{})

	db.Clock.Advance(time.Minute)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		b.Name, b.Deleted = "Beta", true
		must(store.UpdateClient(ctx, tx, b))
		a.Name = "Alpha"
		must(store.UpdateClient(ctx, tx, a))
	})
	same(t, "ClientsSince the first", since(1), []billing.Client{*c, *b, *a})
	client := got[*billing.Client](t)
	same(t, "ClientByClientID of a deleted one", client(store.ClientByClientID(ctx, q, b.ClientID)), b)
	same(t, "ClientByClientID of none", client(store.ClientByClientID(ctx, q, "none")), (*billing.Client)(nil))
	same(t, "List without the deleted one", listed(t, s, store.Clients, billing.Filter{}), []billing.Client{*a, *c})
	same(t, "CountClients", got[int](t)(store.CountClients(ctx, q)), 3)

	testMarkClientsUsed(t, s, a, c)

	forget := func(before time.Time, want int64) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			n, err := store.ForgetDeletedClients(ctx, tx, before)
			must(err)
			same(t, "ForgetDeletedClients", n, want)
		})
	}
	forget(b.UpdatedAt, 0) // deleted then, and not before
	forget(b.UpdatedAt.Add(time.Millisecond), 1)
	same(t, "CountClients", got[int](t)(store.CountClients(ctx, q)), 2)
}

// testMarkClientsUsed shows that the latest use counts, in whatever order uses
// are told, and that it is no change that others must hear of.
func testMarkClientsUsed(t *testing.T, s *store.Store, a, c *billing.Client) {
	t.Helper()
	early, late := time.UnixMilli(1_000).UTC(), time.UnixMilli(2_000).UTC()
	for _, used := range []map[billing.ClientID]time.Time{
		{a.ID: late, c.ID: early}, {a.ID: early, c.ID: late}, {1 << 40: late}, nil,
	} {
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.MarkClientsUsed(ctx, tx, used)) })
	}
	for _, client := range []*billing.Client{a, c} {
		client.LastUsedAt = &late
		same(t, "a used client", got[*billing.Client](t)(store.Clients.Get(t.Context(), s.Queries(), client.ID)), client)
	}
	same(t, "by last use", listed(t, s, store.Clients, filter(t, "lastUsed:>=1970-01-01T00:00:02Z")), []billing.Client{*a, *c})
}

func testSigningKeys(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	at := func(minutes int) time.Time { return db.Clock.Now().Add(time.Duration(minutes) * time.Minute) }
	keys := func() []store.SigningKey {
		return got[[]store.SigningKey](t)(store.SigningKeys(t.Context(), s.Queries()))
	}
	same(t, "SigningKeys", keys(), []store.SigningKey(nil))
	later := store.SigningKey{ID: "later", Sealed: hard, CreatedAt: at(0), ActiveFrom: at(5)}
	sooner := store.SigningKey{ID: "sooner", Sealed: "s", CreatedAt: at(1), ActiveFrom: at(1), RetiresAt: ptr(at(9))}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.LockSigningKeys(ctx, tx))
		must(store.InsertSigningKey(ctx, tx, later))
		must(store.InsertSigningKey(ctx, tx, sooner))
	})
	same(t, "SigningKeys", keys(), []store.SigningKey{sooner, later})
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) { must(store.InsertSigningKey(ctx, tx, later)) })
	if !store.IsDuplicate(err) {
		t.Errorf("a second key of one id: %v, want a duplicate", err)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.RetireSigningKey(ctx, tx, "later", at(10)))
		must(store.DeleteRetiredKeys(ctx, tx, at(9)))
	})
	later.RetiresAt = ptr(at(10))
	same(t, "SigningKeys", keys(), []store.SigningKey{later})
}
