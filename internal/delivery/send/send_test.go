package send

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestRequestArrivesAsItWasGiven(t *testing.T) {
	settle(t)
	body := []byte("{\"name\":\"<é\u2028>\"}")
	header := http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"Tenantry/1"}, "Webhook-Id": {"evt_1"},
		"Idempotency-Key": {"k"}, "X-Two": {"a", "b"},
	}
	given := header.Clone()
	var got *http.Request
	var gotBody []byte
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		gotBody, _ = io.ReadAll(r.Body)
		w.Header().Set("X-Answer", "yes")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "thanks")
	})
	result := newSender(t, Options{}).Do(t.Context(), &Request{URL: url + "/hook?a=b", Body: body, Header: header, Timeout: long})
	if result.Err != nil || result.Kind != "" || result.Status != 202 || string(result.Body) != "thanks" || result.Truncated || !result.Sent {
		t.Errorf("the outcome is %+v", result)
	}
	if result.Header.Get("X-Answer") != "yes" || result.RetryAfter == nil || *result.RetryAfter != 7*time.Second {
		t.Errorf("header %v, retry after %v", result.Header, result.RetryAfter)
	}
	if result.Address != strings.TrimPrefix(url, "http://") {
		t.Errorf("address %s", result.Address)
	}
	if !bytes.Equal(gotBody, body) || got.Method != "POST" || got.RequestURI != "/hook?a=b" || got.ContentLength != int64(len(body)) {
		t.Errorf("%s %s came with %q", got.Method, got.RequestURI, gotBody)
	}
	given.Set("Content-Length", strconv.Itoa(len(body)))
	for name := range got.Header {
		if strings.Join(got.Header[name], ",") != strings.Join(given[name], ",") {
			t.Errorf("%s: %v came, want %v", name, got.Header[name], given[name])
		}
	}
	if len(got.Header) != len(given) {
		t.Errorf("headers %v came, want %v", got.Header, given)
	}
	if len(header) != len(given)-1 || header.Get("Idempotency-Key") != "k" {
		t.Errorf("the caller's headers were changed: %v", header)
	}
}

func TestTimings(t *testing.T) {
	settle(t)
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	s := newSender(t, Options{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	first := s.Do(t.Context(), hook(server.URL))
	second := s.Do(t.Context(), hook(server.URL))
	if first.Err != nil || second.Err != nil {
		t.Fatal(first.Err, second.Err)
	}
	tm := first.Timings
	if tm.Connect <= 0 || tm.TLS <= 0 || tm.FirstByte < tm.Connect+tm.TLS || tm.Total < tm.FirstByte || first.Finished.Sub(first.Started) != tm.Total {
		t.Errorf("a new connection: %+v", tm)
	}
	if tm := second.Timings; tm.Connect != 0 || tm.TLS != 0 || tm.DNS != 0 || tm.FirstByte <= 0 {
		t.Errorf("a kept connection: %+v", tm)
	}
}

// A request never seems to have ended after it did, however long the process was
// held up between reading the two clocks: here each reading takes a second.
func TestFinishedIsNotLate(t *testing.T) {
	settle(t)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var passed atomic.Int64
	elapsed := func() time.Duration { return time.Duration(passed.Add(1)) * time.Second }
	s := newSender(t, Options{Elapsed: elapsed, Now: func() time.Time { return start.Add(elapsed()) }})
	r := s.Do(t.Context(), hook(server.URL))
	if end := start.Add(time.Duration(passed.Load()) * time.Second); r.Err != nil || r.Finished.After(end) {
		t.Errorf("finished at %s, %s after the request ended (%v)", r.Finished, r.Finished.Sub(end), r.Err)
	}
}

// Any status is an answer; a redirect is not followed anywhere.
func TestStatusesAreAnswers(t *testing.T) {
	settle(t)
	status, requests := 0, 0
	url := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Location", "http://169.254.169.254/latest/meta-data")
		w.WriteHeader(status)
	})
	s := newSender(t, Options{})
	for _, status = range []int{200, 204, 299, 301, 302, 303, 304, 307, 308, 400, 401, 410, 429, 500, 503} {
		requests = 0
		result := s.Do(t.Context(), hook(url))
		if result.Err != nil || result.Status != status || requests != 1 || !result.Sent {
			t.Errorf("%d: %d requests, %+v", status, requests, result)
		}
		if result.Header.Get("Location") != "http://169.254.169.254/latest/meta-data" {
			t.Errorf("%d: header %v", status, result.Header)
		}
	}
}

func TestRequestsThatCannotBeMade(t *testing.T) {
	s := newSender(t, Options{})
	for _, url := range []string{"", "::", "http://a b", "http://[::1", "ftp://127.0.0.1/"} {
		result := s.Do(t.Context(), hook(url))
		if result.Err == nil || result.Sent || result.Status != 0 || result.Kind != Invalid && result.Kind != Protocol {
			t.Errorf("%q: %+v", url, result)
		}
	}
	bad := hook("http://127.0.0.1:1")
	bad.Header = http.Header{"X-Bad": {"a\r\nb"}}
	if result := s.Do(t.Context(), bad); result.Err == nil || result.Sent {
		t.Errorf("%+v", result)
	}
}

func TestNoProxy(t *testing.T) {
	if newSender(t, Options{}).transport.Proxy != nil {
		t.Error("the sender asks for a proxy")
	}
}

func TestCancel(t *testing.T) {
	settle(t)
	arrived := make(chan struct{}, 1)
	url := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	s := newSender(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if result := s.Do(ctx, hook(url)); result.Kind != Canceled || !result.Sent || result.Err == nil {
		t.Errorf("canceled under way: %+v", result)
	}
	if result := s.Do(ctx, hook(url)); result.Kind != Canceled || result.Sent {
		t.Errorf("canceled before: %+v", result)
	}
}

func TestTLS(t *testing.T) {
	settle(t)
	old := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = discard
	old.StartTLS()
	t.Cleanup(old.Close)
	requests := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		requests++
		if r.ProtoMajor != 1 || r.TLS.Version < tls.VersionTLS12 {
			t.Errorf("%s over TLS %x", r.Proto, r.TLS.Version)
		}
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = discard
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	knowing, ignorant := newSender(t, Options{RootCAs: roots}), newSender(t, Options{})
	if result := knowing.Do(t.Context(), hook(server.URL)); result.Err != nil || result.Status != 200 {
		t.Errorf("%+v", result)
	}
	for name, result := range map[string]Result{
		"unknown certificate": ignorant.Do(t.Context(), hook(server.URL)),
		"wrong name":          knowing.Do(t.Context(), hook(strings.Replace(server.URL, "127.0.0.1", "localhost", 1))),
		"TLS 1.1":             knowing.Do(t.Context(), hook(old.URL)),
		"not TLS":             knowing.Do(t.Context(), hook("https"+strings.TrimPrefix(receiver(t, func(http.ResponseWriter, *http.Request) {}), "http"))),
	} {
		if result.Kind != TLS || result.Err == nil || result.Sent || result.Status != 0 {
			t.Errorf("%s: %+v", name, result)
		}
	}
	if requests != 1 {
		t.Errorf("%d requests came", requests)
	}
}
