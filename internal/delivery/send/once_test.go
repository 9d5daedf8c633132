package send

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/delivery/target/dnstest"
)

// seen counts how often each request came.
type seen struct {
	mu    sync.Mutex
	times map[string]int
}

func (s *seen) add(request *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.times == nil {
		s.times = map[string]int{}
	}
	id := request.Header.Get("Webhook-Id")
	s.times[id]++
	return s.times[id]
}

func (s *seen) count(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.times[id]
}

func numbered(url, id string) *Request {
	r := hook(url)
	// The idempotency key is what would make net/http send a request twice.
	r.Header = http.Header{"Webhook-Id": {id}, "Idempotency-Key": {id}, "X-Idempotency-Key": {id}}
	return r
}

// silentAfterOne answers the first request of a connection and closes it when
// it has read the second.
func silentAfterOne(came *seen) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		for i := 0; ; i++ {
			request, ok := takeRequest(r)
			if !ok {
				return
			}
			came.add(request)
			if i == 1 {
				return
			}
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	}
}

// A request that was written is never written again, not even on a connection
// that was kept and then closed, which net/http would otherwise take for bad
// luck.
func TestNothingIsSentTwice(t *testing.T) {
	settle(t)
	var came seen
	url := rawReceiver(t, silentAfterOne(&came))
	s := newSender(t, Options{})
	if result := s.Do(t.Context(), numbered(url, "first")); result.Err != nil {
		t.Fatal(result.Err)
	}
	result := s.Do(t.Context(), numbered(url, "second"))
	if result.Kind != Connection || !result.Sent || came.count("second") != 1 {
		t.Errorf("came %d times, %+v", came.count("second"), result)
	}
}

