package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mistakes are command lines and variables that are wrong, and what must be
// said about each.
var mistakes = []struct {
	args string // DIR stands for a directory that does not exist
	env  env
	want []string
}{
	{"srve", nil, []string{`"srve"`, "tenantry help"}},
	{"client", nil, []string{"create, list, limits, delete, renew-secret"}},
	{"client remove x", nil, []string{"create, list, limits, delete, renew-secret"}},
	{"version now", nil, []string{"tenantry version takes no arguments"}},
	{"serve --lisen :1", nil, []string{"--lisen", "tenantry serve --help"}},
	{"serve --listen", nil, []string{"needs an argument: --listen"}},
	{"serve now", nil, []string{"tenantry serve takes no arguments"}},
	{"demo now", nil, []string{"tenantry demo takes no arguments"}},
	{"demo --keep DIR --listen 8080", nil, []string{"--listen", "HOST:PORT", `"8080"`}},
	{"demo --keep DIR --sample-listen 8081", nil, []string{"--sample-listen", "HOST:PORT", `"8081"`}},
	{"demo --keep DIR --listen 127.0.0.1:0 --sample-listen 127.0.0.1:0", env{"TENANTRY_CLIENT_ID": "a"}, []string{"TENANTRY_CLIENT_ID and TENANTRY_CLIENT_SECRET together"}},
	{"listen now", nil, []string{"tenantry listen takes no arguments"}},
	{"listen --at 8090", nil, []string{"--at", "HOST:PORT"}},
	{"listen --status 99", nil, []string{"--status", "200 to 599", "99"}},
	{"listen --status ok", nil, []string{"--status", "whole number"}},
	{"listen --delay 3", nil, []string{"--delay", "such as 3s"}},
	{"listen --delay 1h", nil, []string{"--delay", "10m"}},
	{"listen --delay=-1s", nil, []string{"--delay", "-1s"}},
	{"listen --fail-rate 30%", nil, []string{"--fail-rate", "from 0 to 1"}},
	{"listen --fail-rate 1.5", nil, []string{"--fail-rate", "from 0 to 1", "1.5"}},
	{"listen --fail-rate NaN", nil, []string{"--fail-rate", "from 0 to 1"}},
	{"listen --secret hunter2", nil, []string{"--secret", "whsec_"}},
	{"listen", env{"TENANTRY_SECRET": "whsec_hunter2"}, []string{"--secret", "base64"}},
	{"listen --forward localhost:3000", nil, []string{"--forward", "http://127.0.0.1:3000/webhooks"}},
	{"listen --forward http://h/ --status 500", nil, []string{"--forward or --status, not both"}},
	{"listen --restore", nil, []string{"--restore needs --platform"}},
	{"listen --url http://h:1/", nil, []string{"--url needs --platform"}},
	{"listen --platform app --db mysql://root:hunter2@h/x", nil, []string{"--db", "sqlite:PATH"}},
	{"listen --platform app --db postgres://h/x", nil, []string{"PostgreSQL needs TENANTRY_SECRET_KEY"}},
	{"migrate now", nil, []string{"tenantry migrate takes no arguments"}},
	{"client list now", nil, []string{"takes no arguments"}},
	{"client delete", nil, []string{"takes CLIENT_ID"}},
	{"client delete a b", nil, []string{"takes CLIENT_ID"}},
	{"client delete -abc", nil, []string{"--abc", "write -- before"}},
	{"backup", nil, []string{"takes FILE"}},
	{"backup a b", nil, []string{"takes FILE"}},
	{"timezone Europe/Zurich UTC", nil, []string{"takes [ZONE]"}},

	{"serve --data-dir DIR --listen 8080", nil, []string{"--listen", "HOST:PORT", `"8080"`}},
	{"serve --data-dir DIR --listen=", nil, []string{"--listen", "HOST:PORT"}},
	{"serve --data-dir DIR --listen localhost:http", nil, []string{"--listen", "HOST:PORT"}},
	{"serve --data-dir DIR --listen localhost:65536", nil, []string{"--listen", "HOST:PORT"}},
	{"serve --data-dir DIR", env{"TENANTRY_LISTEN": "8080"}, []string{"--listen", "HOST:PORT"}},
	{"serve --data-dir DIR --metrics-listen 9090", nil, []string{"--metrics-listen", "HOST:PORT"}},
	{"serve --data-dir DIR", env{"TENANTRY_METRICS_LISTEN": "9090"}, []string{"--metrics-listen", "HOST:PORT"}},
	{"serve --data-dir DIR --log-format xml", nil, []string{"--log-format", "text, json or auto", `"xml"`}},
	{"serve --data-dir DIR", env{"TENANTRY_LOG_FORMAT": "xml"}, []string{"--log-format", "text, json or auto"}},
	{"serve --data-dir DIR --webhook-allow 10.0.0.0/8,intranet", nil, []string{"--webhook-allow", `"intranet"`, "10.0.0.0/8"}},
	{"serve --data-dir DIR", env{"TENANTRY_WEBHOOK_ALLOW": "10.0.0.1"}, []string{"TENANTRY_WEBHOOK_ALLOW", "--webhook-allow", "10.0.0.0/8"}},
	{"serve --data-dir DIR --base-url billing.example.com", nil, []string{"--base-url", "https://billing.example.com"}},
	{"serve --data-dir DIR --base-url ftp://billing.example.com", nil, []string{"--base-url"}},
	{"serve --data-dir DIR --base-url http://:8080", nil, []string{"--base-url"}},
	{"serve --data-dir DIR --base-url https://h/?a=b", nil, []string{"--base-url"}},
	{"serve --data-dir DIR --base-url https://h/#a", nil, []string{"--base-url"}},
	{"serve --data-dir DIR", env{"TENANTRY_BASE_URL": "https://user:hunter2@h"}, []string{"--base-url", "without user"}},
	{"serve --data-dir DIR --trusted-proxies 10.0.0.0/8,proxy", nil, []string{"--trusted-proxies", `"proxy"`, "10.0.0.0/8"}},
	{"restore", nil, []string{"takes FILE"}},
	{"serve --data-dir DIR --database-connections 1", nil, []string{"--database-connections", "from 2 to 1000"}},
	{"client list --data-dir DIR --database-connections many", nil, []string{"--database-connections", "whole number"}},
	{"serve --data-dir DIR", env{"TENANTRY_DATABASE_POOLER": "pgpool"}, []string{"--database-pooler", "auto, none or transaction", `"pgpool"`}},
	{"serve --db mysql://root:hunter2@h/x", nil, []string{"--db", "sqlite:PATH", "postgres://"}},
	{"serve --db postgres:root:hunter2@h/x", nil, []string{"--db", "sqlite:PATH", "postgres://"}},
	{"serve --db postgres://root:hunter2@h:port/x", env{"TENANTRY_SECRET_KEY": secretKey}, []string{"--db", "postgres://"}},
	{"serve --db sqlite:", nil, []string{"--db", "must name a file"}},
	{"serve --db sqlite::memory:", nil, []string{"--db", "must name a file"}},
	{"migrate", env{"TENANTRY_DB": "root:hunter2@h/x"}, []string{"--db", "sqlite:PATH", "postgres://"}},
	{"serve --data-dir DIR", env{"TENANTRY_SECRET_KEY": "hunter2"}, []string{"TENANTRY_SECRET_KEY", "16 random characters or more"}},
	{"serve --db postgres://h/x", nil, []string{"PostgreSQL needs TENANTRY_SECRET_KEY", "openssl rand -base64 32"}},

	{"serve --data-dir DIR", env{"TENANTRY_CLIENT_ID": "a"}, []string{"TENANTRY_CLIENT_ID and TENANTRY_CLIENT_SECRET together"}},
	{"serve --data-dir DIR", env{"TENANTRY_CLIENT_SECRET": firstSecret}, []string{"TENANTRY_CLIENT_ID and TENANTRY_CLIENT_SECRET together"}},
	{"serve --data-dir DIR", known.with(env{"TENANTRY_CLIENT_ID": "a b"}), []string{"TENANTRY_CLIENT_ID", "1 to 100", "A-Z a-z 0-9 _ -"}},
	{"serve --data-dir DIR", known.with(env{"TENANTRY_CLIENT_ID": strings.Repeat("a", 101)}), []string{"TENANTRY_CLIENT_ID", "1 to 100"}},
	{"serve --data-dir DIR", known.with(env{"TENANTRY_CLIENT_SECRET": "hunter2"}), []string{"TENANTRY_CLIENT_SECRET", "32 to 200"}},
	{"serve --data-dir DIR", known.with(env{"TENANTRY_CLIENT_SECRET": firstSecret + "hunter2\n"}), []string{"TENANTRY_CLIENT_SECRET", "A-Z a-z 0-9 _ -"}},

	{"client create --expires-in soon", nil, []string{`"soon"`, "--expires-in", "whole number"}},
	{"client create", env{"TENANTRY_EXPIRES_IN": "1h"}, []string{"TENANTRY_EXPIRES_IN", `"1h"`, "whole number"}},
	{"client renew-secret a --overlap-hours 1.5", nil, []string{"--overlap-hours", "whole number"}},
	{"client renew-secret a --revoke-tokens=maybe", nil, []string{"--revoke-tokens", "true or false"}},
	{"client renew-secret a", env{"TENANTRY_REVOKE_TOKENS": "maybe"}, []string{"TENANTRY_REVOKE_TOKENS", "true or false"}},
}

