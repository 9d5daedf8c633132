package send

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var discard = log.New(io.Discard, "", 0)

// drip sends a text again and again, a byte at a time, until nobody listens.
func drip(c net.Conn, text string) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		<-tick.C
		if _, err := c.Write([]byte{text[i%len(text)]}); err != nil {
			return
		}
	}
}

// hang waits until the other side goes away.
func hang(r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) }

func TestReceiversThatMisbehave(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
	for _, c := range []struct {
		name   string
		answer func(net.Conn, *bufio.Reader)
		kind   string
		status int
		body   string
	}{
		{"hangs before it answers", func(_ net.Conn, r *bufio.Reader) { hang(r) }, Timeout, 0, ""},
		{"hangs in the status line", func(c net.Conn, r *bufio.Reader) { fmt.Fprint(c, "HTTP/1.1 2"); hang(r) }, Timeout, 0, ""},
		{"drips headers", func(c net.Conn, _ *bufio.Reader) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\n"); drip(c, "A: b\r\n") }, Timeout, 0, ""},
		{"drips its body", func(c net.Conn, _ *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\nstart")
			drip(c, " ")
		}, Timeout, 200, "start"},
		{"hangs in its body", func(c net.Conn, r *bufio.Reader) { fmt.Fprint(c, answer+"part"); hang(r) }, Timeout, 200, "part"},
		{"says continue for ever", func(c net.Conn, _ *bufio.Reader) { drip(c, "HTTP/1.1 100 Continue\r\n\r\n") }, Timeout, 0, ""},
		{"closes before it answers", func(net.Conn, *bufio.Reader) {}, Connection, 0, ""},
		{"closes in its headers", func(c net.Conn, r *bufio.Reader) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\nA: ") }, Connection, 0, ""},
		{"closes in its body", func(c net.Conn, r *bufio.Reader) { fmt.Fprint(c, answer+"part") }, Connection, 200, "part"},
		{"closes in a chunk", func(c net.Conn, r *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\npart")
		}, Connection, 200, "part"},
		{"has a broken chunk", func(c net.Conn, r *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\npart")
		}, Protocol, 200, ""},
		{"speaks something else", func(c net.Conn, r *bufio.Reader) { fmt.Fprint(c, "220 smtp\xff\x00 ready\r\n\r\n") }, Protocol, 0, ""},
		{"has no number for a status", func(c net.Conn, r *bufio.Reader) { fmt.Fprint(c, "HTTP/1.1 OK\r\n\r\n") }, Protocol, 0, ""},
		{"has a header that is none", func(c net.Conn, r *bufio.Reader) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\nno colon\r\n\r\n") }, Protocol, 0, ""},
		{"has a length below nothing", func(c net.Conn, r *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab")
		}, Protocol, 0, ""},
		{"has a length beyond all numbers", func(c net.Conn, r *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nab")
		}, Protocol, 0, ""},
		{"promises the longest body there is", func(c net.Conn, r *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\npart")
		}, Connection, 200, "part"},
		{"promises the longest chunk there is", func(c net.Conn, r *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\npart")
		}, Connection, 200, "part"},
		{"promises trailers", func(c net.Conn, r *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n4\r\npart\r\n0\r\nX-A: ")
		}, Protocol, 200, "part"},
		{"has two lengths", func(c net.Conn, r *bufio.Reader) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
		}, Protocol, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			settle(t)
			request := hook(rawReceiver(t, func(conn net.Conn, r *bufio.Reader) {
				takeRequest(r)
				c.answer(conn, r)
			}))
			if c.kind == Timeout {
				request.Timeout = short
			}
			result := newSender(t, Options{}).Do(t.Context(), request)
			if result.Kind != c.kind || result.Err == nil || result.Status != c.status || !result.Sent || !strings.HasPrefix(string(result.Body), c.body) {
				t.Errorf("%+v", result)
			}
			if text := result.Err.Error(); !utf8.ValidString(text) || strings.ContainsRune(text, 0) || len(text) > maxErrorText {
				t.Errorf("the error is %q", text)
			}
		})
	}
}

func TestTLSHandshakeThatHangs(t *testing.T) {
	settle(t)
	url := rawReceiver(t, func(_ net.Conn, r *bufio.Reader) { hang(r) })
	s := newSender(t, Options{ConnectTimeout: short})
	result := s.Do(t.Context(), hook("https"+strings.TrimPrefix(url, "http")))
	if result.Kind != Timeout || result.Sent {
		t.Errorf("%+v", result)
	}
}

// allocated runs a function and returns how many bytes it and its receiver
// allocated.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// flood sends a text many times, or until nobody listens.
func flood(c net.Conn, text string, count int) {
	b := []byte(text)
	for range count {
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// Whatever a receiver pours out, little of it is read and nothing is kept in
// memory.
func TestEndlessAnswers(t *testing.T) {
	junk := strings.Repeat("x", 32<<10)
	pour := func(head, text string, count int) func(net.Conn, *bufio.Reader) {
		return func(c net.Conn, r *bufio.Reader) {
			takeRequest(r)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\n"+head)
			flood(c, text, count)
		}
	}
	for _, c := range []struct {
		name   string
		answer func(net.Conn, *bufio.Reader)
		kind   string
		body   int
	}{
		{"10 GB", pour("Content-Length: 10737418240\r\n\r\n", junk, 10<<30/len(junk)), "", maxBody},
		{"without a length", pour("\r\n", junk, 1<<30), "", maxBody},
		{"chunks", pour("Transfer-Encoding: chunked\r\n\r\n", "8000\r\n"+junk+"\r\n", 1<<30), "", maxBody},
		{"headers", pour("", "X-A: "+junk[:100]+"\r\n", 1<<30), Protocol, 0},
		{"one header", pour("X-A: ", junk, 1<<30), Protocol, 0},
		{"answers before the answer", func(c net.Conn, r *bufio.Reader) {
			takeRequest(r)
			flood(c, "HTTP/1.1 103 Early Hints\r\nLink: </"+junk[:1000]+">\r\n\r\n", 1<<30)
		}, Protocol, 0},
		{"trailers", pour("Transfer-Encoding: chunked\r\nTrailer: X-A\r\n\r\n0\r\n", "X-A: "+junk[:100]+"\r\n", 1<<30), Protocol, 0},
		{"status line", func(c net.Conn, r *bufio.Reader) {
			takeRequest(r)
			flood(c, junk, 1<<30)
		}, Protocol, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			settle(t)
			url, s := rawReceiver(t, c.answer), newSender(t, Options{})
			var result Result
			if n := allocated(func() { result = s.Do(t.Context(), hook(url)) }); n > 2<<20 {
				t.Errorf("%d bytes were allocated", n)
			}
			if result.Kind != c.kind || len(result.Body) != c.body || result.Truncated != (c.body > 0) || !result.Sent {
				t.Errorf("kind %q, %d bytes, %v", result.Kind, len(result.Body), result.Err)
			}
			if c.kind != "" && len(result.Err.Error()) > maxErrorText {
				t.Errorf("the error has %d bytes", len(result.Err.Error()))
			}
		})
	}
}

func TestGzipBombIsNotOpened(t *testing.T) {
	settle(t)
	var bomb strings.Builder
	w, _ := gzip.NewWriterLevel(&bomb, gzip.BestCompression)
	zeros := make([]byte, 1<<20)
	for range 8 {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("the sender asks for %s", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, bomb.String())
	})
	s := newSender(t, Options{})
	var result Result
	if n := allocated(func() { result = s.Do(t.Context(), hook(url)) }); n > 2<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	if result.Err != nil || result.Header.Get("Content-Encoding") != "gzip" || len(result.Body) > maxBody || len(result.Body) == 0 || result.Body[0] != 0x1f {
		t.Errorf("%d bytes, %v", len(result.Body), result.Err)
	}
}
