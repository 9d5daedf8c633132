package access_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

func signIn(w *servicetest.World, email string) (token string) {
	w.T.Helper()
	token, _, err := w.Access.SignIn(w.T.Context(), email, servicetest.Password, billing.Session{Address: "192.0.2.1", Browser: "Firefox"}, access.SignInSource{})
	w.OK(err)
	return token
}

// signedIn is the address of who is signed in with a token, or empty.
func signedIn(w *servicetest.World, token string) string {
	w.T.Helper()
	u, _, err := w.Access.Session(w.T.Context(), token)
	w.OK(err)
	if u == nil {
		return ""
	}
	return u.Email
}

func TestUsersSignInAndOut(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		ann := w.User("Ann@example.com", billing.Admin)
		for _, wrong := range [][2]string{
			{"ann@example.com", servicetest.Password + "x"}, {"ann@example.com", ""}, {"bob@example.com", servicetest.Password}, {"", ""}, {"ann@example.com\x00", servicetest.Password},
		} {
			token, u, err := w.Access.SignIn(w.T.Context(), wrong[0], wrong[1], billing.Session{}, access.SignInSource{})
			if token != "" || u != nil || !errors.Is(err, access.ErrWrongPassword) {
				w.T.Errorf("%q: %v, %v", wrong, u, err)
			}
		}
		one, two := signIn(w, "ann@example.com"), signIn(w, "ANN@EXAMPLE.COM")
		w.Equal("who is signed in", []string{signedIn(w, one), signedIn(w, two), signedIn(w, ""), signedIn(w, "x")}, []string{ann.Email, ann.Email, "", ""})
		_, session, err := w.Access.Session(w.T.Context(), one)
		w.OK(err)
		w.Equal("where", []string{session.Address, session.Browser}, []string{"192.0.2.1", "Firefox"})
		if session.TokenHash == one {
			w.T.Error("the token itself is kept")
		}
		w.OK(w.Access.SignOut(w.Ctx, ann, one))
		w.Equal("after signing out", []string{signedIn(w, one), signedIn(w, two)}, []string{"", ann.Email})
		w.Equal("everywhere", servicetest.Must[int](w)(w.Access.SignOutEverywhere(w.Ctx, ann.ID)), 1)
		w.Equal("after signing out everywhere", signedIn(w, two), "")
	})
}

func TestSessionsRunOut(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.User("ann@example.com", billing.Viewer)
		idle, used := signIn(w, "ann@example.com"), signIn(w, "ann@example.com")
		for range 28 {
			w.Clock.Advance(billing.SessionIdle / 2)
			signedIn(w, used)
		}
		w.Equal("after a week of use", []string{signedIn(w, idle), signedIn(w, used)}, []string{"", ""})
		used = signIn(w, "ann@example.com")
		for range 14 {
			w.Clock.Advance(billing.SessionIdle - time.Minute)
			w.Equal("in use", signedIn(w, used), "ann@example.com")
		}
		w.OK(w.Access.ForgetOldSessions(w.T.Context()))
		u := servicetest.Must[*billing.User](w)(store.UserByEmail(w.T.Context(), w.Read(), "ann@example.com"))
		w.Equal("sessions left", len(servicetest.Must[[]billing.Session](w)(store.SessionsOf(w.T.Context(), w.Read(), u.ID))), 1)
		w.Clock.Advance(billing.SessionIdle - time.Minute)
		w.Equal("after a week", signedIn(w, used), "")
	})
}

func TestTheLastAdminStays(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		ann := w.User("ann@example.com", billing.Admin)
		demote := func(u *billing.User) error { u.Role = billing.Editor; return nil }
		_, err := w.Access.UserUpdate(w.Ctx, ann.ID, demote)
		w.Refused("demoting the last admin", err, "IN_USE role")
		_, err = w.Access.UserDelete(w.Ctx, ann.ID)
		w.Refused("deleting the last admin", err, "IN_USE role")
		_, err = w.Access.UserDisable(w.Ctx, ann.ID)
		w.Refused("disabling the last admin", err, "IN_USE role")
		bob := w.User("bob@example.com", billing.Admin)
		servicetest.Must[*billing.User](w)(w.Access.UserDisable(w.Ctx, bob.ID))
		_, err = w.Access.UserDelete(w.Ctx, ann.ID)
		w.Refused("deleting the last admin who can sign in", err, "IN_USE role")
		_, err = w.Access.UserUpdate(w.Ctx, ann.ID, demote)
		w.Refused("demoting the last admin who can sign in", err, "IN_USE role")
		servicetest.Must[*billing.User](w)(w.Access.UserEnable(w.Ctx, bob.ID))
		// Of two who remove each other at once, one stays.
		failed := make(chan error, 2)
		for _, id := range []billing.UserID{ann.ID, bob.ID} {
			go func() { _, err := w.Access.UserDelete(w.Ctx, id); failed <- err }()
		}
		first, second := <-failed, <-failed
		if (first == nil) == (second == nil) {
			w.T.Errorf("both or none were deleted: %v, %v", first, second)
		}
		w.Equal("admins", servicetest.Must[int](w)(store.CountAdmins(w.T.Context(), w.Read())), 1)
	})
}

