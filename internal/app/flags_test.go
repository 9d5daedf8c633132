package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFlagWinsOverItsVariable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	wrong := env{"TENANTRY_DATA_DIR": filepath.Join(dir, "other"), "TENANTRY_NAME": "variable"}
	mustCommand(t, wrong, "client", "create", "--data-dir", dir, "--name", "flag")
	list := mustCommand(t, env{"TENANTRY_DATA_DIR": dir}, "client", "list")
	if !strings.Contains(list, " flag ") || strings.Contains(list, "variable") {
		t.Errorf("the flags did not win:\n%s", list)
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("the variable's directory was made")
	}

	values := known.with(env{"TENANTRY_LISTEN": "wrong", "TENANTRY_LOG_FORMAT": "wrong", "TENANTRY_BASE_URL": "wrong", "TENANTRY_WEBHOOK_ALLOW": "wrong"})
	inside(t, values, "--data-dir", dir, "--log-format", "json", "--base-url", "https://b.example.com/", "--webhook-allow", "10.0.0.0/8, fd00::/8")
}

func TestVariablesAreReadWithoutFlags(t *testing.T) {
	t.Parallel()
	values := known.with(env{
		"TENANTRY_DB":       "sqlite:" + filepath.Join(t.TempDir(), "here.db"),
		"TENANTRY_BASE_URL": "https://billing.example.com/", "TENANTRY_LOG_FORMAT": "text",
		"TENANTRY_METRICS_LISTEN": "127.0.0.1:0", "TENANTRY_WEBHOOK_ALLOW": "10.0.0.0/8",
	})
	s := inside(t, values)
	metadata := get(t, s.url+"/.well-known/oauth-authorization-server")
	if issuer := metadata.text(t, "issuer"); issuer != "https://billing.example.com" {
		t.Errorf("the issuer is %q", issuer)
	}
	eventually(t, patience, "a line of text in the log", func() bool { return s.stderr.has("level=INFO msg=request") })
	if get(t, s.url+"/metrics").status != 404 || !s.stderr.has("metrics on http://127.0.0.1:") {
		t.Errorf("TENANTRY_METRICS_LISTEN was not used:\n%s", s.stderr)
	}
}

func TestAnEmptyVariableIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := env{
		"TENANTRY_DB": "", "TENANTRY_LOG_FORMAT": "", "TENANTRY_BASE_URL": "", "TENANTRY_METRICS_LISTEN": "", "TENANTRY_WEBHOOK_ALLOW": "",
		"TENANTRY_SECRET_KEY": "", "TENANTRY_CLIENT_ID": "", "TENANTRY_CLIENT_SECRET": "",
	}
	s := inside(t, empty, "--data-dir", dir)
	if !s.stdout.has("client secret  ") {
		t.Errorf("no first client was made up: %s", s.stdout)
	}
	if _, err := os.Stat(filepath.Join(dir, "secret.key")); err != nil {
		t.Error(err)
	}
}

func TestArgumentsStandBeforeOrAfterFlags(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	copyTo := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{copyTo("before"), "--data-dir", dir},
		{"--data-dir", dir, copyTo("after")},
		{"-data-dir=" + dir, copyTo("one-dash")},
		{"--data-dir", dir, "--", copyTo("two-dashes")},
	} {
		mustCommand(t, nil, append([]string{"backup"}, args...)...)
	}
	for _, name := range []string{"before", "after", "one-dash", "two-dashes"} {
		if _, err := os.Stat(copyTo(name)); err != nil {
			t.Error(err)
		}
	}
}

// Client ids are random and may begin with a dash.
func TestAnArgumentMayBeginWithADash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	inside(t, known.with(env{"TENANTRY_CLIENT_ID": "-dash"}), "--data-dir", dir)
	done := command(t, nil, "client", "delete", "--data-dir", dir, "-dash")
	if done.code != 2 || !strings.Contains(done.stderr, "write -- before an argument that begins with -") {
		t.Errorf("exits with %d and says %q", done.code, done.stderr)
	}
	if text := mustCommand(t, nil, "client", "delete", "--data-dir", dir, "--", "-dash"); !strings.Contains(text, "deleted -dash ") {
		t.Errorf("prints %q", text)
	}
}
