package oauth

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
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

func TestTokensOfUsers(t *testing.T) {
	onBoth(t, func(t *testing.T, w *world) {
		r, ctx := w.replica(), context.Background()
		u, err := r.service.UserCreate(ctx, func(u *billing.User) error {
			u.Email, u.Role = "ann@example.com", billing.Admin
			return nil
		}, "correct horse battery")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.service.UserCreate(ctx, func(u *billing.User) error {
			u.Email, u.Role = "bob@example.com", billing.Admin
			return nil
		}, "correct horse battery"); err != nil {
			t.Fatal(err)
		}
		token := func() string {
			text, expires, err := r.UserToken(u)
			if err != nil || !expires.Equal(w.clock.Now().Add(10*time.Minute)) {
				t.Fatalf("the token ends %v (%v)", expires, err)
			}
			return text
		}
		first := token()
		p := r.principal(first)
		if p == nil || p.Actor() != "user ann@example.com" || !slices.Equal(p.Scopes, billing.Scopes) {
			t.Fatalf("the token is of %+v", p)
		}
		if again := r.principal(first); again == nil {
			t.Error("a token that is remembered is refused")
		}
		w.clock.pass(10 * time.Minute)
		if r.principal(first) != nil {
			t.Error("the token outlives its time")
		}

		before := token()
		w.clock.pass(time.Second)
		if u, err = r.service.UserUpdate(ctx, u.ID, func(u *billing.User) error { u.Role = billing.Viewer; return nil }); err != nil {
			t.Fatal(err)
		}
		if r.principal(before) != nil {
			t.Error("a token outlives a change of the user")
		}
		if p = r.principal(token()); p == nil || !slices.Equal(p.Scopes, []string{billing.StandardRead}) {
			t.Errorf("a viewer's token is of %+v", p)
		}
		last := token()
		if _, err := r.service.UserDelete(ctx, u.ID); err != nil {
			t.Fatal(err)
		}
		if r.principal(last) != nil {
			t.Error("a token outlives its user")
		}
	})
}
