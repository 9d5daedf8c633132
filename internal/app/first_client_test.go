package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestOnlyTheFirstStartPrintsCredentials(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := child(t, nil, "--data-dir", dir)
	id, secret := first.firstCredentials(t)
	tokenOf(t, first.url, id, secret, everyScope)
	if first.stderr.has(secret) {
		t.Error("the secret is in the log")
	}
	first.stop(t)

	second := child(t, nil, "--data-dir", dir)
	tokenOf(t, second.url, id, secret, everyScope)
	second.stop(t)
	if second.stdout.String() != "" || second.stderr.has(id) || second.stderr.has(secret) {
		t.Errorf("the second start prints\n%s%s", second.stdout, second.stderr)
	}
}

func TestADeletedFirstClientIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inside(t, known, "--data-dir", dir).stop(t)
	mustCommand(t, nil, "client", "delete", "--data-dir", dir, firstID)
	again := inside(t, known, "--data-dir", dir)
	if again.stdout.String() != "" || tokenAnswer(t, again.url, firstID, firstSecret, everyScope).status != 401 {
		t.Errorf("the first client is back: %s", again.stdout)
	}
}

// printedCurl is the command of the first start, over two lines.
var printedCurl = regexp.MustCompile(`(?m)^  (curl .*\\\n.*)$`)

func TestThePrintedCurlWorks(t *testing.T) {
	t.Parallel()
	needPrograms(t, "sh", "curl")
	for _, listen := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::1]:0"} {
		t.Run(listen, func(t *testing.T) {
			if strings.HasPrefix(listen, "[") {
				needIPv6(t)
			}
			s := child(t, nil, "--data-dir", t.TempDir(), "--listen", listen)
			s.firstCredentials(t)
			match := printedCurl.FindStringSubmatch(s.stdout.String())
			if match == nil {
				t.Fatalf("no curl in %s", s.stdout)
			}
			text, err := exec.CommandContext(t.Context(), "sh", "-c", match[1]).Output()
			if err != nil {
				t.Fatalf("%s: %v", match[1], err)
			}
			token := answer{200, nil, string(text)}.text(t, "access_token")
			mustCreateAccount(t, s.url, token, "acme")
		})
	}
}

func TestCredentialsFromTheEnvironmentAreUsed(t *testing.T) {
	t.Parallel()
	s := child(t, known, "--data-dir", t.TempDir())
	mustCreateAccount(t, s.url, s.firstToken(t), "acme")
	s.stop(t)
	if s.stdout.String() != "made the first API client, first-client, from TENANTRY_CLIENT_ID\n"+
		"made the first user, ann@example.com, from TENANTRY_ADMIN_EMAIL\n" {
		t.Errorf("prints %s", s.stdout)
	}
	if s.stderr.has(firstSecret) || s.stderr.has(adminSecret) {
		t.Error("the secret is in the log")
	}
}

func TestTheKeyFileIsForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes: skipped")
	}
	dir := filepath.Join(t.TempDir(), "data")
	s := child(t, nil, "--data-dir", dir)
	key := filepath.Join(dir, "secret.key")
	for path, want := range map[string]os.FileMode{key: 0o600, dir: os.ModeDir | 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v (%v), want %v", path, info.Mode(), err, want)
		}
	}
	if !s.stderr.has("made a key for the secrets in the database: " + key + ", readable by its owner only") {
		t.Errorf("it does not say that a key was made:\n%s", s.stderr)
	}
	text, err := os.ReadFile(key)
	if err != nil || s.stderr.has(strings.TrimSpace(string(text))) {
		t.Errorf("the key itself is in the log (%v)", err)
	}
}
