package app_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// stopsWithin is what the program promises to whoever stops it.
const stopsWithin = 15 * time.Second

func TestRequestsUnderWayFinishBeforeTheServerStops(t *testing.T) {
	t.Parallel()
	needSignals(t)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := child(t, known, "--data-dir", dir)
			token := s.firstToken(t)
			w, rest := underWay(t, s, token, "slow")
			start := time.Now()
			s.signal(t, signal)
			eventually(t, stopsWithin, "nobody can connect any more", func() bool {
				conn, err := net.Dial("tcp", s.address)
				if err == nil {
					conn.Close()
				}
				return err != nil
			})
			if s.ended() {
				t.Fatal("the server ended before the request did")
			}
			w.write("%s", rest)
			if got := w.read(); got.text(t, "data", "accountCreate", "account", "code") != "slow" {
				t.Errorf("answered %d %s", got.status, got.body)
			}
			if code := s.await(t, stopsWithin); code != 0 {
				t.Errorf("exits with %d:\n%s", code, s.stderr)
			}
			if took := time.Since(start); took > stopsWithin {
				t.Errorf("it took %v", took)
			}
			if _, err := os.Stat(filepath.Join(dir, "tenantry.db-wal")); err == nil {
				t.Error("the database was not closed: its log is still beside it")
			}
			again := child(t, nil, "--data-dir", dir)
			if !accountCodes(t, again.url, again.firstToken(t))["slow"] {
				t.Error("the account is lost")
			}
		})
	}
}

func TestARequestThatNeverEndsDoesNotKeepTheServer(t *testing.T) {
	t.Parallel()
	needSignals(t)
	s := child(t, known, "--data-dir", t.TempDir())
	w, _ := underWay(t, s, s.firstToken(t), "never")
	idle := dial(t, s) // connected, and never asks
	s.signal(t, syscall.SIGTERM)
	if code := s.await(t, stopsWithin); code != 0 {
		t.Errorf("exits with %d:\n%s", code, s.stderr)
	}
	if !w.isOver() || !idle.isOver() {
		t.Error("a connection is still open")
	}
	if !s.stderr.has("some requests did not finish in time and were cut off") {
		t.Errorf("the log does not tell:\n%s", s.stderr)
	}
}
