package service_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

const password = "correct horse battery"

func (w *world) user(email string, role billing.Role) *billing.User {
	w.t.Helper()
	return must[*billing.User](w)(w.Access.UserCreate(w.ctx, func(u *billing.User) error {
		u.Email, u.Role = email, role
		return nil
	}, password))
}

func (w *world) signIn(email string) (token string) {
	w.t.Helper()
	token, _, err := w.Access.SignIn(w.t.Context(), email, password, billing.Session{Address: "192.0.2.1", Browser: "Firefox"}, access.SignInSource{})
	w.ok(err)
	return token
}

// signedIn is the address of who is signed in with a token, or empty.
func (w *world) signedIn(token string) string {
	w.t.Helper()
	u, _, err := w.Access.Session(w.t.Context(), token)
	w.ok(err)
	if u == nil {
		return ""
	}
	return u.Email
}

func TestUsersSignInAndOut(t *testing.T) {
	each(t, func(w *world) {
		ann := w.user("Ann@example.com", billing.Admin)
		for _, wrong := range [][2]string{
			{"ann@example.com", password + "x"}, {"ann@example.com", ""}, {"bob@example.com", password}, {"", ""}, {"ann@example.com\x00", password},
		} {
			token, u, err := w.Access.SignIn(w.t.Context(), wrong[0], wrong[1], billing.Session{}, access.SignInSource{})
			if token != "" || u != nil || !errors.Is(err, access.ErrWrongPassword) {
				w.t.Errorf("%q: %v, %v", wrong, u, err)
			}
		}
		one, two := w.signIn("ann@example.com"), w.signIn("ANN@EXAMPLE.COM")
		w.same("who is signed in", []string{w.signedIn(one), w.signedIn(two), w.signedIn(""), w.signedIn("x")}, []string{ann.Email, ann.Email, "", ""})
		_, session, err := w.Access.Session(w.t.Context(), one)
		w.ok(err)
		w.same("where", []string{session.Address, session.Browser}, []string{"192.0.2.1", "Firefox"})
		if session.TokenHash == one {
			w.t.Error("the token itself is kept")
		}
		w.ok(w.Access.SignOut(w.ctx, ann, one))
		w.same("after signing out", []string{w.signedIn(one), w.signedIn(two)}, []string{"", ann.Email})
		w.same("everywhere", must[int](w)(w.Access.SignOutEverywhere(w.ctx, ann.ID)), 1)
		w.same("after signing out everywhere", w.signedIn(two), "")
	})
}

func TestSessionsRunOut(t *testing.T) {
	each(t, func(w *world) {
		w.user("ann@example.com", billing.Viewer)
		idle, used := w.signIn("ann@example.com"), w.signIn("ann@example.com")
		for range 28 {
			w.clock.Advance(billing.SessionIdle / 2)
			w.signedIn(used)
		}
		w.same("after a week of use", []string{w.signedIn(idle), w.signedIn(used)}, []string{"", ""})
		used = w.signIn("ann@example.com")
		for range 14 {
			w.clock.Advance(billing.SessionIdle - time.Minute)
			w.same("in use", w.signedIn(used), "ann@example.com")
		}
		w.ok(w.Access.ForgetOldSessions(w.t.Context()))
		u := must[*billing.User](w)(store.UserByEmail(w.t.Context(), w.Read(), "ann@example.com"))
		w.same("sessions left", len(must[[]billing.Session](w)(store.SessionsOf(w.t.Context(), w.Read(), u.ID))), 1)
		w.clock.Advance(billing.SessionIdle - time.Minute)
		w.same("after a week", w.signedIn(used), "")
	})
}

