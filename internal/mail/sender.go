package mail

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"time"
)

// Config is what a Sender needs.
type Config struct {
	// URL is the address of the server: smtp://user:password@host:587 or
	// smtps://user:password@host:465. With smtp, a connection is encrypted by STARTTLS
	// or not used at all, unless the host is this one (localhost) or the option
	// ?tls=none is given. ?tls=starttls asks for it on localhost too.
	URL string
	// Hello is the name that the sender gives itself, empty for localhost.
	Hello string
	// Roots are the certificates that are trusted, nil for those of the system.
	Roots *x509.CertPool
	// Timeout bounds one message, 0 for two minutes. It ends earlier with its context.
	Timeout time.Duration
}

const defaultTimeout = 2 * time.Minute

// Sender hands messages to a mail server, over a connection for each. It can be used
// by many goroutines.
type Sender struct {
	server  server
	hello   string
	timeout time.Duration
	tls     *tls.Config
}

// NewSender returns a sender. It connects to nothing yet. Its errors do not have the
// password in them.
func NewSender(config Config) (*Sender, error) {
	to, err := parseServer(config.URL)
	if err != nil {
		return nil, err
	}
	hello := cmp.Or(config.Hello, "localhost")
	if !isASCII(hello) || oneLine(hello) != hello || len(hello) > maxAddress {
		return nil, fmt.Errorf("%.60q is not a name to greet a mail server with: write one such as billing.example.com", hello)
	}
	return &Sender{
		server: to, hello: hello, timeout: cmp.Or(config.Timeout, defaultTimeout),
		tls: &tls.Config{ServerName: to.host, RootCAs: config.Roots, MinVersion: tls.VersionTLS12},
	}, nil
}

// String is the address of the server without the user and the password.
func (s *Sender) String() string { return s.server.String() }

// GoString keeps the password out of %#v too.
func (s *Sender) GoString() string { return s.server.String() }

// Encrypted reports whether messages and the password are encrypted on their way to
// the server.
func (s *Sender) Encrypted() bool { return s.server.encryption != noTLS }

// Probe connects and signs in, and sends nothing.
func (s *Sender) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	c, err := s.connect(ctx)
	if err != nil {
		return err
	}
	c.quit()
	return nil
}

// Send hands a message to the server and says what has come of it. A message that
// cannot be encoded is Refused.
func (s *Sender) Send(ctx context.Context, m Message) Outcome {
	encoded, err := m.Encode()
	if err != nil {
		return Outcome{State: Refused, Message: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	c, err := s.connect(ctx)
	if err != nil {
		o := deferred(err)
		o.Unreachable = true
		return o
	}
	defer c.close()
	o := c.deliver(m, encoded)
	if o.Code > 0 {
		c.quit()
	}
	return o
}

// connect connects, encrypts and signs in. Whatever goes wrong is the same for every
// message, so none is to blame.
func (s *Sender) connect(ctx context.Context) (*conn, error) {
	raw, err := new(net.Dialer).DialContext(ctx, "tcp", s.server.address())
	if err != nil {
		return nil, fmt.Errorf("no connection to %s: %w", s.server, plainly(ctx, err))
	}
	c := newConn(ctx, raw)
	if err := s.greet(ctx, c); err != nil {
		c.close()
		return nil, fmt.Errorf("no session with %s: %w", s.server, plainly(ctx, err))
	}
	return c, nil
}

func (s *Sender) greet(ctx context.Context, c *conn) error {
	if s.server.encryption == alwaysTLS {
		if err := c.encrypt(ctx, s.tls); err != nil {
			return err
		}
	}
	if _, err := c.read("the connection", 220); err != nil {
		return err
	}
	if err := c.ehlo(s.hello); err != nil {
		return err
	}
	if s.server.encryption == startTLS {
		if !c.has("STARTTLS") {
			return errors.New("the server does not offer STARTTLS: use its encrypted port with smtps://, or allow an unencrypted connection with ?tls=none")
		}
		if _, err := c.command("STARTTLS", 220, "STARTTLS"); err != nil {
			return err
		}
		if err := c.encrypt(ctx, s.tls); err != nil {
			return err
		}
		// What was said before may have been said by somebody else.
		if err := c.ehlo(s.hello); err != nil {
			return err
		}
	}
	if s.server.user == "" {
		return nil
	}
	return c.signIn(s.server.user, s.server.password)
}

// deferred is the outcome of an error that is not about the message.
func deferred(err error) Outcome {
	o := Outcome{State: Deferred, Message: err.Error()}
	if answer, ok := errors.AsType[*unexpected](err); ok {
		o.Code = answer.code
	}
	return o
}

// plainly says that the time is over where the connection only knows that it was
// closed.
func plainly(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the time was over: %w", context.DeadlineExceeded)
	case ctx.Err() != nil:
		return fmt.Errorf("it was given up: %w", ctx.Err())
	}
	return err
}
