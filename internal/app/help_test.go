package app_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var commandNames = []string{
	"demo", "serve", "migrate", "client create", "client list", "client delete", "client renew-secret",
	"user create", "user list", "user password", "user delete",
	"events list", "events show", "events resend", "drift", "drift repair", "listen", "timezone", "doctor", "import", "export", "health", "backup", "version", "help",
}

func TestHelpListsTheCommands(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"help", "--help", "-h"} {
		done := command(t, nil, word)
		if done.code != 0 || done.stderr != "" {
			t.Errorf("%s exits with %d and says %q", word, done.code, done.stderr)
		}
		for _, name := range commandNames {
			if !regexp.MustCompile(`(?m)^  ` + name + ` `).MatchString(done.stdout) {
				t.Errorf("%s does not list %q:\n%s", word, name, done.stdout)
			}
		}
	}
}

func TestNoCommandIsWrong(t *testing.T) {
	t.Parallel()
	done := command(t, nil)
	if done.code != 2 || !strings.Contains(done.stderr, "no command given") || !strings.Contains(done.stdout, "Commands:") {
		t.Errorf("exits with %d, says %q and prints %q", done.code, done.stderr, done.stdout)
	}
}

func TestEveryCommandListsItsFlagsOnce(t *testing.T) {
	t.Parallel()
	flags := map[string][]string{
		"demo": {"listen", "sample-listen", "keep"},
		"serve": {"db", "data-dir", "listen", "metrics-listen", "base-url", "webhook-allow", "trusted-proxies", "test-payments", "smtp", "email-from", "log-format", "keep-delivered-days", "keep-failed-days", "max-downtime-days", "max-response-bytes",
			"max-requests", "max-connections", "client-max-requests", "client-max-cpu-seconds", "client-max-megabytes"},
		"migrate":             {"db", "data-dir"},
		"client create":       {"db", "data-dir", "name", "scopes", "expires-in", "max-requests", "max-cpu-seconds", "max-megabytes"},
		"client list":         {"db", "data-dir"},
		"client delete":       {"db", "data-dir"},
		"client renew-secret": {"db", "data-dir", "overlap-hours", "revoke-tokens"},
		"timezone":            {"db", "data-dir"},
		"doctor": {"db", "data-dir", "listen", "metrics-listen", "base-url", "webhook-allow", "trusted-proxies", "test-payments", "smtp", "email-from", "log-format", "keep-delivered-days", "keep-failed-days", "max-downtime-days", "max-response-bytes",
			"max-requests", "max-connections", "client-max-requests", "client-max-cpu-seconds", "client-max-megabytes", "json"},
		"events list":   {"db", "data-dir", "filter", "limit", "after"},
		"events show":   {"db", "data-dir"},
		"events resend": {"db", "data-dir", "filter", "all", "dry-run", "force", "preview", "json"},
		"drift":         {"db", "data-dir", "platform", "limit", "json"},
		"drift repair":  {"db", "data-dir", "platform", "preview", "json"},
		"listen":        {"db", "data-dir", "at", "platform", "url", "restore", "secret", "status", "delay", "fail-rate", "forward", "body"},
		"user create":   {"db", "data-dir", "name", "role"},
		"user list":     {"db", "data-dir"},
		"user password": {"db", "data-dir"},
		"user delete":   {"db", "data-dir"},
		"import":        {"db", "data-dir", "webhooks", "check", "max-errors", "preview", "json"},
		"export":        {"db", "data-dir", "give-codes"},
		"health":        {"listen"},
		"backup":        {"db", "data-dir"},
		"restore":       {"db", "data-dir"},
		"resume":        {"db", "data-dir", "dry-run", "preview"},
		"version":       {},
	}
	for name, want := range flags {
		if slices.Contains(want, "db") {
			want = append(want, "database-connections", "database-pooler")
		}
		done := command(t, nil, append(strings.Fields(name), "--help")...)
		if done.code != 0 || done.stderr != "" || strings.Count(done.stdout, "Flags of tenantry "+name+":\n") != min(len(want), 1) {
			t.Errorf("%s --help exits with %d, says %q and prints %q", name, done.code, done.stderr, done.stdout)
		}
		if about, _, _ := strings.Cut(done.stdout, "\n\nExample:\n"); !regexp.MustCompile(`(?s)^tenantry ` + name + `( [A-Z_.\[\]]+)?\n\n[A-Z].{20,}\.$`).MatchString(about) {
			t.Errorf("%s --help does not say what it does: %q", name, about)
		}
		if n := strings.Count(done.stdout, "\n  --"); n != len(want) {
			t.Errorf("%s --help lists %d flags, want %d:\n%s", name, n, len(want), done.stdout)
		}
		columns := map[int]bool{}
		for _, line := range regexp.MustCompile(`(?m)^  --\S+ +`).FindAllString(done.stdout, -1) {
			columns[len(line)] = true
		}
		if len(columns) > 1 {
			t.Errorf("%s --help is not aligned:\n%s", name, done.stdout)
		}
		for _, flag := range want {
			variable := "[TENANTRY_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) + "]"
			if !strings.Contains(done.stdout, "\n  --"+flag+" ") || !strings.Contains(done.stdout, variable) {
				t.Errorf("%s --help does not list --%s %s:\n%s", name, flag, variable, done.stdout)
			}
		}
	}
}

// TestOtherWaysToAsk finds the same under the names that people try first.
func TestOtherWaysToAsk(t *testing.T) {
	t.Parallel()
	for _, same := range [][2]string{{"help client create", "client create --help"}, {"--version", "version"}, {"help --help", "help"}, {"--help", "help"}} {
		one, other := command(t, nil, strings.Fields(same[0])...), command(t, nil, strings.Fields(same[1])...)
		if one != other || one.code != 0 {
			t.Errorf("%s exits with %d and prints %q, %s %q", same[0], one.code, one.stdout, same[1], other.stdout)
		}
	}
	if wrong := command(t, nil, "help", "nothing"); wrong.code != 2 {
		t.Errorf("help for nothing exits with %d", wrong.code)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	done := command(t, nil, "version")
	if done.code != 0 || !regexp.MustCompile(`^tenantry dev \(go\S+, \w+/\w+\)\n$`).MatchString(done.stdout) {
		t.Errorf("version exits with %d and prints %q", done.code, done.stdout)
	}
	released := run(t, nil, "version")
	if released.code != 0 || !strings.HasPrefix(released.stdout, "tenantry "+testVersion+" (") {
		t.Errorf("version of a release exits with %d and prints %q", released.code, released.stdout)
	}
}
