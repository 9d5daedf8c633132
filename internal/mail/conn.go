package mail

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strings"
	"time"
)

const (
	// maxAnswers bounds what a server may say in a session, in bytes.
	maxAnswers = 64 << 10
	// maxAnswer bounds what is kept of an answer for people, in characters.
	maxAnswer = 300
	// goodbye is how long the answer to QUIT may take.
	goodbye = 2 * time.Second
)

// conn is a session with a mail server.
type conn struct {
	ctx   context.Context
	raw   net.Conn
	text  *textproto.Conn
	input *bufio.Reader
	// release ends the watch over the context.
	release    func() bool
	extensions map[string]string
}

// newConn takes a connection over. It breaks when the context ends.
func newConn(ctx context.Context, raw net.Conn) *conn {
	c := &conn{ctx: ctx}
	c.release = context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })
	c.use(raw)
	return c
}

func (c *conn) use(raw net.Conn) {
	c.raw = raw
	c.input = bufio.NewReader(io.LimitReader(raw, maxAnswers))
	c.text = &textproto.Conn{Reader: *textproto.NewReader(c.input), Writer: *textproto.NewWriter(bufio.NewWriter(raw))}
}

func (c *conn) close() {
	c.release()
	_ = c.raw.Close()
}

// quit says goodbye. What the server answers does not matter any more, but some count
// it as an error if nobody waits for it.
func (c *conn) quit() {
	ctx, cancel := context.WithTimeout(c.ctx, goodbye)
	defer cancel()
	raw := c.raw
	defer context.AfterFunc(ctx, func() { _ = raw.SetDeadline(time.Unix(1, 0)) })()
	_, _ = c.command("QUIT", 221, "QUIT")
	c.close()
}

// encrypt goes on over TLS.
func (c *conn) encrypt(ctx context.Context, config *tls.Config) error {
	if c.input.Buffered() > 0 {
		// It would be taken for an encrypted answer.
		return errors.New("the server went on talking before the encryption began")
	}
	secure := tls.Client(c.raw, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("encryption failed: %w", err)
	}
	c.use(secure)
	return nil
}

// command sends a line and reads the answer, which must have the code or, for a code
// of one digit, begin with it. What is said of it in errors is given apart, as a line
// may be secret.
func (c *conn) command(said string, want int, line string) (reply, error) {
	if err := c.text.PrintfLine("%s", line); err != nil {
		return reply{}, fmt.Errorf("%s could not be sent: %w", said, err)
	}
	return c.read(said, want)
}

func (c *conn) read(said string, want int) (reply, error) {
	code, text, err := c.text.ReadResponse(want)
	if err == nil {
		return reply{code, text}, nil
	}
	if refused, ok := errors.AsType[*textproto.Error](err); ok {
		return reply{}, &unexpected{said, reply{refused.Code, short(refused.Msg)}}
	}
	if protocol, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return reply{}, fmt.Errorf("%s was not answered by a mail server: %s", said, short(protocol.Error()))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the server closed the connection")
	}
	return reply{}, fmt.Errorf("%s was not answered: %w", said, err)
}

// short is what is shown of an answer.
func short(answer string) string { return clipRunes(oneLine(answer), maxAnswer) }

// ehlo greets the server and learns what it can do.
func (c *conn) ehlo(name string) error {
	answer, err := c.command("EHLO", 250, "EHLO "+name)
	if err != nil {
		return err
	}
	c.extensions = map[string]string{}
	for i, line := range strings.Split(answer.text, "\n") {
		if i == 0 {
			continue // the name of the server
		}
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		c.extensions[strings.ToUpper(name)] = strings.ToUpper(rest)
	}
	return nil
}

func (c *conn) has(extension string) bool {
	_, has := c.extensions[extension]
	return has
}

// signIn proves who we are, by PLAIN or, where a server has nothing else, LOGIN.
func (c *conn) signIn(user, password string) error {
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	ways := strings.Fields(c.extensions["AUTH"])
	var err error
	switch {
	case slices.Contains(ways, "PLAIN"):
		_, err = c.command("the sign-in", 235, "AUTH PLAIN "+encode("\x00"+user+"\x00"+password))
	case slices.Contains(ways, "LOGIN"):
		for _, step := range []struct {
			line string
			want int
		}{{"AUTH LOGIN", 334}, {encode(user), 334}, {encode(password), 235}} {
			if _, err = c.command("the sign-in", step.want, step.line); err != nil {
				break
			}
		}
	default:
		err = errors.New("the server offers no sign-in with a password (AUTH PLAIN or LOGIN)")
	}
	return err
}
