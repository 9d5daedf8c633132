package app

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)
	show := func(terminal bool) string {
		var out bytes.Buffer
		now := at
		p := &progress{out: &out, now: func() time.Time { return now }, terminal: terminal}
		for done := 0; done <= 100; done += 10 {
			p.tell("writing accounts", done, 100)
			now = now.Add(time.Second)
		}
		p.tell("writing tenants", 1, 1) // over at once
		p.end()
		return out.String()
	}
	plain := show(false)
	if want := "writing accounts: 50 of 100, 10 a second\nwriting accounts: 100 of 100, 10 a second\n"; plain != want {
		t.Errorf("plain lines are %q, want %q", plain, want)
	}
	bar := show(true)
	if !strings.Contains(bar, "\r\x1b[K[###############...............] writing accounts: 50 of 100") || !strings.HasSuffix(bar, "writing tenants: 1 of 1\n") {
		t.Errorf("a bar is %q", bar)
	}
}
