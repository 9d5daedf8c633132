package app_test

import (
	"bufio"
	"net"
	"strings"
	"sync"
	"testing"
)

// mailServer takes every message, on a loopback address without encryption.
type mailServer struct {
	url  string
	mu   sync.Mutex
	data []string
}

func newMailServer(t *testing.T) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &mailServer{url: "smtp://" + l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.talk(c)
		}
	}()
	return s
}

func (s *mailServer) talk(c net.Conn) {
	defer c.Close()
	say := func(line string) { _, _ = c.Write([]byte(line + "\r\n")) }
	in := bufio.NewScanner(c)
	in.Buffer(nil, 16<<20)
	say("220 ready")
	for in.Scan() {
		switch verb, _, _ := strings.Cut(in.Text(), " "); strings.ToUpper(verb) {
		case "EHLO":
			say("250 hello")
		case "DATA":
			say("354 go on")
			var lines []string
			for in.Scan() && in.Text() != "." {
				lines = append(lines, in.Text())
			}
			s.mu.Lock()
			s.data = append(s.data, strings.Join(lines, "\n"))
			s.mu.Unlock()
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("250 ok")
		}
	}
}

func (s *mailServer) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.data...)
}

// TestEmailIsSent starts a server with a mail server and bills a customer, who gets the
// invoice and then the receipt.
func TestEmailIsSent(t *testing.T) {
	t.Parallel()
	post := newMailServer(t)
	s := inside(t, known, "--data-dir", t.TempDir(), "--smtp", post.url, "--email-from", "billing@example.com")
	token := s.firstToken(t)
	for _, mutation := range []string{
		`entityCreate(attributes: {code: "main", name: "Seller", country: "DE", invoicingStartsOn: "2020-01-01"})`,
		`accountCreate(attributes: {name: "Acme", billingDay: 1, billingCountry: "DE", invoiceEmail: "ap@acme.example"})`,
		`invoiceCreate(accountId: 1, attributes: {currencyId: "EUR", items: [{lineText: "Set-up", amount: "100.00"}]})`,
		`paymentCreate(attributes: {accountId: 1, amount: "119.00", currencyId: "EUR"})`,
	} {
		if a := ask(t, s.url, token, "mutation { "+mutation+" { errors } }", nil); !strings.Contains(a.body, `"errors":null`) {
			t.Fatalf("%s: %s", mutation, a.body)
		}
	}
	eventually(t, patience, "two messages", func() bool { return len(post.got()) == 2 })
	first, second := post.got()[0], post.got()[1]
	for _, want := range []string{"From: \"Seller\"\n <billing@example.com>", "To: ap@acme.example", "Subject: Invoice INV-", "application/pdf"} {
		if !strings.Contains(first, want) {
			t.Errorf("the first message has no %q:\n%.2000s", want, first)
		}
	}
	if !strings.Contains(second, "Thank you for your payment.") {
		t.Errorf("the second message:\n%.2000s", second)
	}
}

// TestEmailFlags refuses settings with which no e-mail could be sent, and keeps the
// password to itself.
func TestEmailFlags(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--email-from needs --smtp":   {"--email-from", "billing@example.com"},
		"--smtp needs --email-from":   {"--smtp", "smtp://user:sesame@mail.example.com"},
		"must begin with smtp://":     {"--smtp", "http://user:sesame@mail.example.com", "--email-from", "billing@example.com"},
		"the address that e-mail com": {"--smtp", "smtp://user:sesame@mail.example.com", "--email-from", "nobody"},
	} {
		done := command(t, known, append([]string{"serve", "--data-dir", t.TempDir()}, args...)...)
		if done.code != 2 || !strings.Contains(done.stderr, want) || strings.Contains(done.stderr, "sesame") {
			t.Errorf("%q: %d %s", args, done.code, done.stderr)
		}
	}
}
