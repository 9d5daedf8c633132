// Package send makes one request to an endpoint and reports everything that can be
// known about its outcome, above all whether the receiver may have seen it.
//
// A receiver can do no more than use up the time it is given: responses are read up
// to a limit, never decompressed, and redirects are not followed. Whether to retry
// is not decided here.
package send

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/target"
)

// Request is one webhook. Its header is complete: nothing is added but what
// HTTP itself needs.
type Request struct {
	URL    string
	Body   []byte
	Header http.Header
	// Timeout is for the whole exchange, from looking up the name to the last
	// byte of the answer.
	Timeout time.Duration
}

// The kinds of failure, each in a word. An answer is none, whatever its status.
const (
	Timeout    = "timeout"
	Refused    = "refused address" // by the policy, before anything was sent
	DNS        = "dns"
	Connection = "connection"
	TLS        = "tls"
	Protocol   = "protocol" // the answer is not HTTP, or too big in its headers
	Canceled   = "canceled" // by the caller
	Invalid    = "invalid"  // the request cannot be made, such as with a broken URL
)

// Result is the outcome of one request.
type Result struct {
	// Status is the status of the answer, 0 if there was none. It is there as
	// soon as the headers were, even if Err says that the rest never came.
	Status int
	// Address is the IP address and port that was connected to.
	Address string
	// Header and Body are what is kept of the answer, as text that any database
	// can hold; Truncated says that there was more of the body.
	Header    http.Header
	Body      []byte
	Truncated bool

	Started, Finished time.Time
	Timings           Timings

	// Err is why there is no whole answer, and Kind says so in a word; both are
	// empty if there is one.
	Err  error
	Kind string
	// RetryAfter is what the receiver asked for, nil if nothing.
	RetryAfter *time.Duration
	// Sent says whether a byte of the request may have reached the receiver.
	Sent bool
}

// Timings say how long each part took. A connection that was kept from an
// earlier request takes no time to make.
type Timings struct {
	DNS, Connect, TLS time.Duration
	// FirstByte is the time from the start until the answer's headers were
	// there, Total until its end.
	FirstByte, Total time.Duration
}

// Options are the settings of a sender; the zero value is good.
type Options struct {
	// ConnectTimeout bounds looking up and connecting, and then the TLS
	// handshake; 5 seconds if it is zero.
	ConnectTimeout time.Duration
	// MaxIdlePerHost is how many connections to one receiver are kept for the
	// next request; 64 if it is zero.
	MaxIdlePerHost int
	// Now is the clock for what is reported, and Elapsed what measures how long it
	// took, by Now if it is nil.
	Now     func() time.Time
	Elapsed func() time.Duration
	// RootCAs are the certificates to trust; nil means the system's.
	RootCAs *x509.CertPool
}

const (
	connectTimeout = 5 * time.Second
	maxIdlePerHost = 64
	maxIdle        = 1024
	// idleTimeout is below the five seconds after which common servers close a
	// connection: a request sent at that very moment would fail.
	idleTimeout = 4 * time.Second
	// maxHeader is how much of headers is read at all.
	maxHeader = 64 << 10
	// writeBuffer holds a usual request, so that it is one write.
	writeBuffer = 16 << 10
)

// Sender sends webhooks. It is safe for concurrent use and keeps connections.
type Sender struct {
	transport *http.Transport
	now       func() time.Time
	elapsed   func() time.Duration
}

// New makes a sender that connects only where the policy allows.
func New(policy *target.Policy, o Options) *Sender {
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = connectTimeout
	}
	if o.MaxIdlePerHost == 0 {
		o.MaxIdlePerHost = maxIdlePerHost
	}
	if o.Now == nil {
		//house:clock what is reported are real moments; tests hand in others
		o.Now = time.Now
	}
	if o.Elapsed == nil {
		start := o.Now()
		o.Elapsed = func() time.Duration { return o.Now().Sub(start) }
	}
	d := newDialer(policy, &o)
	var onlyHTTP1 http.Protocols
	// Not HTTP/2: there a receiver that stops reading stalls all requests on
	// the one connection, and the client resends by itself what a receiver
	// says it has not processed.
	onlyHTTP1.SetHTTP1(true)
	return &Sender{now: o.Now, elapsed: o.Elapsed, transport: &http.Transport{
		Proxy:                  nil, // not even from the environment
		DialContext:            d.dial,
		DialTLSContext:         d.dialTLS,
		DisableCompression:     true,
		MaxIdleConns:           max(maxIdle, o.MaxIdlePerHost),
		MaxIdleConnsPerHost:    o.MaxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
		WriteBufferSize:        writeBuffer,
		Protocols:              &onlyHTTP1,
	}}
}