func TestTheLastAdminStays(t *testing.T) {
	each(t, func(w *world) {
		ann := w.user("ann@example.com", billing.Admin)
		demote := func(u *billing.User) error { u.Role = billing.Editor; return nil }
		_, err := w.Access.UserUpdate(w.ctx, ann.ID, demote)
		w.refused("demoting the last admin", err, "IN_USE role")
		_, err = w.Access.UserDelete(w.ctx, ann.ID)
		w.refused("deleting the last admin", err, "IN_USE role")
		_, err = w.Access.UserDisable(w.ctx, ann.ID)
		w.refused("disabling the last admin", err, "IN_USE role")
		bob := w.user("bob@example.com", billing.Admin)
		must[*billing.User](w)(w.Access.UserDisable(w.ctx, bob.ID))
		_, err = w.Access.UserDelete(w.ctx, ann.ID)
		w.refused("deleting the last admin who can sign in", err, "IN_USE role")
		_, err = w.Access.UserUpdate(w.ctx, ann.ID, demote)
		w.refused("demoting the last admin who can sign in", err, "IN_USE role")
		must[*billing.User](w)(w.Access.UserEnable(w.ctx, bob.ID))
		// Of two who remove each other at once, one stays.
		failed := make(chan error, 2)
		for _, id := range []billing.UserID{ann.ID, bob.ID} {
			go func() { _, err := w.Access.UserDelete(w.ctx, id); failed <- err }()
		}
		first, second := <-failed, <-failed
		if (first == nil) == (second == nil) {
			w.t.Errorf("both or none were deleted: %v, %v", first, second)
		}
		w.same("admins", must[int](w)(store.CountAdmins(w.t.Context(), w.Read())), 1)
	})
}

func TestUsersAreChecked(t *testing.T) {
	each(t, func(w *world) {
		w.user("ann@example.com", billing.Admin)
		create := func(email, password string) error {
			_, err := w.Access.UserCreate(w.ctx, func(u *billing.User) error { u.Email = email; return nil }, password)
			return err
		}
		w.refused("taken", create(" Ann@Example.com ", password), "TAKEN email")
		w.refused("all wrong", create("ann", "short"), "INVALID password", "INVALID email")
		_, err := w.Access.UserUpdate(w.ctx, 99, func(*billing.User) error { return nil })
		w.refused("nobody", err, "NOT_FOUND id")
	})
}

func TestAnotherPasswordEndsSessions(t *testing.T) {
	each(t, func(w *world) {
		ann, bob := w.user("ann@example.com", billing.Viewer), w.user("bob@example.com", billing.Viewer)
		here, there, other := w.signIn("ann@example.com"), w.signIn("ann@example.com"), w.signIn("bob@example.com")
		_, err := w.Access.UserPasswordSet(w.ctx, ann.ID, "short", here)
		w.refused("a short password", err, "INVALID password")
		must[*billing.User](w)(w.Access.UserPasswordSet(w.ctx, ann.ID, "another "+password, here))
		w.same("sessions", []string{w.signedIn(here), w.signedIn(there), w.signedIn(other)}, []string{ann.Email, "", bob.Email})
		if _, _, err := w.Access.SignIn(w.t.Context(), ann.Email, password, billing.Session{}, access.SignInSource{}); !errors.Is(err, access.ErrWrongPassword) {
			w.t.Errorf("the old password: %v", err)
		}
		must[*billing.User](w)(w.Access.UserDelete(w.ctx, bob.ID))
		w.same("the session of a deleted user", w.signedIn(other), "")
	})
}

func TestDisabledUsersStayOut(t *testing.T) {
	each(t, func(w *world) {
		ann, bob := w.user("ann@example.com", billing.Admin), w.user("bob@example.com", billing.Admin)
		_, err := w.Access.UserDisable(operation.As(w.ctx, operation.Caller{Actor: access.UserActor(ann)}), ann.ID)
		w.refused("disabling oneself", err, "IN_USE id")
		_, err = w.Access.UserDisable(w.ctx, 99)
		w.refused("nobody", err, "NOT_FOUND id")

		at := access.SignInSource{Network: "192.0.2.1", Device: "own"}
		here, _, err := w.Access.SignIn(w.t.Context(), bob.Email, password, billing.Session{}, at)
		w.ok(err)
		other := w.signIn(ann.Email)
		must[*billing.User](w)(w.Access.UserDisable(w.ctx, bob.ID))
		w.same("sessions", []string{w.signedIn(here), w.signedIn(other)}, []string{"", ann.Email})
		w.same("the source", must[access.SignInSource](w)(w.Access.Recognize(w.t.Context(), bob.Email, at)).Known, access.Stranger)
		for _, tried := range []string{password, password + "x"} {
			if _, _, err := w.Access.SignIn(w.t.Context(), bob.Email, tried, billing.Session{}, at); !errors.Is(err, access.ErrWrongPassword) {
				w.t.Errorf("signing in with %q: %v", tried, err)
			}
		}
		must[*billing.User](w)(w.Access.UserPasswordSet(w.ctx, bob.ID, password, ""))
		if _, _, err := w.Access.SignIn(w.t.Context(), bob.Email, password, billing.Session{}, at); !errors.Is(err, access.ErrWrongPassword) {
			w.t.Errorf("signing in with a new password: %v", err)
		}

		must[*billing.User](w)(w.Access.UserEnable(w.ctx, bob.ID))
		w.same("the old session, and a new one", []string{w.signedIn(here), w.signedIn(w.signIn(bob.Email))}, []string{"", bob.Email})
		entries := must[[]billing.AuditEntry](w)(store.AuditEntries.List(w.t.Context(), w.Read(), store.Page{Limit: 100}))
		var told []string
		for _, e := range entries {
			if e.Action == "userDisable" || e.Action == "userEnable" {
				told = append(told, e.Action)
				w.same(e.Action, string(e.Detail["disabled"].To), strconv.FormatBool(e.Action == "userDisable"))
			}
		}
		w.same("the audit log", told, []string{"userDisable", "userEnable"})
	})
}