func TestUsersAreChecked(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.User("ann@example.com", billing.Admin)
		create := func(email, password string) error {
			_, err := w.Access.UserCreate(w.Ctx, func(u *billing.User) error { u.Email = email; return nil }, password)
			return err
		}
		w.Refused("taken", create(" Ann@Example.com ", servicetest.Password), "TAKEN email")
		w.Refused("all wrong", create("ann", "short"), "INVALID password", "INVALID email")
		_, err := w.Access.UserUpdate(w.Ctx, 99, func(*billing.User) error { return nil })
		w.Refused("nobody", err, "NOT_FOUND id")
	})
}

func TestAnotherPasswordEndsSessions(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		ann, bob := w.User("ann@example.com", billing.Viewer), w.User("bob@example.com", billing.Viewer)
		here, there, other := signIn(w, "ann@example.com"), signIn(w, "ann@example.com"), signIn(w, "bob@example.com")
		_, err := w.Access.UserPasswordSet(w.Ctx, ann.ID, "short", here)
		w.Refused("a short password", err, "INVALID password")
		servicetest.Must[*billing.User](w)(w.Access.UserPasswordSet(w.Ctx, ann.ID, "another "+servicetest.Password, here))
		w.Equal("sessions", []string{signedIn(w, here), signedIn(w, there), signedIn(w, other)}, []string{ann.Email, "", bob.Email})
		if _, _, err := w.Access.SignIn(w.T.Context(), ann.Email, servicetest.Password, billing.Session{}, access.SignInSource{}); !errors.Is(err, access.ErrWrongPassword) {
			w.T.Errorf("the old password: %v", err)
		}
		servicetest.Must[*billing.User](w)(w.Access.UserDelete(w.Ctx, bob.ID))
		w.Equal("the session of a deleted user", signedIn(w, other), "")
	})
}

func TestDisabledUsersStayOut(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		ann, bob := w.User("ann@example.com", billing.Admin), w.User("bob@example.com", billing.Admin)
		_, err := w.Access.UserDisable(operation.As(w.Ctx, operation.Caller{Actor: access.UserActor(ann)}), ann.ID)
		w.Refused("disabling oneself", err, "IN_USE id")
		_, err = w.Access.UserDisable(w.Ctx, 99)
		w.Refused("nobody", err, "NOT_FOUND id")

		at := access.SignInSource{Network: "192.0.2.1", Device: "own"}
		here, _, err := w.Access.SignIn(w.T.Context(), bob.Email, servicetest.Password, billing.Session{}, at)
		w.OK(err)
		other := signIn(w, ann.Email)
		servicetest.Must[*billing.User](w)(w.Access.UserDisable(w.Ctx, bob.ID))
		w.Equal("sessions", []string{signedIn(w, here), signedIn(w, other)}, []string{"", ann.Email})
		w.Equal("the source", servicetest.Must[access.SignInSource](w)(w.Access.Recognize(w.T.Context(), bob.Email, at)).Known, access.Stranger)
		for _, tried := range []string{servicetest.Password, servicetest.Password + "x"} {
			if _, _, err := w.Access.SignIn(w.T.Context(), bob.Email, tried, billing.Session{}, at); !errors.Is(err, access.ErrWrongPassword) {
				w.T.Errorf("signing in with %q: %v", tried, err)
			}
		}
		servicetest.Must[*billing.User](w)(w.Access.UserPasswordSet(w.Ctx, bob.ID, servicetest.Password, ""))
		if _, _, err := w.Access.SignIn(w.T.Context(), bob.Email, servicetest.Password, billing.Session{}, at); !errors.Is(err, access.ErrWrongPassword) {
			w.T.Errorf("signing in with a new password: %v", err)
		}

		servicetest.Must[*billing.User](w)(w.Access.UserEnable(w.Ctx, bob.ID))
		w.Equal("the old session, and a new one", []string{signedIn(w, here), signedIn(w, signIn(w, bob.Email))}, []string{"", bob.Email})
		entries := servicetest.Must[[]billing.AuditEntry](w)(store.AuditEntries.List(w.T.Context(), w.Read(), store.Page{Limit: 100}))
		var told []string
		for _, e := range entries {
			if e.Action == "userDisable" || e.Action == "userEnable" {
				told = append(told, e.Action)
				w.Equal(e.Action, string(e.Detail["disabled"].To), strconv.FormatBool(e.Action == "userDisable"))
			}
		}
		w.Equal("the audit log", told, []string{"userDisable", "userEnable"})
	})
}