// Close gives up the connections that are kept. Requests under way go on.
func (s *Sender) Close() { s.transport.CloseIdleConnections() }

// Do sends one request and waits for its outcome, at most for its timeout.
func (s *Sender) Do(ctx context.Context, r *Request) Result {
	// The moment is read first: a pause between the two must not make the
	// request seem to have ended later than it did.
	e := &exchange{sender: s, caller: ctx, result: Result{Started: s.now()}}
	e.started = s.elapsed()
	e.trace.GotConn = e.gotConn
	ctx, cancel := context.WithTimeout(httptrace.WithClientTrace(ctx, &e.trace), r.Timeout)
	defer cancel()
	e.until, _ = ctx.Deadline()
	e.run(ctx, r)
	e.result.Timings.Total = s.elapsed() - e.started
	e.result.Finished = e.result.Started.Add(e.result.Timings.Total)
	return e.result
}

// exchange is one request under way.
type exchange struct {
	sender  *Sender
	caller  context.Context
	started time.Duration // by elapsed
	trace   httptrace.ClientTrace
	until   time.Time
	conn    *conn
	writes  int64 // on the connection before this request
	result  Result
}

// gotConn may be called again: net/http takes another connection if the first
// one, kept from earlier, was closed before a byte was written.
func (e *exchange) gotConn(info httptrace.GotConnInfo) {
	e.conn = underlying(info.Conn)
	if e.conn == nil {
		return
	}
	e.writes = e.conn.writes.Load()
	until := e.until // not a pointer into this: the connection lives on
	e.conn.until.Store(&until)
	e.result.Address = e.conn.address
	if !info.Reused {
		e.result.Timings.DNS, e.result.Timings.Connect, e.result.Timings.TLS = e.conn.dns, e.conn.connect, e.conn.tls
	}
}

func underlying(c net.Conn) *conn {
	if encrypted, ok := c.(*tls.Conn); ok {
		c = encrypted.NetConn()
	}
	own, _ := c.(*conn)
	return own
}

func (e *exchange) run(ctx context.Context, r *Request) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		e.result.Err, e.result.Kind = err, Invalid
		return
	}
	request.Header = withoutReplay(r.Header)
	response, err := e.sender.transport.RoundTrip(request)
	if err != nil {
		e.fail(err)
		return
	}
	e.result.Timings.FirstByte = e.sender.elapsed() - e.started
	e.result.Sent = true
	e.result.Status = response.StatusCode
	e.result.Header = keepHeader(response.Header)
	e.result.RetryAfter = retryAfter(response.Header.Get("Retry-After"), e.sender.now())
	e.result.Body, e.result.Truncated, err = keepBody(response)
	if err != nil {
		e.fail(err)
	}
}

// fail records why there is no answer, or only a part of one.
func (e *exchange) fail(err error) {
	e.result.Kind = kindOf(err, e.caller)
	e.result.Err = &failure{err}
	if e.conn != nil && (e.conn.seal() != e.writes || e.result.Status != 0) {
		e.result.Sent = true
	}
}

// withoutReplay hides the headers that make net/http send a request again after
// it was written: that would be a duplicate without a trace. On the wire they
// are the same, because the case of a header's name does not matter.
func withoutReplay(header http.Header) http.Header {
	for name, hidden := range replayed {
		if values, ok := header[name]; ok {
			header = header.Clone()
			delete(header, name)
			header[hidden] = values
		}
	}
	if header == nil {
		header = http.Header{}
	}
	return header
}

var replayed = map[string]string{"Idempotency-Key": "idempotency-key", "X-Idempotency-Key": "x-idempotency-key"}
