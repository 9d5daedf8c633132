package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func (m maker) user(email string, role billing.Role) *billing.User {
	row := &billing.User{Email: email, Role: role}
	must(store.Users.Insert(m.ctx, m.tx, row))
	return row
}

func testUsers(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var ann, bob *billing.User
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		must(store.LockUsers(ctx, tx))
		ann, bob = m.user("Ann@Example.com", billing.Admin), m.user("bob@example.com", billing.Viewer)
	})
	user := got[*billing.User](t)
	same(t, "UserByEmail", user(store.UserByEmail(ctx, q, "ANN@example.COM")), ann)
	same(t, "UserByEmail of none", user(store.UserByEmail(ctx, q, "none@example.com")), (*billing.User)(nil))
	same(t, "CountUsers", got[int](t)(store.CountUsers(ctx, q)), 2)
	same(t, "CountAdmins", got[int](t)(store.CountAdmins(ctx, q)), 1)
	for text, want := range map[string][]billing.User{"ann": {*ann}, "role:viewer": {*bob}, "email:Bob@example.com": {*bob}} {
		same(t, text, listed(t, s, store.Users, filter(t, text)), want)
	}
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) { maker{ctx, tx}.user("BOB@example.com", billing.Viewer) })
	if !store.IsDuplicate(err) {
		t.Errorf("an address in another case: %v, want a duplicate", err)
	}
	now := db.Clock.Advance(time.Hour)
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.MarkSignedIn(ctx, tx, bob.ID)) })
	bob.LastSignInAt = &now
	same(t, "a user who signed in", user(store.Users.Get(ctx, q, bob.ID)), bob)
	checkWaits(t, s, "LockUsers",
		func(ctx context.Context, tx *store.Tx) { must(store.LockUsers(ctx, tx)) },
		func(ctx context.Context, tx *store.Tx) { must(store.LockUsers(ctx, tx)) })
}

func testSessions(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var ann, bob *billing.User
	var sessions []*billing.Session
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		ann, bob = m.user("ann@example.com", billing.Admin), m.user("bob@example.com", billing.Viewer)
	})
	for _, session := range []*billing.Session{
		{TokenHash: "a1", UserID: ann.ID, Address: hard, Browser: hard}, {TokenHash: "a2", UserID: ann.ID}, {TokenHash: "b1", UserID: bob.ID},
	} {
		db.Clock.Advance(time.Minute)
		write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.InsertSession(ctx, tx, session)) })
		same(t, "the begin", session.CreatedAt, db.Clock.Now())
		sessions = append(sessions, session)
	}
	session, of := got[*billing.Session](t), got[[]billing.Session](t)
	same(t, "SessionByHash", session(store.SessionByHash(ctx, q, "a1")), sessions[0])
	same(t, "SessionByHash of none", session(store.SessionByHash(ctx, q, "a3")), (*billing.Session)(nil))
	same(t, "SessionsOf", of(store.SessionsOf(ctx, q, ann.ID)), []billing.Session{*sessions[1], *sessions[0]})

	sessions[0].SeenAt = db.Clock.Advance(time.Hour)
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.TouchSession(ctx, tx, "a1")) })
	same(t, "SessionsOf after a touch", of(store.SessionsOf(ctx, q, ann.ID)), []billing.Session{*sessions[0], *sessions[1]})

	write(t, s, func(ctx context.Context, tx *store.Tx) {
		there, err := store.DeleteSession(ctx, tx, "b1")
		must(err)
		again, err := store.DeleteSession(ctx, tx, "b1")
		must(err)
		same(t, "DeleteSession", []bool{there, again}, []bool{true, false})
		n, err := store.DeleteSessionsOf(ctx, tx, ann.ID, "a1")
		must(err)
		same(t, "DeleteSessionsOf all but one", n, int64(1))
	})
	same(t, "SessionsOf after the deletion", of(store.SessionsOf(ctx, q, ann.ID)), []billing.Session{*sessions[0]})

	forget := func(used, begun time.Time, want int64) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			n, err := store.DeleteSessionsBefore(ctx, tx, used, begun)
			must(err)
			same(t, "DeleteSessionsBefore", n, want)
		})
	}
	a := sessions[0]
	forget(a.SeenAt.Add(-1), a.CreatedAt.Add(-time.Millisecond), 0)
	forget(a.SeenAt.Add(-1), a.CreatedAt, 1)
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.InsertSession(ctx, tx, a)) })
	forget(a.SeenAt, time.UnixMilli(0), 1)
}
