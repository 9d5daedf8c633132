package app_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

var printedCredentials = regexp.MustCompile(`client id +([A-Za-z0-9_-]+)\n *client secret +([A-Za-z0-9_-]+)\n`)

// credentialsIn finds what a command printed.
func credentialsIn(t testing.TB, text string) (id, secret string) {
	t.Helper()
	match := printedCredentials.FindStringSubmatch(text)
	if match == nil {
		t.Fatalf("no credentials in %q", text)
	}
	return match[1], match[2]
}

// firstCredentials waits for those that the first start prints.
func (s *server) firstCredentials(t testing.TB) (id, secret string) {
	t.Helper()
	eventually(t, patience, "credentials on standard output", func() bool { return printedCredentials.MatchString(s.stdout.String()) })
	return credentialsIn(t, s.stdout.String())
}

// besideServer runs test with a running server and the flags of commands that
// work on its database, on both engines.
func besideServer(t *testing.T, test func(t *testing.T, s *server, e env, database []string)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		database := []string{"--data-dir", t.TempDir()}
		test(t, inside(t, known, database...), nil, database)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		e := env{"TENANTRY_SECRET_KEY": secretKey, "TENANTRY_DB": storetest.Postgres(t)}
		test(t, inside(t, known.with(e)), e, nil)
	})
}

// clientCommand puts a client command together; ids go after "--", because a
// random one may begin with a dash.
func clientCommand(name string, database []string, args ...string) []string {
	return append(append([]string{"client", name}, database...), args...)
}

// refused reports whether a token is not good any more.
func refused(t testing.TB, server, token string) bool {
	t.Helper()
	a := ask(t, server, token, "{ accounts { id } }", nil)
	switch a.status {
	case 200:
		return false
	case 401:
		if a.body != `[{"description":["The access token was revoked"]}]` {
			t.Fatalf("refused with %s", a.body)
		}
		return true
	}
	t.Fatalf("answered %d %s", a.status, a.body)
	return false
}

// withinASecond fails when happened was asked a second from now or later and
// still said no. Being slow makes nothing fail: it asks less often.
func withinASecond(t testing.TB, what string, happened func() bool) {
	t.Helper()
	since := time.Now()
	eventually(t, patience, what, func() bool {
		late := time.Since(since) > time.Second
		done := happened()
		if !done && late {
			t.Fatalf("not within a second: %s", what)
		}
		return done
	})
}

func TestAClientMadeBesideAServerGetsATokenAtOnce(t *testing.T) {
	t.Parallel()
	besideServer(t, func(t *testing.T, s *server, e env, database []string) {
		made := command(t, e, clientCommand("create", database, "--name", "Order system", "--scopes", "standard:write  standard:read", "--expires-in", "60")...)
		if made.code != 0 || made.stderr != "keep the secret: it is not shown again\n" {
			t.Fatalf("exits with %d and says %q", made.code, made.stderr)
		}
		id, secret := credentialsIn(t, made.stdout)
		a := tokenAnswer(t, s.url, id, secret, "standard:read standard:write")
		if a.status != 200 || a.value(t, "expires_in") != 60.0 {
			t.Fatalf("answered %d %s", a.status, a.body)
		}
		mustCreateAccount(t, s.url, a.text(t, "access_token"), "acme")
		list := mustCommand(t, e, clientCommand("list", database)...)
		if !regexp.MustCompile(`(?m)^` + id + ` +Order system +standard:read standard:write +60 +never$`).MatchString(list) {
			t.Errorf("it is not in the list:\n%s", list)
		}
		if strings.Contains(list, secret) {
			t.Error("the list shows the secret")
		}
	})
}

