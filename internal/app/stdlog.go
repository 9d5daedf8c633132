package app

import (
	"log"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	// strayLines is how many lines of others are logged in strayTime, and
	// strayBytes how much of each.
	strayLines = 10
	strayTime  = time.Minute
	strayBytes = 300
)

// strayLog takes what libraries write to the standard logger. The HTTP client
// does so when a receiver answers what it was not asked, as often and as much as
// the receiver likes: it becomes a few short lines of our own log.
type strayLog struct {
	log *slog.Logger
	now func() time.Time

	mu             sync.Mutex
	since          time.Time
	lines, leftOut int
}

// adoptStandardLog sends the standard logger's lines to ours.
func adoptStandardLog(l *slog.Logger, now func() time.Time) {
	log.SetFlags(0)
	log.SetOutput(&strayLog{log: l, now: now})
}

// Write logs a line, or leaves it out and says later how many those were.
func (s *strayLog) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); now.Sub(s.since) >= strayTime {
		if s.leftOut > 0 {
			s.log.Warn("lines of libraries were left out", slog.Int("lines", s.leftOut))
		}
		s.since, s.lines, s.leftOut = now, 0, 0
	}
	if s.lines++; s.lines > strayLines {
		s.leftOut++
		return len(line), nil
	}
	text := strings.TrimSpace(string(line[:min(len(line), strayBytes)]))
	s.log.Warn("a library says", slog.String("text", text))
	return len(line), nil
}
