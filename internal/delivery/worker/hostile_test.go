package worker_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// raw hands the connection of a request to a function.
func raw(do func(net.Conn)) func(http.ResponseWriter, *request) {
	return func(w http.ResponseWriter, _ *request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		do(conn)
	}
}

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

// bomb is 64 MiB of nothing, packed.
func bomb() string {
	var packed strings.Builder
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	nothing := make([]byte, 1<<20)
	for range 64 {
		_, _ = w.Write(nothing)
	}
	_ = w.Close()
	return packed.String()
}

// TestHostileReceiver does to each tenant's first request what a receiver can
// do. Answers that accept are taken for what they are, all else is tried again;
// nothing is followed, kept in memory or left behind.
func TestHostileReceiver(t *testing.T) {
	// Alone, because it counts memory and goroutines.
	junk := []byte(strings.Repeat("x", 64<<10))
	packed := bomb()
	faults := []struct {
		name    string
		act     func(http.ResponseWriter, *request)
		outcome string
		says    string
	}{
		{"hangs", raw(func(c net.Conn) { _, _ = io.Copy(io.Discard, bufio.NewReader(c)) }), "failed", "may have seen"},
		{"drips headers", raw(func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\n"); drip(c, "A: b\r\n") }), "failed", "may have seen"},
		{"drips its body", raw(func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
			drip(c, "x")
		}), "delivered", "the rest of its answer did not come"},
		{"sends 10 GB", raw(func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")
			for range 10 << 30 / len(junk) {
				if _, err := c.Write(junk); err != nil {
					return
				}
			}
		}), "delivered", ""},
		{"promises more than memory holds", raw(func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nok")
		}), "delivered", "the rest of its answer did not come"},
		{"sends headers without end", raw(func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := fmt.Fprintf(c, "X-A: %s\r\n", junk[:1000]); err != nil {
					return
				}
			}
		}), "failed", "may have seen"},
		{"sends a bomb", func(w http.ResponseWriter, _ *request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, packed)
		}, "delivered", ""},
		{"redirects to a metadata address", func(w http.ResponseWriter, _ *request) {
			w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, "failed", "do not follow redirects"},
	}
	for _, engine := range storetest.Engines {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t, storetest.New(t, engine), len(faults))
			w.receiver.answers(func(rw http.ResponseWriter, r *request) {
				if i := int(r.tenant - w.tenants[0]); r.sequence == 1 && r.attempt == 1 {
					faults[i].act(rw, r)
				}
			})
			w.recipe(func(f *webhook.Workflow) { f.TimeoutSeconds = 40 })
			var firsts []webhook.Event
			for _, tenant := range w.tenants {
				firsts = append(firsts, w.tell(tenant))
				w.tell(tenant)
			}
			goroutines := runtime.NumGoroutine()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			e := w.engine(w.store)
			e.Start()
			w.settled()
			e.Stop(t.Context())
			runtime.ReadMemStats(&after)
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 48 {
				t.Errorf("%d MiB were allocated", used)
			}
			w.receiver.CloseClientConnections()
			w.await("no goroutine is left", func() bool { return runtime.NumGoroutine() <= goroutines })
			for i, f := range faults {
				a := w.attempts(firsts[i].ID)[0]
				said := ""
				if a.Error != nil {
					said = *a.Error
				}
				if a.Outcome != f.outcome || !strings.Contains(said, f.says) || a.ResponseBody != nil && len(*a.ResponseBody) > 16<<10 {
					t.Errorf("a receiver that %s: %s, %q", f.name, a.Outcome, said)
				}
				want := []int{1, 2}
				if f.outcome == "failed" {
					want = []int{1, 1, 2}
				}
				same(t, "what a tenant was told by a receiver that "+f.name, w.receiver.sequences()[w.tenants[i]], want)
			}
			w.explained()
		})
	}
}
