package listen

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/sign"
)

// TokenHeader is in every answer; it tells listeners apart.
const TokenHeader = "Tenantry-Listener"

const maxBody = 16 << 20

// Options are how a receiver behaves.
type Options struct {
	Out    io.Writer
	Colour bool
	// Bodies has all of each body printed.
	Bodies bool
	Now    func() time.Time
	// Token is what this listener tells those who ask who it is.
	Token string

	// Keys returns the keys that webhooks may be signed with; nil if there is
	// nothing to verify with.
	Keys func(ctx context.Context) ([][]byte, error)

	// Status is the answer, after Delay. A share of FailRate is answered with
	// 500 instead; Random decides, from 0 to 1.
	Status   int
	Delay    time.Duration
	FailRate float64
	Random   func() float64

	// Forward, if it is not empty, is where webhooks go on to; the answer is
	// what comes from there.
	Forward string
}

// Receiver is a listener.
type Receiver struct {
	Options
	client *http.Client

	mu sync.Mutex // of what follows, and of Out
	// last are the bodies that came last, by tenant.
	last map[string][]byte
	// kept are the tenants of which something ended here, and earliest the
	// lowest id of that.
	kept     map[string]bool
	earliest int64

	busy atomic.Int64 // requests under way
}

// Busy reports whether a request is under way.
func (r *Receiver) Busy() bool { return r.busy.Load() > 0 }

// New makes a receiver.
func New(o Options) *Receiver {
	return &Receiver{Options: o, client: newClient(), last: map[string][]byte{}, kept: map[string]bool{}}
}

// Kept is how many tenants were told here of a change that went nowhere else,
// and the id of the earliest event that told one.
func (r *Receiver) Kept() (tenants int, earliest int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.kept), r.earliest
}

// keep notes that something ended here. The caller holds mu.
func (r *Receiver) keep(tenant, id string) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return // a test, which is about nobody
	}
	r.kept[tenant] = true
	if r.earliest == 0 || number < r.earliest {
		r.earliest = number
	}
}

// arrival is a webhook with what became of it.
type arrival struct {
	at      time.Time
	header  http.Header
	body    []byte
	verdict error
	// unknown says that there was nothing to verify with.
	unknown bool
	answer  answer
}

// answer is what a webhook was answered with.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	note    string // what else there is to say about it
	forward bool
}

// ServeHTTP takes a webhook.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.busy.Add(1)
	defer r.busy.Add(-1)
	w.Header().Set(TokenHeader, r.Token)
	switch request.Method {
	case http.MethodPost:
	case http.MethodGet, http.MethodHead:
		_, _ = io.WriteString(w, "tenantry listen: send webhooks here by POST\n")
		return
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		http.Error(w, "send webhooks here by POST", http.StatusMethodNotAllowed)
		return
	}
	a := &arrival{at: r.Now(), header: request.Header}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if err != nil {
		http.Error(w, "the body could not be read", http.StatusBadRequest)
		return
	}
	a.body = body
	r.verify(request.Context(), a)
	a.answer = r.decide(request.Context(), a)
	for name, values := range a.answer.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.answer.status)
	_, _ = w.Write(a.answer.body)
	r.print(a)
}

func (r *Receiver) verify(ctx context.Context, a *arrival) {
	if r.Keys == nil {
		a.unknown = true
		return
	}
	keys, err := r.Keys(ctx)
	if err != nil {
		a.verdict = errors.New("the secret cannot be read: " + err.Error())
		return
	}
	h := a.header
	a.verdict = sign.Verify(h.Get("webhook-id"), h.Get("webhook-timestamp"), h.Get("webhook-signature"), a.body, a.at, keys...)
}

// decide waits if it is told to, and returns the answer.
func (r *Receiver) decide(ctx context.Context, a *arrival) answer {
	if r.Delay > 0 && !wait(ctx, r.Delay) {
		return answer{status: http.StatusServiceUnavailable, note: "which nobody waited for"}
	}
	note := ""
	if r.Delay > 0 {
		note = "after " + r.Delay.String()
	}
	if r.FailRate > 0 && r.Random() < r.FailRate {
		return answer{status: http.StatusInternalServerError, note: join(note, "as every now and then")}
	}
	if !a.unknown && lacksHeaders(a.header) {
		return answer{status: http.StatusBadRequest, note: join(note, "as it is no webhook")}
	}
	if r.Forward != "" {
		return r.forward(ctx, a, note)
	}
	return answer{status: r.Status, note: note}
}

// lacksHeaders reports whether a request cannot come from Tenantry, signed or
// not.
func lacksHeaders(h http.Header) bool {
	return h.Get("webhook-id") == "" || h.Get("webhook-timestamp") == "" || h.Get("webhook-signature") == ""
}

// wait waits, and reports whether the sender did so, too.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}
