package mail

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"time"
)

// received is a message that a server has taken.
type received struct {
	from string
	to   []string
	data string
	// secure and user say how it came.
	secure bool
	user   string
}

// smtpServer is a mail server on this machine. It does what the protocol says, except
// where a test has another answer.
type smtpServer struct {
	// answers are given instead of the usual ones, by the beginning of the line. The
	// answer "drop" closes the connection, "hang" leaves it open without a word.
	// "greeting" and "data" stand for the first line and the end of a message.
	answers map[string]string
	// extensions follow the greeting.
	extensions []string
	// implicit encrypts from the first byte on.
	implicit bool
	// after is called with every line.
	after func(line string)

	listener net.Listener
	config   *tls.Config
	roots    *x509.CertPool
	mu       sync.Mutex
	messages []received
	done     chan struct{}
	sessions sync.WaitGroup
}

const testUser, testPassword = "tenantry", "s3cr3t p@ss/word?#%"

// start listens until the test ends.
func (s *smtpServer) start(t *testing.T) *smtpServer {
	t.Helper()
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.done = make(chan struct{})
	s.config, s.roots = certificate(t)
	s.sessions.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			s.sessions.Go(func() {
				defer conn.Close()
				s.serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		close(s.done)
		s.listener.Close()
		s.sessions.Wait()
	})
	return s
}

func (s *smtpServer) port() int { return s.listener.Addr().(*net.TCPAddr).Port }

func (s *smtpServer) taken() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages
}

// session is the server's side of a connection.
type session struct {
	*smtpServer
	conn    net.Conn
	text    *textproto.Conn
	current received
	secure  bool
	user    string
}

func (s *smtpServer) serve(conn net.Conn) {
	secure := s.implicit
	if secure {
		conn = tls.Server(conn, s.config)
	}
	c := &session{smtpServer: s, conn: conn, text: textproto.NewConn(conn), secure: secure}
	if !c.answer("greeting", "220 mail.test ESMTP") {
		return
	}
	for {
		line, err := c.text.ReadLine()
		if err != nil {
			return
		}
		if s.after != nil {
			s.after(line)
		}
		if !c.handle(line) {
			return
		}
	}
}

// answer writes what the test wants, or the usual. It is false if the session ends.
func (c *session) answer(line, usual string) bool {
	for begin, other := range c.answers {
		if strings.HasPrefix(line, begin) {
			usual = other
		}
	}
	switch usual {
	case "drop":
		return false
	case "hang":
		<-c.done
		return false
	}
	_, err := io.WriteString(c.conn, strings.ReplaceAll(usual, "\n", "\r\n")+"\r\n")
	return err == nil
}

func (c *session) handle(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "EHLO":
		lines := append([]string{"mail.test greets " + rest}, c.extensions...)
		text := ""
		for i, l := range lines {
			text += fmt.Sprintf("250%s%s\n", map[bool]string{true: " ", false: "-"}[i == len(lines)-1], l)
		}
		return c.answer(line, strings.TrimSuffix(text, "\n"))
	case "STARTTLS":
		if !c.answer(line, "220 go on") {
			return false
		}
		c.conn = tls.Server(c.conn, c.config)
		c.text, c.secure = textproto.NewConn(c.conn), true
		return true
	case "AUTH":
		return c.authenticate(line, rest)
	case "MAIL":
		c.current = received{from: rest, secure: c.secure, user: c.user}
		return c.answer(line, "250 ok")
	case "RCPT":
		c.current.to = append(c.current.to, rest)
		return c.answer(line, "250 ok")
	case "DATA":
		return c.data(line)
	case "QUIT":
		c.answer(line, "221 bye")
		return false
	}
	return c.answer(line, "500 unknown command")
}

func (c *session) authenticate(line, rest string) bool {
	var user, password string
	if first, found := strings.CutPrefix(rest, "PLAIN "); found {
		decoded, _ := base64.StdEncoding.DecodeString(first)
		if parts := strings.Split(string(decoded), "\x00"); len(parts) == 3 {
			user, password = parts[1], parts[2]
		}
	} else {
		for _, into := range []*string{&user, &password} {
			c.answer("", "334 VXNlcm5hbWU6")
			answer, _ := c.text.ReadLine()
			decoded, _ := base64.StdEncoding.DecodeString(answer)
			*into = string(decoded)
		}
	}
	if user != testUser || password != testPassword {
		return c.answer("", "535 5.7.8 wrong password")
	}
	c.user = user
	return c.answer(line, "235 welcome")
}

func (c *session) data(line string) bool {
	if other := c.answers["DATA"]; other != "" {
		return c.answer(line, other)
	}
	if !c.answer(line, "354 go on") {
		return false
	}
	if c.answers["body"] == "drop" {
		_, _ = c.text.ReadLine()
		return false
	}
	data, err := c.text.ReadDotBytes()
	if err != nil {
		return false
	}
	c.current.data = string(data)
	c.mu.Lock()
	c.messages = append(c.messages, c.current)
	c.mu.Unlock()
	return c.answer("data", "250 2.0.0 queued as 17")
}

// certificate makes one for this machine, and the pool that trusts it.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, roots
}
