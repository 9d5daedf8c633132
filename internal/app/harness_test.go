package app_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/app"
)

// env is the variables that a program sees.
type env map[string]string

func (e env) lookup(name string) (string, bool) {
	value, set := e[name]
	return value, set
}

func (e env) with(more env) env {
	all := maps.Clone(e)
	maps.Copy(all, more)
	return all
}

// The first API client of servers that are started with known, and a secret
// key that will do.
const (
	firstID     = "first-client"
	firstSecret = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
	secretKey   = "a secret key that is long enough"
	adminEmail  = "ann@example.com"
	adminSecret = "correct horse battery"
)

var known = env{
	"TENANTRY_CLIENT_ID": firstID, "TENANTRY_CLIENT_SECRET": firstSecret,
	"TENANTRY_ADMIN_EMAIL": adminEmail, "TENANTRY_ADMIN_PASSWORD": adminSecret,
}

// outcome is what a run of the program came to.
type outcome struct {
	code           int
	stdout, stderr string
}

// command runs a command in this process, to its end.
func command(t testing.TB, e env, args ...string) outcome {
	t.Helper()
	var stdout, stderr output
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	code := app.Run(ctx, app.Process{Args: args, Env: e.lookup, Stdout: &stdout, Stderr: &stderr})
	return outcome{code, stdout.String(), stderr.String()}
}

// mustCommand is command for one that must succeed; it returns what that
// printed.
func mustCommand(t testing.TB, e env, args ...string) string {
	t.Helper()
	done := command(t, e, args...)
	if done.code != 0 {
		t.Fatalf("tenantry %q exits with %d: %s", args, done.code, done.stderr)
	}
	return done.stdout
}

// server is a running server, in this process or another.
type server struct {
	url            string
	address        string // HOST:PORT
	stdout, stderr *output

	pid  int    // of another process
	end  func() // asks it to stop in order
	done chan struct{}
	code int // to be read after done
}

// inside starts a server in this process and stops it when t ends.
func inside(t testing.TB, e env, args ...string) *server {
	t.Helper()
	return insideAt(t, e, nil, args...)
}

// insideAt is inside with a clock.
func insideAt(t testing.TB, e env, now func() time.Time, args ...string) *server {
	t.Helper()
	return insideWith(t, e, app.Process{Now: now}, args...)
}

// insideWith is inside with clocks.
func insideWith(t testing.TB, e env, p app.Process, args ...string) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{stdout: &output{}, stderr: &output{}, end: cancel, done: make(chan struct{})}
	p.Args, p.Env, p.Stdout, p.Stderr = serveArgs(args), e.lookup, s.stdout, s.stderr
	go func() {
		defer close(s.done)
		s.code = app.Run(ctx, p)
	}()
	t.Cleanup(func() { s.stop(t) })
	s.awaitListening(t)
	return s
}

func serveArgs(args []string) []string {
	return slices.Concat([]string{"serve", "--listen", "127.0.0.1:0"}, args)
}

var listening = regexp.MustCompile(`(?m)^listening on (http://(\S+))$`)

func (s *server) awaitListening(t testing.TB) {
	t.Helper()
	eventually(t, patience, "the line that says it listens", func() bool {
		if s.ended() {
			t.Fatalf("the server ended with %d:\n%s", s.code, s.stderr)
		}
		match := listening.FindStringSubmatch(s.stderr.String())
		if match == nil {
			return false
		}
		s.url, s.address = match[1], match[2]
		return true
	})
}

func (s *server) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// stop asks the server to stop and returns its exit code.
func (s *server) stop(t testing.TB) int {
	t.Helper()
	s.end()
	return s.await(t, patience)
}

// await waits for the server to end and returns its exit code.
func (s *server) await(t testing.TB, within time.Duration) int {
	t.Helper()
	deadline := time.NewTimer(within)
	defer deadline.Stop()
	select {
	case <-s.done:
	case <-deadline.C:
		t.Fatalf("the server did not end within %v:\n%s", within, s.stderr)
	}
	return s.code
}
