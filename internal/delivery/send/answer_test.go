package send

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		text string
		want time.Duration // -1: nothing
	}{
		{"", -1}, {"soon", -1}, {"-5", -1}, {"1.5", -1}, {"+5", -1},
		{"0", 0}, {"120", 2 * time.Minute}, {" 7 ", 7 * time.Second}, {"99999999999999999999999", maxRetryAfter}, {"9223372036854775807", maxRetryAfter},
		{"Fri, 02 Jan 2026 03:05:05 GMT", time.Minute}, {"Fri, 02 Jan 2026 03:00:00 GMT", 0}, {"Friday, 02-Jan-26 04:04:05 GMT", time.Hour},
		{"Fri, 31 Dec 9999 23:59:59 GMT", maxRetryAfter}, {"Fri, 32 Jan 2026 03:00:00 GMT", -1},
	} {
		got := retryAfter(c.text, now)
		if (got == nil) != (c.want < 0) || got != nil && *got != c.want {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestKeptTextCanBeStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte{0, 0xff, 'a', 0xe2, 0x82, 0xac})), 0, 100).Draw(t, "bytes")
		limit := rapid.IntRange(0, 120).Draw(t, "limit")
		got := cleanText(in, limit)
		if len(got) > limit || !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
			t.Fatalf("%q within %d became %q", in, limit, got)
		}
		if utf8.Valid(in) && !strings.ContainsRune(string(in), 0) {
			if !strings.HasPrefix(string(in), got) || len(in) <= limit && got != string(in) || limit-len(got) >= utf8.UTFMax && len(got) < len(in) {
				t.Fatalf("%q within %d became %q", in, limit, got)
			}
		}
	})
}

func TestBodiesOfAllSizes(t *testing.T) {
	settle(t)
	var body string
	var chunked bool
	connections := map[string]bool{}
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		connections[r.RemoteAddr] = true
		if chunked {
			w.(http.Flusher).Flush()
		}
		_, _ = io.WriteString(w, body)
	})
	s := newSender(t, Options{})
	for _, size := range []int{0, 1, 511, 512, 513, 4096, maxBody - 1, maxBody, maxBody + 1, maxBody + maxDrain - 1} {
		for _, chunked = range []bool{false, true} {
			body = strings.Repeat("b", size)
			result := s.Do(t.Context(), hook(url))
			if result.Err != nil || len(result.Body) != min(size, maxBody) || result.Truncated != (size > maxBody) {
				t.Errorf("%d bytes, chunked %v: %d were kept, truncated %v, %v", size, chunked, len(result.Body), result.Truncated, result.Err)
			}
		}
	}
	if len(connections) != 1 {
		t.Errorf("%d connections were made, want one that is kept", len(connections))
	}
	body, chunked = strings.Repeat("\xff\x00", maxBody), false
	if result := s.Do(t.Context(), hook(url)); len(result.Body) > maxBody || !utf8.Valid(result.Body) || !result.Truncated {
		t.Errorf("%d bytes were kept", len(result.Body))
	}
}

func TestKeptHeadersAreBounded(t *testing.T) {
	many, long := http.Header{}, http.Header{"X-Long": {strings.Repeat("é", 4000)}, "X-Bytes": {"a\xffb"}}
	for i := range 500 {
		many.Add(fmt.Sprintf("X-%03d", i%200), "value")
	}
	size, count := 0, 0
	for name, values := range keepHeader(many) {
		for _, value := range values {
			size += len(name) + len(value)
			count++
		}
	}
	if count != maxHeaders || size > maxHeaderText {
		t.Errorf("%d headers of %d bytes are kept", count, size)
	}
	kept := keepHeader(long)
	if n := len(kept.Get("X-Long")); n != maxHeaderValue || kept.Get("X-Bytes") != "a\ufffdb" {
		t.Errorf("%d bytes of a header are kept, and %q", n, kept.Get("X-Bytes"))
	}
}
