package main

import (
	"strings"
	"testing"
)

func reportOf(t *testing.T, events ...string) (*report, string) {
	t.Helper()
	var out strings.Builder
	r := newReport(&out)
	if err := r.read(strings.NewReader(strings.Join(events, "\n"))); err != nil {
		t.Fatal(err)
	}
	r.summarize()
	return r, out.String()
}

func TestSkippedTestsAreListedWithTheirReason(t *testing.T) {
	r, got := reportOf(t,
		`{"Action":"run","Package":"github.com/tenantry/tenantry/internal/store","Test":"TestA"}`,
		`{"Action":"output","Package":"github.com/tenantry/tenantry/internal/store","Test":"TestA","Output":"=== RUN   TestA\n"}`,
		`{"Action":"output","Package":"github.com/tenantry/tenantry/internal/store","Test":"TestA","Output":"    store_test.go:7: PostgreSQL is not installed\n"}`,
		`{"Action":"output","Package":"github.com/tenantry/tenantry/internal/store","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}`,
		`{"Action":"skip","Package":"github.com/tenantry/tenantry/internal/store","Test":"TestA"}`,
		`{"Action":"output","Package":"github.com/tenantry/tenantry/internal/store","Output":"PASS\n"}`,
		`{"Action":"output","Package":"github.com/tenantry/tenantry/internal/store","Output":"ok  \tstore\t0.1s\n"}`,
		`{"Action":"pass","Package":"github.com/tenantry/tenantry/internal/store"}`,
	)
	want := "ok  \tstore\t0.1s\nSKIPPED 1: PostgreSQL is not installed\n    internal/store TestA\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !r.skippedFor("PostgreSQL") || r.skippedFor("SQLite") {
		t.Error("skippedFor does not tell the reasons apart")
	}
}

func TestOnlyFailuresShowTheirOutput(t *testing.T) {
	_, got := reportOf(t,
		`{"Action":"output","Package":"p","Test":"TestGood","Output":"fine\n"}`,
		`{"Action":"pass","Package":"p","Test":"TestGood"}`,
		`{"Action":"output","Package":"p","Test":"TestBad","Output":"=== RUN   TestBad\n"}`,
		`{"Action":"output","Package":"p","Test":"TestBad","Output":"wrong\n"}`,
		`{"Action":"fail","Package":"p","Test":"TestBad"}`,
		`{"Action":"output","Package":"p","Test":"TestHangs","Output":"panic: timed out\n"}`,
		`{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}`,
		`{"Action":"fail","Package":"p"}`,
	)
	want := "wrong\nFAIL\tp\t0.1s\npanic: timed out\nNo test was skipped.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestBuildErrorsAndPlainTextAreShown(t *testing.T) {
	_, got := reportOf(t,
		`{"ImportPath":"p","Action":"build-output","Output":"./p.go:1:1: expected 'package'\n"}`,
		"go: something is wrong",
	)
	want := "./p.go:1:1: expected 'package'\ngo: something is wrongNo test was skipped.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReasonOf(t *testing.T) {
	for output, want := range map[string]string{
		"--- SKIP: TestA (0.00s)\n":                         "no reason given",
		"    a_test.go:3: too slow\n--- SKIP: TestA (0s)\n": "too slow",
	} {
		if got := reasonOf(output); got != want {
			t.Errorf("reasonOf(%q) is %q, want %q", output, got, want)
		}
	}
}
