package stripe

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// clock is a time that tests set.
type clock struct{ unix atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.unix.Store(noon.Unix())
	return c
}

func (c *clock) now() time.Time { return time.Unix(c.unix.Load(), 0).UTC() }

func (c *clock) advance(d time.Duration) { c.unix.Add(int64(d / time.Second)) }

// fault is what goes wrong with a request.
type fault string

const (
	none        fault = ""
	lostRequest fault = "the request is lost"
	lostAnswer  fault = "the answer is lost"
	late        fault = "the request arrives later, the caller has given up"
	broken      fault = "500 after it was carried out"
	busy        fault = "429"
)

// fake is a Stripe that has a memory: it makes PaymentIntents and refunds once for
// each idempotency key, tells about them by events, and has faults. What becomes of a
// charge follows from its payment method.
type fake struct {
	mu      sync.Mutex
	now     func() time.Time
	faults  map[string][]fault // by idempotency key, used up one by one
	answers map[string]answer  // by idempotency key
	forms   map[string]string
	intents []map[string]any
	refunds []map[string]any
	delayed []delayed // requests that are under way
	events  []string
}

type delayed struct {
	since    time.Time
	carryOut func()
}

type answer struct {
	status int
	body   string
}

func newFake(now func() time.Time) *fake {
	return &fake{now: now, faults: map[string][]fault{}, answers: map[string]answer{}, forms: map[string]string{}}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method == http.MethodGet {
		f.list(w, r)
		return
	}
	key := r.Header.Get("Idempotency-Key")
	path := r.URL.Path
	carryOut := func() answer { return f.once(key, path, string(body)) }
	switch f.nextFault(key) {
	case lostRequest:
		hangUp(w)
	case lostAnswer:
		carryOut()
		hangUp(w)
	case late:
		f.delayed = append(f.delayed, delayed{f.now(), func() { carryOut() }})
		hangUp(w)
	case broken:
		carryOut()
		write(w, answer{500, `{"error":{"type":"api_error","message":"Broken."}}`})
	case busy:
		write(w, answer{429, `{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Slow down."}}`})
	default:
		write(w, carryOut())
	}
}

func (f *fake) nextFault(key string) fault {
	faults := f.faults[key]
	if len(faults) == 0 {
		return none
	}
	f.faults[key] = faults[1:]
	return faults[0]
}

func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

func write(w http.ResponseWriter, a answer) {
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// once carries a request out the first time, and repeats its answer after that.
func (f *fake) once(key, path, form string) answer {
	if before, ok := f.answers[key]; ok {
		if f.forms[key] != form {
			return answer{400, `{"error":{"type":"idempotency_error","message":"The key had another form."}}`}
		}
		return before
	}
	values, _ := url.ParseQuery(form)
	made := f.makeIntent(values)
	if path == "/v1/refunds" {
		made = f.makeRefund(values)
	}
	f.answers[key], f.forms[key] = made, form
	return made
}

func (f *fake) makeIntent(form url.Values) answer {
	intent := map[string]any{
		"id": fmt.Sprintf("pi_%d", len(f.intents)+1), "object": "payment_intent", "created": f.now().Unix(),
		"customer": form.Get("customer"), "payment_method": form.Get("payment_method"), "currency": form.Get("currency"),
		"amount": json.Number(form.Get("amount")), "metadata": map[string]string{metadataKey: form.Get("metadata[" + metadataKey + "]")},
	}
	f.intents = append(f.intents, intent)
	switch method := form.Get("payment_method"); {
	case strings.HasPrefix(method, "pm_sepa"):
		f.become(intent, "processing", "")
	case strings.HasPrefix(method, "pm_no"):
		f.become(intent, "requires_payment_method", "insufficient_funds")
		refusal, _ := json.Marshal(map[string]any{"error": map[string]any{
			"type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds", "message": "No.", "payment_intent": intent,
		}})
		return answer{402, string(refusal)}
	default:
		f.become(intent, "succeeded", "")
	}
	return answer{200, text(intent)}
}

// become changes the status of an intent, and tells it by an event.
func (f *fake) become(intent map[string]any, status, code string) {
	intent["status"] = status
	kind := map[string]string{"processing": "processing", "succeeded": "succeeded", "requires_payment_method": "payment_failed"}[status]
	if status == "succeeded" {
		intent["amount_received"] = intent["amount"]
	}
	if code != "" {
		intent["last_payment_error"] = map[string]any{"type": "card_error", "code": "card_declined", "decline_code": code, "message": "No."}
	}
	f.tell("payment_intent."+kind, intent)
}

func (f *fake) makeRefund(form url.Values) answer {
	refund := map[string]any{
		"id": fmt.Sprintf("re_%d", len(f.refunds)+1), "object": "refund", "status": "succeeded", "currency": "eur",
		"payment_intent": form.Get("payment_intent"), "amount": json.Number(form.Get("amount")),
		"metadata": map[string]string{metadataKey: form.Get("metadata[" + metadataKey + "]")},
	}
	f.refunds = append(f.refunds, refund)
	f.tell("refund.created", refund)
	return answer{200, text(refund)}
}

func (f *fake) tell(kind string, object map[string]any) {
	f.events = append(f.events, text(map[string]any{
		"id": fmt.Sprintf("evt_%d", len(f.events)+1), "object": "event", "type": kind, "created": f.now().Unix(), "data": map[string]any{"object": object},
	}))
}

func text(object map[string]any) string {
	encoded, _ := json.Marshal(object)
	return string(encoded)
}

// list answers with the intents of a customer, a few on each page.
func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	const pageSize = 2
	query, after := r.URL.Query(), r.URL.Query().Get("starting_after")
	page, more := []map[string]any{}, false
	for i := len(f.intents) - 1; i >= 0; i-- { // the newest first
		intent := f.intents[i]
		switch {
		case intent["customer"] != query.Get("customer"):
		case after != "":
			if intent["id"] == after {
				after = ""
			}
		case len(page) == pageSize:
			more = true
		default:
			page = append(page, intent)
		}
	}
	write(w, answer{200, text(map[string]any{"object": "list", "url": "/v1/payment_intents", "has_more": more, "data": page})})
}

// arrive carries out the requests that have been under way for some time.
func (f *fake) arrive(after time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var waiting []delayed
	for _, d := range f.delayed {
		if f.now().Sub(d.since) < after {
			waiting = append(waiting, d)
			continue
		}
		d.carryOut()
	}
	f.delayed = waiting
}

// plan says what goes wrong with the requests that have a key.
func (f *fake) plan(key string, faults []fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[key] = faults
}

// settle decides the intents that are pending.
func (f *fake) settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, intent := range f.intents {
		switch {
		case intent["status"] != "processing":
		case intent["payment_method"] == "pm_sepa_no":
			f.become(intent, "requires_payment_method", "insufficient_funds")
		default:
			f.become(intent, "succeeded", "")
		}
	}
}

// charged counts how often money was moved, by key.
func (f *fake) charged() map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	count := map[string]int{}
	for _, intent := range f.intents {
		if intent["status"] == "succeeded" {
			count[intent["metadata"].(map[string]string)[metadataKey]]++
		}
	}
	return count
}

// allEvents returns the events so far.
func (f *fake) allEvents() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.events...)
}
