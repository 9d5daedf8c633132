package oauth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/access"
)

// principal is who a request with that token is made by, or nil if it is
// refused.
func (r *replica) principal(token string) (p *Principal) {
	req := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	r.RequireToken(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		found, _ := PrincipalOf(req.Context())
		p = &found
	})).ServeHTTP(httptest.NewRecorder(), req)
	return p
}

// signIn begins a session of a user and returns its token.
func (r *replica) signIn(email string) (session string, u *billing.User) {
	r.world.t.Helper()
	session, u, err := r.service.Access.SignIn(context.Background(), email, "correct horse battery", billing.Session{}, access.SignInSource{})
	if err != nil {
		r.world.t.Fatal(err)
	}
	return session, u
}

func (r *replica) createAdmin(email string) {
	r.world.t.Helper()
	_, err := r.service.Access.UserCreate(context.Background(), func(u *billing.User) error {
		u.Email, u.Role = email, billing.Admin
		return nil
	}, "correct horse battery")
	if err != nil {
		r.world.t.Fatal(err)
	}
}

func (r *replica) userToken(u *billing.User, session string) string {
	r.world.t.Helper()
	text, expires, err := r.UserToken(u, session)
	if err != nil || !expires.Equal(r.world.clock.Now().Add(10*time.Minute)) {
		r.world.t.Fatalf("the token ends %v (%v)", expires, err)
	}
	return text
}

func TestTokensOfUsers(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r := w.replica()
		r.createAdmin("ann@example.com")
		session, u := r.signIn("ann@example.com")
		token := r.userToken(u, session)
		p := r.principal(token)
		if p == nil || p.Actor() != "user ann@example.com" || p.ClientID != userClientID(u.ID) || !slices.Equal(p.Scopes, billing.Scopes) {
			t.Fatalf("the token is of %+v", p)
		}
		if again := r.principal(token); again == nil {
			t.Error("a token that is remembered is refused")
		}
		w.clock.pass(10 * time.Minute)
		if r.principal(token) != nil {
			t.Error("the token outlives its time")
		}
		if r.principal(r.userToken(u, "no session")) != nil {
			t.Error("a token is good without a session")
		}
	})
}

// TestRightsOfUsersEnd: what ends a user's session or takes a right of the role
// counts for tokens issued before, in every process.
func TestRightsOfUsersEnd(t *testing.T) {
	for name, end := range map[string]func(r *replica, u *billing.User, session string) error{
		"signed out": func(r *replica, u *billing.User, session string) error {
			return r.service.Access.SignOut(context.Background(), u, session)
		},
		"signed out everywhere": func(r *replica, u *billing.User, _ string) error {
			_, err := r.service.Access.SignOutEverywhere(context.Background(), u.ID)
			return err
		},
		"given another password": func(r *replica, u *billing.User, _ string) error {
			_, err := r.service.Access.UserPasswordSet(context.Background(), u.ID, "another horse battery", "")
			return err
		},
		"disabled": func(r *replica, u *billing.User, _ string) error {
			_, err := r.service.Access.UserDisable(context.Background(), u.ID)
			return err
		},
		"deleted": func(r *replica, u *billing.User, _ string) error {
			_, err := r.service.Access.UserDelete(context.Background(), u.ID)
			return err
		},
		"idle": func(r *replica, _ *billing.User, _ string) error {
			r.world.clock.pass(time.Minute)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, w *world) {
				here, there := w.replica(), w.replica()
				here.createAdmin("ann@example.com")
				here.createAdmin("bob@example.com")
				session, u := here.signIn("ann@example.com")
				w.clock.pass(billing.SessionIdle - time.Minute)
				token := here.userToken(u, session)
				for _, r := range []*replica{here, there} {
					if r.principal(token) == nil { // and remembers it
						t.Fatal("a good token is refused")
					}
				}
				if err := end(here, u, session); err != nil {
					t.Fatal(err)
				}
				for _, r := range []*replica{here, there} {
					if p := r.principal(token); p != nil {
						t.Errorf("the token is still good: %+v", p)
					}
				}
			})
		})
	}
}

func TestRoleIsTakenFromTokens(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		here, there := w.replica(), w.replica()
		here.createAdmin("ann@example.com")
		here.createAdmin("bob@example.com")
		session, u := here.signIn("ann@example.com")
		token := here.userToken(u, session)
		for _, role := range []billing.Role{billing.Editor, billing.Viewer} {
			if _, err := here.service.Access.UserUpdate(t.Context(), u.ID, func(u *billing.User) error { u.Role = role; return nil }); err != nil {
				t.Fatal(err)
			}
			for _, r := range []*replica{here, there} {
				if p := r.principal(token); p == nil || !slices.Equal(p.Scopes, role.Scopes()) {
					t.Errorf("the token of a %s is of %+v", role, p)
				}
			}
		}
	})
}