func TestMistakesAreSaidAndExitWith2(t *testing.T) {
	t.Parallel()
	for _, c := range mistakes {
		dir := filepath.Join(t.TempDir(), "data")
		done := command(t, c.env, strings.Fields(strings.ReplaceAll(c.args, "DIR", dir))...)
		if done.code != 2 || done.stdout != "" {
			t.Errorf("%s %v: exits with %d and prints %q", c.args, c.env, done.code, done.stdout)
		}
		for _, want := range c.want {
			if !strings.Contains(done.stderr, want) {
				t.Errorf("%s %v: says %q, want %q in it", c.args, c.env, done.stderr, want)
			}
		}
		if !strings.HasPrefix(done.stderr, "tenantry: ") || strings.Count(done.stderr, "\n") != 1 {
			t.Errorf("%s %v: says %q, want one line", c.args, c.env, done.stderr)
		}
		if strings.Contains(done.stderr, "hunter2") {
			t.Errorf("%s: shows a secret: %q", c.args, done.stderr)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: the data directory was made before the mistake was found", c.args)
		}
	}
}

func TestMistakesInAClientNameTheFlag(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mustCommand(t, nil, "migrate", "--data-dir", dir)
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--name", ""}, []string{"--name: name must not be empty"}},
		{[]string{"--name", "a", "--scopes", ""}, []string{"--scopes: ", "standard:read, standard:write, billing:read, billing:write, platform:write, admin:read, admin:write"}},
		{[]string{"--name", "a", "--scopes", "read standard:read"}, []string{`--scopes: There is no scope "read"`}},
		{[]string{"--name", "a", "--expires-in", "0"}, []string{"--expires-in: ", "1 to 2592000"}},
		{[]string{"--name", "a", "--expires-in", "2592001"}, []string{"--expires-in: "}},
		{[]string{"--expires-in", "0"}, []string{"--name: ", "; --expires-in: "}},
	} {
		done := command(t, nil, append([]string{"client", "create", "--data-dir", dir}, c.args...)...)
		if done.code != 2 || done.stdout != "" {
			t.Errorf("%q exits with %d and prints %q", c.args, done.code, done.stdout)
		}
		for _, want := range c.want {
			if !strings.Contains(done.stderr, want) {
				t.Errorf("%q says %q, want %q in it", c.args, done.stderr, want)
			}
		}
	}
	if list := mustCommand(t, nil, "client", "list", "--data-dir", dir); strings.Count(list, "\n") != 1 {
		t.Errorf("a client was made:\n%s", list)
	}
}
