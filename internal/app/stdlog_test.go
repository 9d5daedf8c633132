package app

import (
	"bytes"
	"log"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// TestStrayLog: what libraries write to the standard logger becomes a bounded
// number of bounded lines of our own.
func TestStrayLog(t *testing.T) {
	var written bytes.Buffer
	now := time.Unix(0, 0).Add(time.Hour)
	stray := log.New(&strayLog{log: newLogger(&written, "json", slog.LevelInfo), now: func() time.Time { return now }}, "", 0)
	stray.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=<nil>", strings.Repeat("x", 10_000))
	line := written.String()
	for _, want := range []string{`"level":"WARN"`, `"text":"Unsolicited response`} {
		if !strings.Contains(line, want) {
			t.Errorf("%q has no %s", line, want)
		}
	}
	if len(line) > 600 {
		t.Errorf("a line has %d bytes", len(line))
	}
	for range 1_000 {
		stray.Print("again")
	}
	if n := strings.Count(written.String(), "\n"); n != strayLines {
		t.Errorf("%d lines in a minute", n)
	}
	written.Reset()
	now = now.Add(strayTime)
	stray.Print("later")
	if got := written.String(); !strings.Contains(got, `"lines":991`) || !strings.Contains(got, `"text":"later"`) {
		t.Errorf("a minute later: %s", got)
	}
}
