package app_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for what should happen soon. It is long
// because everything is slow under load; nothing that works waits for it to end.
const patience = 30 * time.Second

// eventually waits until happened says so, and fails when it does not within
// the time given.
func eventually(t testing.TB, within time.Duration, what string, happened func() bool) {
	t.Helper()
	if !soon(t, within, happened) {
		t.Fatalf("not within %v: %s", within, what)
	}
}

// soon asks until something has happened, ever less often: what is waited for needs
// the processor too.
func soon(t testing.TB, within time.Duration, happened func() bool) bool {
	started := time.Now()
	for !happened() {
		waited := time.Since(started)
		if waited > within {
			return false
		}
		select {
		case <-time.After(min(2*time.Millisecond+waited/8, 100*time.Millisecond)):
		case <-t.Context().Done():
			return false
		}
	}
	return true
}

// output is what a program has written so far. It is safe for concurrent use.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *output) has(text string) bool { return strings.Contains(o.String(), text) }

// logLine is one line of a JSON log.
type logLine map[string]any

func (l logLine) text(key string) string {
	text, _ := l[key].(string)
	return text
}

// plainLines are those that serve writes for people, whatever the log's form.
var plainLines = []string{"listening on http://", "metrics on http://", "made a key for the secrets in the database: "}

// logLines reads a JSON log. Every line but the plain ones must be JSON; one
// that is still being written does not count.
func (o *output) logLines(t testing.TB) (lines []logLine) {
	t.Helper()
	for text := range strings.Lines(o.String()) {
		if isPlain(text) || !strings.HasSuffix(text, "\n") {
			continue
		}
		var line logLine
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("not a line of JSON: %q: %v", text, err)
		}
		lines = append(lines, line)
	}
	return lines
}

func isPlain(line string) bool {
	for _, start := range plainLines {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}

// requests are the lines of a JSON log that tell of an answered request.
func (o *output) requests(t testing.TB) (lines []logLine) {
	t.Helper()
	for _, line := range o.logLines(t) {
		if line["msg"] == "request" {
			lines = append(lines, line)
		}
	}
	return lines
}
