// Package stripetest is a Stripe for tests: it has a memory, loses and delays requests and
// answers, and tells what happens in any order.
package stripetest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fault is what goes wrong with a request.
type Fault string

// The faults.
const (
	None        Fault = ""
	LostRequest Fault = "the request is lost"
	LostAnswer  Fault = "the answer is lost"
	Late        Fault = "the request arrives later, the caller has given up"
	Broken      Fault = "500 after it was carried out"
	Busy        Fault = "429"
	NoticeFirst Fault = "a notice tells it before the answer"
)

// Faults are all that can go wrong.
var Faults = []Fault{LostRequest, LostAnswer, Late, Broken, Busy, NoticeFirst}

// metadataKey is where objects have the key of the request that made them.
const metadataKey = "tenantry_key"

// Fake is a Stripe that has a memory: it makes PaymentIntents and refunds once for
// each idempotency key, tells about them by events, and has faults. What becomes of a
// charge follows from its payment method: pm_ok, pm_no, pm_sepa, pm_sepa_no.
type Fake struct {
	// Now is the time by which it works.
	Now func() time.Time
	// Fault says what goes wrong with a request, by its idempotency key; nil for nothing.
	Fault func(key string) Fault
	// LookupFault says what goes wrong with a question about what has become of charges; nil
	// for nothing.
	LookupFault func() Fault
	// Tell brings an event to whoever is told, for NoticeFirst.
	Tell func(event string)

	mu      sync.Mutex
	answers map[string]answer // by idempotency key
	forms   map[string]string
	keys    map[string]map[string]bool // idempotency keys, by the key of the attempt
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

// New returns a Stripe without faults.
func New(now func() time.Time) *Fake {
	return &Fake{Now: now, answers: map[string]answer{}, forms: map[string]string{}, keys: map[string]map[string]bool{}}
}

func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodGet {
		f.look(w, r)
		return
	}
	key, path := r.Header.Get("Idempotency-Key"), r.URL.Path
	f.noteKey(key, string(body))
	fault := None
	if f.Fault != nil {
		fault = f.Fault(key)
	}
	carryOut := func() answer { return f.once(key, path, string(body)) }
	switch fault {
	case LostRequest:
		hangUp(w)
	case LostAnswer:
		carryOut()
		hangUp(w)
	case Late:
		f.delay(func() { carryOut() })
		hangUp(w)
	case Broken:
		carryOut()
		write(w, answer{500, `{"error":{"type":"api_error","message":"Broken."}}`})
	case Busy:
		write(w, answer{429, `{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Slow down."}}`})
	case NoticeFirst:
		before := len(f.Events())
		made := carryOut()
		for _, event := range f.Events()[before:] {
			f.Tell(event)
		}
		write(w, made)
	default:
		write(w, carryOut())
	}
}

func (f *Fake) delay(carryOut func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.delayed = append(f.delayed, delayed{f.Now(), carryOut})
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

// noteKey keeps with which idempotency keys an attempt is sent, whatever becomes of it.
func (f *Fake) noteKey(key, form string) {
	values, _ := url.ParseQuery(form)
	of := values.Get("metadata[" + metadataKey + "]")
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[of] == nil {
		f.keys[of] = map[string]bool{}
	}
	f.keys[of][key] = true
}

// Rekeyed counts the attempts that were sent with more than one idempotency key.
func (f *Fake) Rekeyed() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, keys := range f.keys {
		if len(keys) > 1 {
			n++
		}
	}
	return n
}

// once carries a request out the first time, and repeats its answer after that.
func (f *Fake) once(key, path, form string) answer {
	f.mu.Lock()
	defer f.mu.Unlock()
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

func (f *Fake) makeIntent(form url.Values) answer {
	intent := map[string]any{
		"id": fmt.Sprintf("pi_%d", len(f.intents)+1), "object": "payment_intent", "created": f.Now().Unix(),
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
func (f *Fake) become(intent map[string]any, status, code string) {
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

func (f *Fake) makeRefund(form url.Values) answer {
	refund := map[string]any{
		"id": fmt.Sprintf("re_%d", len(f.refunds)+1), "object": "refund", "status": "succeeded", "currency": "eur",
		"payment_intent": form.Get("payment_intent"), "amount": json.Number(form.Get("amount")),
		"metadata": map[string]string{metadataKey: form.Get("metadata[" + metadataKey + "]")},
	}
	f.refunds = append(f.refunds, refund)
	f.tell("refund.created", refund)
	return answer{200, text(refund)}
}

func (f *Fake) tell(kind string, object map[string]any) {
	f.events = append(f.events, text(map[string]any{
		"id": fmt.Sprintf("evt_%d", len(f.events)+1), "object": "event", "type": kind, "created": f.Now().Unix(), "data": map[string]any{"object": object},
	}))
}

func text(object map[string]any) string {
	encoded, _ := json.Marshal(object)
	return string(encoded)
}

// look answers a question, unless something goes wrong with that.
func (f *Fake) look(w http.ResponseWriter, r *http.Request) {
	fault := None
	if f.LookupFault != nil && r.URL.Path == "/v1/payment_intents" {
		fault = f.LookupFault()
	}
	switch fault {
	case None:
		f.get(w, r)
	case Broken:
		write(w, answer{500, `{"error":{"type":"api_error","message":"Broken."}}`})
	case Busy:
		write(w, answer{429, `{"error":{"type":"invalid_request_error","code":"rate_limit","message":"Slow down."}}`})
	default:
		hangUp(w)
	}
}

// get answers with the intents of a customer, a few on each page, or with a card.
func (f *Fake) get(w http.ResponseWriter, r *http.Request) {
	if id, method := strings.CutPrefix(r.URL.Path, "/v1/payment_methods/"); method {
		write(w, answer{200, fmt.Sprintf(`{"id":%q,"object":"payment_method","type":"card","card":{"brand":"visa","last4":"4242","exp_month":12,"exp_year":2099}}`, id)})
		return
	}
	const pageSize = 2
	f.mu.Lock()
	defer f.mu.Unlock()
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

// Arrive carries out the requests that have been under way for some time.
func (f *Fake) Arrive(after time.Duration) {
	f.mu.Lock()
	all := f.delayed
	f.delayed = slices.DeleteFunc(slices.Clone(all), func(d delayed) bool { return f.Now().Sub(d.since) >= after })
	now := slices.DeleteFunc(slices.Clone(all), func(d delayed) bool { return f.Now().Sub(d.since) < after })
	f.mu.Unlock()
	for _, d := range now {
		d.carryOut()
	}
}

// Settle decides the intents that are pending.
func (f *Fake) Settle() {
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

// Charged counts how often money was moved, by key.
func (f *Fake) Charged() map[string]int {
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

// Events returns the events so far.
func (f *Fake) Events() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.events)
}

// Refunds counts how many were made.
func (f *Fake) Refunds() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.refunds)
}

// Request is the request that brings an event, signed with the secret of the endpoint.
func (f *Fake) Request(ctx context.Context, event, secret string) *http.Request {
	at := f.Now().Unix()
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at, event)
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(event))
	r.Header.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil))))
	return r
}