// A session that somehow outlives its user's rights is good for nothing.
func TestASessionOfADisabledUserIsRefused(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.User("ann@example.com", billing.Admin)
		bob := w.User("bob@example.com", billing.Viewer)
		token := signIn(w, bob.Email)
		w.OK(w.Store.Write(w.Ctx, func(ctx context.Context, tx *store.Tx) error {
			u, err := store.Users.Lock(ctx, tx, bob.ID)
			if err != nil {
				return err
			}
			u.Disabled = true
			return store.Users.Update(ctx, tx, u)
		}))
		w.Equal("the session", signedIn(w, token), "")
	})
}

func TestTheFirstUserIsMadeOnce(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		u := servicetest.Must[*billing.User](w)(w.Access.FirstUser(w.Ctx, "admin@example.com", servicetest.Password))
		if u == nil || u.Role != billing.Admin {
			w.T.Fatalf("the first user is %+v", u)
		}
		if again := servicetest.Must[*billing.User](w)(w.Access.FirstUser(w.Ctx, "other@example.com", servicetest.Password)); again != nil {
			w.T.Errorf("a second first user: %+v", again)
		}
		signIn(w, "admin@example.com")
	})
}

func TestPlacesAreRecognized(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		w.User("ann@example.com", billing.Admin)
		recognize := func(email, network, device string) access.Acquaintance {
			return servicetest.Must[access.SignInSource](w)(w.Access.Recognize(w.T.Context(), email, access.SignInSource{Network: network, Device: device})).Known
		}
		_, _, err := w.Access.SignIn(w.T.Context(), "ann@example.com", servicetest.Password, billing.Session{}, access.SignInSource{Network: "192.0.2.1", Device: "own"})
		w.OK(err)
		_, _, err = w.Access.SignIn(w.T.Context(), "ann@example.com", "wrong", billing.Session{}, access.SignInSource{Network: "192.0.2.2", Device: "guessed"})
		if !errors.Is(err, access.ErrWrongPassword) {
			w.T.Error(err)
		}
		for _, c := range []struct {
			email, network, device string
			want                   access.Acquaintance
		}{
			{"ANN@example.com", "192.0.2.9", "own", access.KnownDevice}, {"ann@example.com", "192.0.2.1", "", access.KnownNetwork},
			{"ann@example.com", "192.0.2.2", "guessed", access.Stranger}, {"bob@example.com", "192.0.2.1", "own", access.Stranger}, {"ann@example.com", "", "", access.Stranger},
		} {
			w.Equal(c.email+" from "+c.network+" with "+c.device, recognize(c.email, c.network, c.device), c.want)
		}
		// The address of a proxy is everybody's.
		proxy := access.SignInSource{Network: "192.0.2.80", Shared: true}
		_, _, err = w.Access.SignIn(w.T.Context(), "ann@example.com", servicetest.Password, billing.Session{}, proxy)
		w.OK(err)
		w.Equal("from a proxy", recognize("ann@example.com", proxy.Network, ""), access.Stranger)
		proxy.Network = "192.0.2.1"
		w.Equal("from what became a proxy", servicetest.Must[access.SignInSource](w)(w.Access.Recognize(w.T.Context(), "ann@example.com", proxy)).Known, access.Stranger)

		w.Clock.Advance(access.SourceLife + time.Hour)
		w.DistrustClock(func() { w.OK(w.Access.ForgetOldSessions(w.T.Context())) })
		w.Equal("while nobody knows what time it is", recognize("ann@example.com", "192.0.2.1", "own"), access.KnownDevice)
		w.OK(w.Access.ForgetOldSessions(w.T.Context()))
		w.Equal("after a long time", recognize("ann@example.com", "192.0.2.1", "own"), access.Stranger)
	})
}