func TestAClientDeletedBesideAServerIsRefusedWithinASecond(t *testing.T) {
	t.Parallel()
	besideServer(t, func(t *testing.T, s *server, e env, database []string) {
		id, secret := credentialsIn(t, mustCommand(t, e, clientCommand("create", database, "--name", "a")...))
		token := tokenOf(t, s.url, id, secret, "standard:read")
		if refused(t, s.url, token) {
			t.Fatal("refused before it was deleted")
		}
		said := mustCommand(t, e, clientCommand("delete", database, "--", id)...)
		if said != "deleted "+id+" (a); its tokens end within a second\n" {
			t.Errorf("prints %q", said)
		}
		withinASecond(t, "its token is refused", func() bool { return refused(t, s.url, token) })
		if a := tokenAnswer(t, s.url, id, secret, "standard:read"); a.status != 401 {
			t.Errorf("its secret is answered %d", a.status)
		}
		if list := mustCommand(t, e, clientCommand("list", database)...); strings.Contains(list, id) {
			t.Errorf("it is still in the list:\n%s", list)
		}
		for _, command := range []string{"delete", "renew-secret"} {
			again := mustFail(t, e, clientCommand(command, database, "--", id)...)
			if !strings.Contains(again, id) || !strings.Contains(again, "tenantry client list") {
				t.Errorf("%s of a deleted client says %q", command, again)
			}
		}
	})
}

func TestARenewedSecretReplacesTheOldOne(t *testing.T) {
	t.Parallel()
	besideServer(t, func(t *testing.T, s *server, e env, database []string) {
		id, old := credentialsIn(t, mustCommand(t, e, clientCommand("create", database, "--name", "a")...))
		token := tokenOf(t, s.url, id, old, "standard:read")
		same, fresh := credentialsIn(t, mustCommand(t, e, clientCommand("renew-secret", database, "--", id)...))
		if same != id || fresh == old {
			t.Fatalf("renewed %s to %s", id, same)
		}
		tokenOf(t, s.url, id, fresh, "standard:read")
		withinASecond(t, "the old secret is refused", func() bool {
			return tokenAnswer(t, s.url, id, old, "standard:read").status == 401
		})
		if refused(t, s.url, token) {
			t.Error("its tokens ended, though nobody asked for that")
		}
		_, newest := credentialsIn(t, mustCommand(t, e, clientCommand("renew-secret", database, "--revoke-tokens", "--", id)...))
		withinASecond(t, "its tokens end", func() bool { return refused(t, s.url, token) })
		if refused(t, s.url, tokenOf(t, s.url, id, newest, "standard:read")) {
			t.Error("a new token is refused")
		}
	})
}

func TestTheOldSecretStaysGoodForTheOverlap(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// The command stamps by the real clock, so the server's begins there.
	clock := storetest.NewClock()
	clock.Set(time.Now())
	s := insideAt(t, known, clock.Now, "--data-dir", dir)
	id, old := credentialsIn(t, mustCommand(t, nil, "client", "create", "--data-dir", dir, "--name", "a"))
	_, fresh := credentialsIn(t, mustCommand(t, nil, "client", "renew-secret", "--data-dir", dir, "--overlap-hours", "24", "--", id))
	status := func(secret string) int { return tokenAnswer(t, s.url, id, secret, "standard:read").status }
	if status(old) != 200 || status(fresh) != 200 {
		t.Errorf("within the overlap: %d for the old secret, %d for the new one", status(old), status(fresh))
	}
	clock.Advance(23 * time.Hour)
	if status(old) != 200 {
		t.Error("the old secret ended early")
	}
	clock.Advance(time.Hour + time.Minute)
	if status(old) != 401 || status(fresh) != 200 {
		t.Errorf("after the overlap: %d for the old secret, %d for the new one", status(old), status(fresh))
	}
}

func TestAWrongOverlapIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	id, _ := credentialsIn(t, mustCommand(t, nil, "client", "create", "--data-dir", dir, "--name", "a"))
	for _, hours := range []string{"-1", "721"} {
		done := command(t, nil, "client", "renew-secret", "--data-dir", dir, "--overlap-hours", hours, "--", id)
		if done.code != 2 || !strings.Contains(done.stderr, "--overlap-hours: ") || !strings.Contains(done.stderr, "0 to 720 hours") {
			t.Errorf("exits with %d and says %q", done.code, done.stderr)
		}
	}
}

// mustFail runs a command that must exit with 1 and returns what it said.
func mustFail(t testing.TB, e env, args ...string) string {
	t.Helper()
	done := command(t, e, args...)
	if done.code != 1 || !strings.HasPrefix(done.stderr, "tenantry: ") {
		t.Fatalf("tenantry %q exits with %d and says %q, want 1", args, done.code, done.stderr)
	}
	return done.stderr
}
