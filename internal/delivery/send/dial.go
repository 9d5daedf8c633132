package send

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/delivery/target"
)

// dialer makes connections where the policy allows and notes how long it took.
type dialer struct {
	plain, secure net.Dialer
	config        *tls.Config
	elapsed       func() time.Duration
	timeout       time.Duration
}

// sessions is how many receivers' TLS sessions are remembered, which makes the
// next handshake shorter.
const sessions = 256

func newDialer(policy *target.Policy, o *Options) *dialer {
	return &dialer{
		plain:  net.Dialer{Timeout: o.ConnectTimeout, Resolver: policy.Resolver, Control: policy.Control(false)},
		secure: net.Dialer{Timeout: o.ConnectTimeout, Resolver: policy.Resolver, Control: policy.Control(true)},
		config: &tls.Config{
			MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs, NextProtos: []string{"http/1.1"},
			ClientSessionCache: tls.NewLRUClientSessionCache(sessions),
		},
		elapsed: o.Elapsed, timeout: o.ConnectTimeout,
	}
}

func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.connect(ctx, &d.plain, network, address)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (d *dialer) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.connect(ctx, &d.secure, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	config := d.config.Clone()
	config.ServerName = host
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	started := d.elapsed()
	encrypted := tls.Client(c, config)
	if err := encrypted.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, &handshakeError{err}
	}
	c.tls = d.elapsed() - started
	return encrypted, nil
}

func (d *dialer) connect(ctx context.Context, dialer *net.Dialer, network, address string) (*conn, error) {
	c := &conn{}
	var lookup atomic.Int64
	var asked time.Duration
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { asked = d.elapsed() },
		DNSDone:  func(httptrace.DNSDoneInfo) { lookup.Store(int64(d.elapsed() - asked)) },
	})
	started := d.elapsed()
	made, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.Conn, c.address = made, made.RemoteAddr().String()
	c.dns = time.Duration(lookup.Load())
	c.connect = d.elapsed() - started - c.dns
	return c, nil
}

// handshakeError tells a failure of TLS from one of the network under it.
type handshakeError struct{ error }

func (h *handshakeError) Unwrap() error { return h.error }

// conn is a connection that knows how it came about, and whether anything was
// written to it.
type conn struct {
	net.Conn
	address           string
	dns, connect, tls time.Duration

	writes atomic.Int64
	sealed atomic.Bool
	// until is when the request under way is given up.
	until atomic.Pointer[time.Time]
}

var errSealed = errors.New("the request was given up")

// Write counts before it looks whether it is too late, and seal does the two
// in the other order: so either seal sees the count, or nothing is written.
func (c *conn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	if c.sealed.Load() || c.isLate() {
		return 0, errSealed
	}
	return c.Conn.Write(b)
}

// isLate looks at the clock on the wall: in a process that stood still, or on a
// machine that did, nobody may have noticed yet that the time is over.
func (c *conn) isLate() bool {
	until := c.until.Load()
	return until != nil && time.Until(until.Round(0)) < 0
}

// seal lets nothing more be written and returns how often it was. Its request
// has failed, so net/http does not use the connection again.
func (c *conn) seal() int64 {
	c.sealed.Store(true)
	return c.writes.Load()
}
