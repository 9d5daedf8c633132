package billing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestRolesAreNested(t *testing.T) {
	for i, role := range billing.Roles[1:] {
		mightier := billing.Roles[i]
		for _, scope := range role.Scopes() {
			if !mightier.Allows(scope) {
				t.Errorf("%s has %s, which %s has not", role, scope, mightier)
			}
		}
		if len(role.Scopes()) >= len(mightier.Scopes()) {
			t.Errorf("%s may do as much as %s", role, mightier)
		}
	}
	if !slices.Equal(billing.Admin.Scopes(), billing.Scopes) || billing.Role("KING").Allows(billing.StandardRead) {
		t.Error("an admin has not every scope, or an unknown role has one")
	}
}

func TestUserCheck(t *testing.T) {
	good := billing.User{Email: "ann@example.com", Role: billing.Viewer}
	for name, c := range map[string]struct {
		edit  func(*billing.User)
		field string
	}{
		"as it is":     {func(*billing.User) {}, ""},
		"with a name":  {func(u *billing.User) { u.Name = "Ann" }, ""},
		"no address":   {func(u *billing.User) { u.Email = "" }, "email"},
		"not one":      {func(u *billing.User) { u.Email = "ann" }, "email"},
		"a long name":  {func(u *billing.User) { u.Name = strings.Repeat("a", 256) }, "name"},
		"no role":      {func(u *billing.User) { u.Role = "" }, "role"},
		"a lower role": {func(u *billing.User) { u.Role = "admin" }, "role"},
	} {
		u := good
		c.edit(&u)
		problems := u.Check()
		if c.field == "" && len(problems) > 0 || c.field != "" && (len(problems) != 1 || problems[0].Field[0] != c.field) {
			t.Errorf("%s: %v, want a problem with %q", name, problems, c.field)
		}
	}
}

func TestPasswords(t *testing.T) {
	u := billing.User{Email: "Ann.Miller@Example.com"}
	for password, good := range map[string]bool{
		"correct horse battery": true, "ααββγγδδεεζζ": true, strings.Repeat("ab", 100): true,
		"": false, "elevenchars": false, "ann.miller@example.com": false, "aaaaaaaaaaaaaaaa": false,
		strings.Repeat("ab", 101): false, "not UTF-8: \xff\xff\xff": false,
	} {
		if e := u.CheckPassword(password); (e == nil) != good {
			t.Errorf("%q: %v", password, e)
		}
	}
}

func TestSessionsEnd(t *testing.T) {
	begun := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		seen, now time.Duration
		over      bool
	}{
		{0, 0, false},
		{0, billing.SessionIdle - 1, false},
		{0, billing.SessionIdle, true},
		{6 * 24 * time.Hour, 6*24*time.Hour + time.Hour, false},
		{billing.SessionLife - time.Minute, billing.SessionLife - 1, false},
		{billing.SessionLife - time.Minute, billing.SessionLife, true},
		{0, -billing.MaxAhead, false},
		{0, -billing.MaxAhead - 1, true},
		{-billing.SessionIdle, -billing.MaxAhead - 1, true}, // begun in the future
		{time.Hour, 0, true},                                // seen in the future
	} {
		s := billing.Session{CreatedAt: begun, SeenAt: begun.Add(c.seen)}
		if s.Over(begun.Add(c.now)) != c.over {
			t.Errorf("seen after %v, after %v: over is %v", c.seen, c.now, !c.over)
		}
	}
}