// With the headers as they were, net/http does send it twice: the test above
// can fail.
func TestNetHTTPWouldSendTwice(t *testing.T) {
	settle(t)
	var came seen
	url := rawReceiver(t, silentAfterOne(&came))
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	for _, id := range []string{"first", "second"} {
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
		request.Header = numbered(url, id).Header
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	if n := came.count("second"); n != 2 {
		t.Errorf("the request came %d times", n)
	}
}

// A receiver that closes every connection after its answer, at any moment:
// each request comes at most once, and if the sender says it was not sent, it
// did not come.
func TestReceiverThatClosesIdleConnections(t *testing.T) {
	settle(t)
	var came seen
	url := rawReceiver(t, func(c net.Conn, r *bufio.Reader) {
		if request, ok := takeRequest(r); ok {
			came.add(request)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	s := newSender(t, Options{})
	answered := 0
	for i := range 500 {
		id := fmt.Sprint(i)
		result := s.Do(t.Context(), numbered(url, id))
		n := came.count(id)
		switch {
		case n > 1:
			t.Errorf("%s came %d times", id, n)
		case result.Err == nil && n != 1:
			t.Errorf("%s was answered but never came", id)
		case result.Err != nil && (!result.Sent && n > 0 || result.Kind != Connection):
			t.Errorf("%s came %d times: %+v", id, n, result)
		}
		if result.Err == nil {
			answered++
		}
	}
	if answered == 0 {
		t.Error("nothing was answered")
	}
}

// recorder is a connection that remembers what was written to it.
type recorder struct {
	net.Conn
	written []byte
}

func (r *recorder) Write(b []byte) (int, error) {
	r.written = append(r.written, b...)
	return len(b), nil
}

// net/http may still be about to write when a request is given up.
func TestNothingIsWrittenOnceGivenUp(t *testing.T) {
	under := &recorder{}
	c := &conn{Conn: under}
	if _, err := c.Write([]byte("a")); err != nil || c.writes.Load() != 1 {
		t.Fatalf("%d writes, %v", c.writes.Load(), err)
	}
	if n := c.seal(); n != 1 {
		t.Errorf("%d writes were seen", n)
	}
	if _, err := c.Write([]byte("b")); err == nil || string(under.written) != "a" {
		t.Errorf("%q was written, %v", under.written, err)
	}
}

// Requests that are given up at any moment: what is said not to have been sent
// never comes, not even later.
func TestNotSentMeansNotSent(t *testing.T) {
	settle(t)
	var came seen
	url := receiver(t, func(_ http.ResponseWriter, r *http.Request) { came.add(r) })
	s := newSender(t, Options{})
	random := rand.New(rand.NewPCG(1, 2))
	var unsent []string
	sent := 0
	for i := range 2000 {
		id := fmt.Sprint(i)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(200))*time.Microsecond)
		if result := s.Do(ctx, numbered(url, id)); result.Sent {
			sent++
		} else {
			unsent = append(unsent, id)
		}
		cancel()
	}
	// What is still on its way comes before an answer to this.
	if result := s.Do(t.Context(), numbered(url, "last")); result.Err != nil {
		t.Fatal(result.Err)
	}
	for _, id := range unsent {
		if came.count(id) > 0 {
			t.Errorf("%s came, but was said not to have been sent", id)
		}
	}
	t.Logf("%d sent, %d not", sent, len(unsent))
	if sent == 0 || len(unsent) == 0 {
		t.Errorf("%d sent, %d not: the moments are all alike", sent, len(unsent))
	}
}

func TestRefusedAddresses(t *testing.T) {
	settle(t)
	s := New(target.New(false, nil), Options{})
	t.Cleanup(s.Close)
	for url, says := range map[string]string{
		"http://127.0.0.1:1/": "--webhook-allow", "https://10.0.0.1/": "--webhook-allow", "https://[::1]/": "--webhook-allow",
		"https://169.254.169.254/": "never", "http://1.1.1.1/": "https://", "https://[::ffff:169.254.169.254]/": "never",
	} {
		result := s.Do(t.Context(), hook(url))
		if result.Kind != Refused || result.Sent || !strings.Contains(result.Err.Error(), says) {
			t.Errorf("%s: %+v", url, result)
		}
	}
}

// A name that was public when it was saved and is this machine's now.
func TestRebindingReachesNobody(t *testing.T) {
	settle(t)
	var came seen
	url := receiver(t, func(_ http.ResponseWriter, r *http.Request) { came.add(r) })
	port := url[strings.LastIndexByte(url, ':'):]
	public, own := []netip.Addr{netip.MustParseAddr("93.184.216.34")}, []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	policy := target.New(false, nil)
	policy.Resolver = dnstest.Resolver(t, public, own)
	if err := policy.CheckURL(t.Context(), "https://rebinding.example.com"+port); err != nil {
		t.Fatal(err)
	}
	s := New(policy, Options{})
	t.Cleanup(s.Close)
	for _, scheme := range []string{"https", "http"} {
		result := s.Do(t.Context(), numbered(scheme+"://rebinding.example.com"+port, "1"))
		if result.Kind != Refused || result.Sent || came.count("1") != 0 || !strings.Contains(result.Err.Error(), "127.0.0.1") {
			t.Errorf("%s: %+v", scheme, result)
		}
	}
	developer := target.New(true, nil)
	developer.Resolver = policy.Resolver
	d := New(developer, Options{})
	t.Cleanup(d.Close)
	if result := d.Do(t.Context(), numbered("http://rebinding.example.com"+port, "1")); result.Err != nil || came.count("1") != 1 || result.Timings.DNS <= 0 {
		t.Errorf("a developer's machine: %+v", result)
	}
}

func TestNameThatIsUnknown(t *testing.T) {
	settle(t)
	policy := target.New(true, nil)
	policy.Resolver = dnstest.Resolver(t, nil)
	s := New(policy, Options{})
	t.Cleanup(s.Close)
	if result := s.Do(t.Context(), hook("http://nowhere.example.com/")); result.Kind != DNS || result.Sent {
		t.Errorf("%+v", result)
	}
}

func TestNobodyListens(t *testing.T) {
	settle(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	if result := newSender(t, Options{}).Do(t.Context(), hook("http://"+listener.Addr().String())); result.Kind != Connection || result.Sent {
		t.Errorf("%+v", result)
	}
}

// TestNothingIsWrittenTooLate: a process that stood still when it was about to
// write finds that the time of its request is over, before any timer says so.
func TestNothingIsWrittenTooLate(t *testing.T) {
	here, there := net.Pipe()
	defer there.Close()
	c := &conn{Conn: here}
	past := time.Now().Add(-time.Second)
	c.until.Store(&past)
	if n, err := c.Write([]byte("late")); n != 0 || err != errSealed {
		t.Errorf("%d bytes were written (%v)", n, err)
	}
	future := time.Now().Add(time.Hour)
	c.until.Store(&future) // by the next request
	go func() { _, _ = c.Write([]byte("x")); here.Close() }()
	if text, err := io.ReadAll(there); string(text) != "x" || err != nil {
		t.Errorf("%q arrived (%v)", text, err)
	}
}
