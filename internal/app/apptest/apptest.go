// Package apptest runs a server inside the process of a test.
package apptest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/app"
)

// startTime is how long a server may take until it listens.
const startTime = time.Minute

// Start runs a process that serves until t ends, and must then end well. It
// returns the address that it listens on, and what it writes.
func Start(t testing.TB, p app.Process) (url string, log *Log) {
	t.Helper()
	log = &Log{listening: make(chan string, 1)}
	p.Stdout, p.Stderr = log, log
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan int, 1)
	go func() { ended <- app.Run(ctx, p) }()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("the server ended with code %d:\n%s", code, log)
		}
	})
	select {
	case url = <-log.listening:
	case code := <-ended:
		ended <- code
		t.Fatalf("the server ended with code %d:\n%s", code, log)
	//house:clock a test waits for real
	case <-time.After(startTime):
		t.Fatalf("the server did not start in %s:\n%s", startTime, log)
	}
	return url, log
}

// Log keeps what a server writes and finds the address in it. The zero Log keeps
// what anybody writes.
type Log struct {
	listening chan string

	mu    sync.Mutex
	lines strings.Builder
	found bool
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines.Write(p)
	if l.found || l.listening == nil {
		return len(p), nil
	}
	if _, rest, ok := strings.Cut(l.lines.String(), "listening on "); ok {
		if url, _, whole := strings.Cut(rest, "\n"); whole {
			l.found = true
			l.listening <- url
		}
	}
	return len(p), nil
}

// String is all that was written so far; nothing by a server that did not start.
func (l *Log) String() string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}
