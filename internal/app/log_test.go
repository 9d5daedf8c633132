package app_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestEachRequestHasOneLineWithItsID(t *testing.T) {
	t.Parallel()
	s := inside(t, known, "--data-dir", t.TempDir())
	token := s.firstToken(t)
	ask(t, s.url, token, "{ accounts { id } }", nil)
	ask(t, s.url, "nonsense", "{ accounts { id } }", nil)
	ask(t, s.url, token, "{ nonsense }", nil)
	get(t, s.url+"/nowhere?secret=hunter2")
	get(t, s.url+"/readyz")
	s.stop(t)
	var got []string
	ids := map[string]bool{}
	for _, line := range s.stderr.requests(t) {
		got = append(got, line.text("method")+" "+line.text("path"))
		ids[line.text("request_id")] = true
		for _, key := range []string{"time", "level", "status", "bytes", "ms", "request_id"} {
			if line[key] == nil {
				t.Errorf("no %s in %v", key, line)
			}
		}
	}
	want := "POST /oauth/token, POST /graphql, POST /graphql, POST /graphql, GET /nowhere, GET /readyz"
	if strings.Join(got, ", ") != want || len(ids) != 6 {
		t.Errorf("lines for %s with %d ids, want %s", got, len(ids), want)
	}
	if s.stderr.has("hunter2") {
		t.Error("a query string is in the log")
	}
}

var madeID = regexp.MustCompile(`^[A-Za-z0-9_-]{16}$`)

func TestARequestIDIsTakenOverIfItIsWellFormed(t *testing.T) {
	t.Parallel()
	s := inside(t, known, "--data-dir", t.TempDir())
	for sent, taken := range map[string]bool{
		"7b1f9a2c-55aa-4a7e-9d4e-0123456789ab": true, "A.b_c-1": true, strings.Repeat("a", 64): true,
		"": false, strings.Repeat("a", 65): false, "two words": false, `quo"te`: false, "a,b": false, "ü": false, "tab\tbed": false,
	} {
		a := mustSend(t, http.MethodGet, s.url+"/healthz", nil, http.Header{"X-Request-Id": {sent}})
		got := a.header.Get("X-Request-Id")
		if taken && got != sent || !taken && !madeID.MatchString(got) {
			t.Errorf("%q is answered with %q", sent, got)
		}
		eventually(t, patience, "its line in the log", func() bool {
			for _, line := range s.stderr.requests(t) {
				if line["request_id"] == got {
					return true
				}
			}
			return false
		})
	}
}

func TestLogFormats(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{
		"text": "level=INFO msg=request method=GET path=/healthz client=127.0.0.1 status=200",
		"json": `"msg":"request","method":"GET","path":"/healthz","client":"127.0.0.1","status":200`,
		"auto": `"msg":"request","method":"GET","path":"/healthz","client":"127.0.0.1","status":200`, // standard error is no terminal here
	} {
		s := inside(t, known, "--data-dir", t.TempDir(), "--log-format", format)
		get(t, s.url+"/healthz")
		s.stop(t)
		if !s.stderr.has(want) {
			t.Errorf("%s gives\n%s", format, s.stderr)
		}
		if isJSON := format != "text"; isJSON {
			s.stderr.logLines(t)
		}
	}
}