// A session that somehow outlives its user's rights is good for nothing.
func TestASessionOfADisabledUserIsRefused(t *testing.T) {
	each(t, func(w *world) {
		w.user("ann@example.com", billing.Admin)
		bob := w.user("bob@example.com", billing.Viewer)
		token := w.signIn(bob.Email)
		w.ok(w.store.Write(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			u, err := store.Users.Lock(ctx, tx, bob.ID)
			if err != nil {
				return err
			}
			u.Disabled = true
			return store.Users.Update(ctx, tx, u)
		}))
		w.same("the session", w.signedIn(token), "")
	})
}

func TestTheFirstUserIsMadeOnce(t *testing.T) {
	each(t, func(w *world) {
		u := must[*billing.User](w)(w.Access.FirstUser(w.ctx, "admin@example.com", password))
		if u == nil || u.Role != billing.Admin {
			w.t.Fatalf("the first user is %+v", u)
		}
		if again := must[*billing.User](w)(w.Access.FirstUser(w.ctx, "other@example.com", password)); again != nil {
			w.t.Errorf("a second first user: %+v", again)
		}
		w.signIn("admin@example.com")
	})
}

func TestPlacesAreRecognized(t *testing.T) {
	each(t, func(w *world) {
		w.user("ann@example.com", billing.Admin)
		recognize := func(email, network, device string) access.Acquaintance {
			return must[access.SignInSource](w)(w.Access.Recognize(w.t.Context(), email, access.SignInSource{Network: network, Device: device})).Known
		}
		_, _, err := w.Access.SignIn(w.t.Context(), "ann@example.com", password, billing.Session{}, access.SignInSource{Network: "192.0.2.1", Device: "own"})
		w.ok(err)
		_, _, err = w.Access.SignIn(w.t.Context(), "ann@example.com", "wrong", billing.Session{}, access.SignInSource{Network: "192.0.2.2", Device: "guessed"})
		if !errors.Is(err, access.ErrWrongPassword) {
			w.t.Error(err)
		}
		for _, c := range []struct {
			email, network, device string
			want                   access.Acquaintance
		}{
			{"ANN@example.com", "192.0.2.9", "own", access.KnownDevice}, {"ann@example.com", "192.0.2.1", "", access.KnownNetwork},
			{"ann@example.com", "192.0.2.2", "guessed", access.Stranger}, {"bob@example.com", "192.0.2.1", "own", access.Stranger}, {"ann@example.com", "", "", access.Stranger},
		} {
			w.same(c.email+" from "+c.network+" with "+c.device, recognize(c.email, c.network, c.device), c.want)
		}
		// The address of a proxy is everybody's.
		proxy := access.SignInSource{Network: "192.0.2.80", Shared: true}
		_, _, err = w.Access.SignIn(w.t.Context(), "ann@example.com", password, billing.Session{}, proxy)
		w.ok(err)
		w.same("from a proxy", recognize("ann@example.com", proxy.Network, ""), access.Stranger)
		proxy.Network = "192.0.2.1"
		w.same("from what became a proxy", must[access.SignInSource](w)(w.Access.Recognize(w.t.Context(), "ann@example.com", proxy)).Known, access.Stranger)

		w.clock.Advance(access.SourceLife + time.Hour)
		w.unsure(func() { w.ok(w.Access.ForgetOldSessions(w.t.Context())) })
		w.same("while nobody knows what time it is", recognize("ann@example.com", "192.0.2.1", "own"), access.KnownDevice)
		w.ok(w.Access.ForgetOldSessions(w.t.Context()))
		w.same("after a long time", recognize("ann@example.com", "192.0.2.1", "own"), access.Stranger)
	})
}
