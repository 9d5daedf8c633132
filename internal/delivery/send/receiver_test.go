package send

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/target"
)

// short is a timeout for what is meant to run out, long for what is not.
const (
	short = 150 * time.Millisecond
	long  = 30 * time.Second
)

// newSender makes a sender of a developer's machine.
func newSender(t testing.TB, o Options) *Sender {
	t.Helper()
	s := New(target.New(true, nil), o)
	t.Cleanup(s.Close)
	return s
}

// settle checks at the end of the test, after all its other cleanups, that
// every goroutine it started has ended.
func settle(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		deadline := time.NewTimer(long)
		tick := time.NewTicker(time.Millisecond)
		defer deadline.Stop()
		defer tick.Stop()
		for runtime.NumGoroutine() > before {
			select {
			case <-tick.C:
			case <-deadline.C:
				stacks := make([]byte, 1<<20)
				t.Errorf("%d goroutines are left of %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
				return
			}
		}
	})
}

// rawReceiver answers each connection with a function that may do to it what it
// likes. It returns its URL.
func rawReceiver(t testing.TB, answer func(net.Conn, *bufio.Reader)) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	running.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[c] = true
			mu.Unlock()
			running.Go(func() {
				defer c.Close()
				answer(c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		mu.Lock()
		for c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return "http://" + listener.Addr().String()
}

// receiver is a well-behaved server.
func receiver(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// takeRequest reads one request with its body, and reports whether there was
// one.
func takeRequest(r *bufio.Reader) (*http.Request, bool) {
	request, err := http.ReadRequest(r)
	if err != nil {
		return nil, false
	}
	return request, request.Body.Close() == nil
}

func hook(url string) *Request {
	return &Request{URL: url, Body: []byte(`{"a":1}`), Header: http.Header{"Content-Type": {"application/json"}}, Timeout: long}
}
