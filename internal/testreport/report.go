package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/tenantry/tenantry/"

// event is one line of go test -json; see go doc test2json.
type event struct {
	Action, Package, Test, Output string
}

type testID struct{ pkg, test string }

// report prints what plain go test prints and collects the skipped tests.
type report struct {
	out     io.Writer
	pending map[testID]string   // output of what has not ended yet
	skipped map[string][]testID // by reason
}

func newReport(out io.Writer) *report {
	return &report{out: out, pending: map[testID]string{}, skipped: map[string][]testID{}}
}

func (r *report) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil {
				r.add(e)
			} else {
				r.out.Write(line) // go test writes some complaints as plain text
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// add handles one event: output waits until it is known whether it matters.
func (r *report) add(e event) {
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		if e.Test == "" && isResult(e.Output) {
			fmt.Fprint(r.out, e.Output)
			return
		}
		if !strings.HasPrefix(e.Output, "=== ") { // only -v shows when a test runs and pauses
			r.pending[id] += e.Output
		}
	case "pass", "skip":
		if e.Action == "skip" && e.Test != "" {
			reason := reasonOf(r.pending[id])
			r.skipped[reason] = append(r.skipped[reason], id)
		}
		delete(r.pending, id)
	case "fail":
		r.flush(id)
		if e.Test == "" {
			r.flushPackage(e.Package)
		}
	}
}

// isResult recognizes the one line that go test prints for a package.
func isResult(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "FAIL\t")
}

func (r *report) flush(id testID) {
	fmt.Fprint(r.out, r.pending[id])
	delete(r.pending, id)
}

// flushPackage shows the tests that had not ended when their package failed,
// such as the one that hung.
func (r *report) flushPackage(pkg string) {
	var open []testID
	for id := range r.pending {
		if id.pkg == pkg {
			open = append(open, id)
		}
	}
	slices.SortFunc(open, func(a, b testID) int { return strings.Compare(a.test, b.test) })
	for _, id := range open {
		r.flush(id)
	}
}

var sourceLine = regexp.MustCompile(`^\w+\.go:\d+: `)

// reasonOf finds what a test said when it skipped itself: its last line of output.
func reasonOf(output string) string {
	reason := "no reason given"
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "---") {
			continue
		}
		reason = sourceLine.ReplaceAllString(line, "")
	}
	return reason
}

// summarize lists the skipped tests by reason, or says that there are none.
func (r *report) summarize() {
	if len(r.skipped) == 0 {
		fmt.Fprintln(r.out, "No test was skipped.")
		return
	}
	reasons := make([]string, 0, len(r.skipped))
	for reason := range r.skipped {
		reasons = append(reasons, reason)
	}
	slices.Sort(reasons)
	for _, reason := range reasons {
		tests := r.skipped[reason]
		fmt.Fprintf(r.out, "SKIPPED %d: %s\n", len(tests), reason)
		for _, id := range tests {
			fmt.Fprintf(r.out, "    %s %s\n", strings.TrimPrefix(id.pkg, module), id.test)
		}
	}
}

// skippedFor reports whether a reason names word.
func (r *report) skippedFor(word string) bool {
	for reason := range r.skipped {
		if strings.Contains(reason, word) {
			return true
		}
	}
	return false
}
