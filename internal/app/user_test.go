package app_test

import (
	"regexp"
	"strings"
	"testing"
)

var printedUser = regexp.MustCompile(`(?m)^  e-mail         (\S+)\n  password       (\S+)$`)

func TestTheFirstStartPrintsAUser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := inside(t, nil, "--data-dir", dir)
	match := printedUser.FindStringSubmatch(first.stdout.String())
	if match == nil || match[1] != "admin@tenantry.local" || !first.stdout.has("The console is at "+first.url) {
		t.Fatalf("prints %s", first.stdout)
	}
	if first.stderr.has(match[2]) {
		t.Error("the password is in the log")
	}
	first.stop(t)
	listed := mustCommand(t, nil, "user", "list", "--data-dir", dir)
	if !regexp.MustCompile(`(?m)^admin@tenantry\.local\s+admin\s+never\s+enabled$`).MatchString(listed) {
		t.Errorf("user list prints %s", listed)
	}
}

// A database of a version without a console has an API client and no user.
func TestAnUpgradedInstallationGetsAUser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	mustCommand(t, nil, "client", "create", "--data-dir", dir, "--name", "Old")
	s := inside(t, nil, "--data-dir", dir)
	if !printedUser.MatchString(s.stdout.String()) || s.stdout.has("client secret") {
		t.Errorf("prints %s", s.stdout)
	}
}

func TestADeletedFirstUserIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inside(t, known, "--data-dir", dir).stop(t)
	mustCommand(t, nil, "user", "create", "--data-dir", dir, "--role", "admin", "bob@example.com")
	mustCommand(t, nil, "user", "delete", "--data-dir", dir, "Ann@Example.com")
	if again := inside(t, known, "--data-dir", dir); again.stdout.String() != "" {
		t.Errorf("the first user is back: %s", again.stdout)
	}
}

func TestUserCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	made := mustCommand(t, nil, "user", "create", "--data-dir", dir, "--role", "Admin", "--name", "Ann", "ann@example.com")
	if !regexp.MustCompile(`^e-mail    ann@example\.com\npassword  \S{20}\n$`).MatchString(made) {
		t.Errorf("user create prints %q", made)
	}
	given := mustCommand(t, env{"TENANTRY_PASSWORD": "correct horse battery"}, "user", "create", "--data-dir", dir, "bob@example.com")
	if given != "e-mail    bob@example.com\n" {
		t.Errorf("user create with a password prints %q", given)
	}
	listed := mustCommand(t, nil, "user", "list", "--data-dir", dir)
	for _, want := range []string{`ann@example\.com\s+Ann\s+admin\s+never`, `bob@example\.com\s+viewer\s+never`} {
		if !regexp.MustCompile(want).MatchString(listed) {
			t.Errorf("user list has no %s: %s", want, listed)
		}
	}
	if text := mustCommand(t, nil, "user", "password", "--data-dir", dir, "ANN@example.com"); !strings.Contains(text, "password  ") {
		t.Errorf("user password prints %q", text)
	}
	for _, action := range []string{"disable", "enable"} {
		state := action + "d"
		if text := mustCommand(t, nil, "user", action, "--data-dir", dir, "BOB@example.com"); text != state+" bob@example.com\n" {
			t.Errorf("user %s prints %q", action, text)
		}
		if listed := mustCommand(t, nil, "user", "list", "--data-dir", dir); !regexp.MustCompile(`bob@example\.com\s+viewer\s+never\s+` + state).MatchString(listed) {
			t.Errorf("after user %s, user list prints %s", action, listed)
		}
	}
	if text := mustCommand(t, nil, "user", "delete", "--data-dir", dir, "bob@example.com"); text != "deleted bob@example.com\n" {
		t.Errorf("user delete prints %q", text)
	}
	for _, wrong := range []struct {
		env  env
		args []string
		code int
		says string
	}{
		{nil, []string{"create", "ann@example.com"}, 2, "Another user has the address"},
		{nil, []string{"create", "--role", "king", "eve@example.com"}, 2, "--role: A user is ADMIN, EDITOR or VIEWER"},
		{env{"TENANTRY_PASSWORD": "short"}, []string{"create", "eve@example.com"}, 2, "TENANTRY_PASSWORD: A password has 12"},
		{nil, []string{"create"}, 2, "takes EMAIL"},
		{nil, []string{"password", "eve@example.com"}, 1, "there is no user"},
		{nil, []string{"delete", "ann@example.com"}, 1, "last admin"},
		{nil, []string{"disable", "ann@example.com"}, 1, "last admin"},
		{nil, []string{"enable", "eve@example.com"}, 1, "there is no user"},
		{nil, []string{"rename"}, 2, "needs one of"},
	} {
		done := command(t, wrong.env, append(append([]string{"user"}, wrong.args...), "--data-dir", dir)...)
		if done.code != wrong.code || !strings.Contains(done.stderr, wrong.says) {
			t.Errorf("%q exits with %d and says %s", wrong.args, done.code, done.stderr)
		}
	}
}

func TestAdminOfTheEnvironmentIsChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ email, password, says string }{
		{"ann@example.com", "", "together, or neither"},
		{"", "correct horse battery", "together, or neither"},
		{"ann", "correct horse battery", "TENANTRY_ADMIN_EMAIL: "},
		{"ann@example.com", "short", "TENANTRY_ADMIN_PASSWORD: "},
	} {
		done := command(t, env{"TENANTRY_ADMIN_EMAIL": c.email, "TENANTRY_ADMIN_PASSWORD": c.password}, "serve", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0")
		if done.code != 2 || !strings.Contains(done.stderr, c.says) {
			t.Errorf("%+v exits with %d and says %s", c, done.code, done.stderr)
		}
	}
}
