package app_test

import (
	"strings"
	"testing"
)

func TestAClientThatGoesAwayChangesNothing(t *testing.T) {
	t.Parallel()
	s := inside(t, known, "--data-dir", t.TempDir())
	token := s.firstToken(t)
	const times = 5
	for range times {
		w, _ := underWay(t, s, token, "gone")
		w.Close()
	}
	form := dial(t, s)
	form.write("POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ngrant_type=client")
	form.Close()
	eventually(t, patience, "the requests are over", func() bool {
		over := 0
		for _, line := range s.stderr.requests(t) {
			if line["status"] == 400.0 {
				over++
			}
		}
		return over == times+1
	})
	if codes := accountCodes(t, s.url, token); len(codes) != 0 {
		t.Errorf("there are accounts: %v", codes)
	}
	for _, line := range s.stderr.logLines(t) {
		if line["level"] != "INFO" {
			t.Errorf("the log cries out: %v", line)
		}
	}
}

func TestHugeHeadersAreRefused(t *testing.T) {
	t.Parallel()
	s := inside(t, known, "--data-dir", t.TempDir())
	w := dial(t, s)
	w.write("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: %s\r\n\r\n", strings.Repeat("a", 80<<10))
	if got := w.read(); got.status != 431 {
		t.Errorf("answered %d %s", got.status, got.body)
	}
	if get(t, s.url+"/healthz").status != 200 {
		t.Error("the server does not go on")
	}
}

func TestGarbageIsRefused(t *testing.T) {
	t.Parallel()
	s := inside(t, known, "--data-dir", t.TempDir())
	w := dial(t, s)
	w.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n\x00\x01\x02 garbage\r\n\r\n")
	for range 2 {
		if got := w.read(); got.status != 200 {
			t.Errorf("a request before the garbage is answered %d %s", got.status, got.body)
		}
	}
	if got := w.read(); got.status != 400 {
		t.Errorf("the garbage is answered %d %s", got.status, got.body)
	}
	if !w.isOver() {
		t.Error("the connection is still open")
	}
	for _, text := range []string{
		"GET /healthz HTTP/1.1\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost: x\r\nBad Name: a\r\n\r\n",
		"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", // a TLS hello
	} {
		w := dial(t, s)
		w.write("%s", text)
		if got := w.read(); got.status != 400 {
			t.Errorf("%q is answered %d", text, got.status)
		}
	}
	if get(t, s.url+"/healthz").status != 200 {
		t.Error("the server does not go on")
	}
}
