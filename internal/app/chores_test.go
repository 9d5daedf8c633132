package app_test

import (
	"context"
	"regexp"
	"runtime/pprof"
	"strings"
	"testing"
)

// atWork is in the stack of whoever may use the database.
var atWork = regexp.MustCompile(`internal/(store|service|lifecycle|webhook|oauth)\.|\.keep[A-Z]`)

// TestNobodyIsAtWorkWhenTheServerHasStopped stops servers that have just
// started, which is when they have the most to do of their own accord.
func TestNobodyIsAtWorkWhenTheServerHasStopped(t *testing.T) {
	t.Parallel()
	for range 10 {
		// Goroutines have the labels of the one that started them: so those of
		// this server are told from those of others in this process.
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("server", t.Name())))
		s := inside(t, known, "--data-dir", t.TempDir())
		pprof.SetGoroutineLabels(context.Background())
		if code := s.stop(t); code != 0 {
			t.Fatalf("exits with %d:\n%s", code, s.stderr)
		}
		for _, stack := range stacksOf(t, t.Name()) {
			if atWork.MatchString(stack) {
				t.Fatalf("the server has stopped, and still at work is\n%s", stack)
			}
		}
	}
}

// stacksOf are the stacks of the goroutines that have a label.
func stacksOf(t *testing.T, label string) (stacks []string) {
	t.Helper()
	var all strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
		t.Fatal(err)
	}
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, `"`+label+`"`) {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}
