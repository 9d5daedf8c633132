package mail

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// senderTo is a sender to a server of a test.
func senderTo(t *testing.T, s *smtpServer, scheme, user, options string) *Sender {
	t.Helper()
	if user != "" {
		user += "@"
	}
	sender, err := NewSender(Config{URL: fmt.Sprintf("%s://%s127.0.0.1:%d%s", scheme, user, s.port(), options), Roots: s.roots, Hello: "billing.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

var credentials = url.UserPassword(testUser, testPassword).String()

func TestMessagesAreDelivered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server                *smtpServer
		scheme, user, options string
		secure                bool
	}{
		"plain on this machine": {&smtpServer{}, "smtp", "", "", false},
		"signed in":             {&smtpServer{extensions: []string{"SIZE 1000000", "AUTH PLAIN LOGIN"}}, "smtp", credentials, "", false},
		"STARTTLS":              {&smtpServer{extensions: []string{"STARTTLS", "auth PLAIN"}}, "smtp", credentials, "?tls=starttls", true},
		"LOGIN":                 {&smtpServer{extensions: []string{"STARTTLS", "AUTH LOGIN XOAUTH2"}}, "smtp", credentials, "?tls=starttls", true},
		"TLS":                   {&smtpServer{implicit: true, extensions: []string{"AUTH PLAIN"}}, "smtps", credentials, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := c.server.start(t)
			sender := senderTo(t, server, c.scheme, c.user, c.options)
			m := fullMessage()
			o := sender.Send(t.Context(), m)
			if o.State != Delivered || o.Code != 250 || o.Message != "2.0.0 queued as 17" || o.Missed != nil || o.Again(m) != nil {
				t.Fatalf("%+v", o)
			}
			taken := server.taken()
			if len(taken) != 1 {
				t.Fatalf("%d messages", len(taken))
			}
			got := taken[0]
			encoded, _ := m.Encode()
			if got.data != strings.ReplaceAll(string(encoded), "\r\n", "\n") {
				t.Errorf("the server got:\n%s", got.data)
			}
			if !strings.HasPrefix(got.from, "FROM:<billing@acme.example>") || !slices.Equal(got.to, []string{"TO:<ann@globex.example>", "TO:<bob@globex.example>"}) {
				t.Errorf("from %q to %q", got.from, got.to)
			}
			if strings.Contains(got.from, "SIZE=") != strings.HasPrefix(strings.Join(server.extensions, ""), "SIZE") {
				t.Errorf("from %q", got.from)
			}
			if got.secure != c.secure || (got.user == testUser) != (c.user != "") || sender.Encrypted() != c.secure {
				t.Errorf("encrypted: %v, user %q", got.secure, got.user)
			}
			if err := sender.Probe(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAnswersOfServersDecide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command, answer string
		want            State
		code            int
		message         string
	}{
		{"greeting", "554 go away", Deferred, 554, "was answered with 554 go away"},
		{"greeting", "421 busy", Deferred, 421, "busy"},
		{"greeting", "HTTP/1.1 400 Bad Request", Deferred, 0, "not answered by a mail server"},
		{"greeting", "drop", Deferred, 0, "the server closed the connection"},
		{"EHLO", "502 what?", Deferred, 502, "EHLO was answered with 502 what?"},
		{"EHLO", "250 x", Delivered, 250, "queued"},
		{"MAIL", "451 4.7.1 greylisted", Deferred, 451, "the sender billing@acme.example was answered with 451 4.7.1 greylisted"},
		{"MAIL", "552 5.3.4 too big", Refused, 552, "too big"},
		{"MAIL", "530 5.7.0 sign in first", Deferred, 530, "sign in first"},
		{"MAIL", "drop", Deferred, 0, "closed the connection"},
		{"RCPT", "550-5.1.1 no such\n550 5.1.1 mailbox", Refused, 550, "the recipient ann@globex.example was answered with 550 5.1.1 no such 5.1.1 mailbox"},
		{"RCPT", "450 4.2.0 later", Deferred, 450, "4.2.0 later"},
		{"RCPT", "421 shutting down", Deferred, 421, "shutting down"},
		{"RCPT", "251 forwarded", Delivered, 250, "queued"},
		{"RCPT", "drop", Deferred, 0, "closed the connection"},
		{"DATA", "554 no", Refused, 554, "DATA was answered with 554 no"},
		{"DATA", "250 what?", Deferred, 250, "what?"},
		{"DATA", "drop", Deferred, 0, "closed the connection"},
		{"data", "554 5.7.1 spam", Refused, 554, "the message was answered with 554 5.7.1 spam"},
		{"data", "452 4.3.1 full", Deferred, 452, "full"},
		{"QUIT", "500 never", Delivered, 250, "queued"},
		{"QUIT", "drop", Delivered, 250, "queued"},
	} {
		t.Run(c.command+" "+c.answer, func(t *testing.T) {
			t.Parallel()
			server := (&smtpServer{answers: map[string]string{c.command: c.answer}}).start(t)
			m := plainMessage()
			o := senderTo(t, server, "smtp", "", "").Send(t.Context(), m)
			if o.State != c.want || o.Code != c.code || !strings.Contains(o.Message, c.message) || o.Uncertain {
				t.Errorf("%+v", o)
			}
			if again := o.Again(m); slices.Equal(again, m.To) != (c.want == Deferred) {
				t.Errorf("again to %q", again)
			}
		})
	}
}

func TestARecipientWhoIsRefusedDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	m := plainMessage()
	m.To = []string{"ann@a.example", "bob@b.example", "eve@c.example"}
	for _, c := range []struct {
		answers map[string]string
		want    State
		taken   int
		again   []string
	}{
		{map[string]string{"RCPT TO:<bob": "550 unknown"}, Delivered, 1, nil},
		{map[string]string{"RCPT TO:<bob": "550 unknown", "RCPT TO:<eve": "451 later"}, Deferred, 1, []string{"eve@c.example"}},
		{map[string]string{"RCPT TO:<ann": "550 unknown", "RCPT TO:<bob": "450 later", "RCPT TO:<eve": "550 unknown"}, Deferred, 0, []string{"bob@b.example"}},
		{map[string]string{"RCPT": "550 unknown"}, Refused, 0, nil},
	} {
		server := (&smtpServer{answers: c.answers}).start(t)
		o := senderTo(t, server, "smtp", "", "").Send(t.Context(), m)
		if o.State != c.want || len(server.taken()) != c.taken || !slices.Equal(o.Again(m), c.again) {
			t.Errorf("%v: %+v, again %q", c.answers, o, o.Again(m))
		}
		if o.Missed[0].Message == "" || o.Missed[0].Code < 400 {
			t.Errorf("%+v", o.Missed)
		}
	}
}

func TestAMessageThatBreaksOffIsTriedAgain(t *testing.T) {
	t.Parallel()
	big := plainMessage()
	big.Text = strings.Repeat("a long message\n", 1<<20)
	server := (&smtpServer{answers: map[string]string{"body": "drop"}}).start(t)
	if o := senderTo(t, server, "smtp", "", "").Send(t.Context(), big); o.State != Deferred || o.Uncertain || len(server.taken()) != 0 {
		t.Errorf("broken off: %+v", o)
	}
	server = (&smtpServer{answers: map[string]string{"data": "drop"}}).start(t)
	if o := senderTo(t, server, "smtp", "", "").Send(t.Context(), plainMessage()); o.State != Deferred || !o.Uncertain || len(server.taken()) != 1 {
		t.Errorf("without an answer: %+v", o)
	}
}

func TestASlowServerIsGivenUpWithTheContext(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"EHLO", "MAIL", "RCPT", "DATA", "data"} {
		ctx, cancel := context.WithCancel(t.Context())
		server := &smtpServer{answers: map[string]string{command: "hang"}, after: func(line string) {
			if strings.HasPrefix(line, command) || command == "data" && line == "DATA" {
				cancel()
			}
		}}
		if o := senderTo(t, server.start(t), "smtp", "", "").Send(ctx, plainMessage()); o.State != Deferred || o.Code != 0 || !strings.Contains(o.Message, "given up") {
			t.Errorf("%s: %+v", command, o)
		}
	}
	server := (&smtpServer{answers: map[string]string{"greeting": "hang"}}).start(t)
	sender := senderTo(t, server, "smtp", "", "")
	sender.timeout = 10 * time.Millisecond
	if o := sender.Send(t.Context(), plainMessage()); o.State != Deferred || !strings.Contains(o.Message, "the time was over") {
		t.Errorf("%+v", o)
	}
	if err := sender.Probe(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	// A message that was taken stays delivered, whatever comes of the goodbye.
	ctx, cancel := context.WithCancel(t.Context())
	server = (&smtpServer{answers: map[string]string{"QUIT": "hang"}, after: func(line string) {
		if line == "QUIT" {
			cancel()
		}
	}}).start(t)
	if o := senderTo(t, server, "smtp", "", "").Send(ctx, plainMessage()); o.State != Delivered {
		t.Errorf("%+v", o)
	}
}

func TestAServerThatCannotBeReached(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	sender, err := NewSender(Config{URL: "smtp://" + credentials + "@" + address})
	if err != nil {
		t.Fatal(err)
	}
	o := sender.Send(t.Context(), plainMessage())
	if o.State != Deferred || !strings.Contains(o.Message, "no connection to smtp://"+address) {
		t.Errorf("%+v", o)
	}
}

func TestNothingIsSaidWithoutEncryption(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		server *smtpServer
		want   string
	}{
		"not offered":   {&smtpServer{extensions: []string{"AUTH PLAIN"}}, "does not offer STARTTLS"},
		"refused":       {&smtpServer{extensions: []string{"STARTTLS"}, answers: map[string]string{"STARTTLS": "454 not now"}}, "454 not now"},
		"said too much": {&smtpServer{extensions: []string{"STARTTLS"}, answers: map[string]string{"STARTTLS": "220 go on\n250-mail.test\n250 AUTH PLAIN"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := make(chan string, 100)
			c.server.after = func(line string) { said <- line }
			server := c.server.start(t)
			o := senderTo(t, server, "smtp", credentials, "?tls=starttls").Send(t.Context(), plainMessage())
			if o.State != Deferred || !strings.Contains(o.Message, c.want) || len(server.taken()) != 0 {
				t.Errorf("%+v", o)
			}
			for len(said) > 0 {
				if line := <-said; !strings.HasPrefix(line, "EHLO") && line != "STARTTLS" && line != "QUIT" {
					t.Errorf("said %q", line)
				}
			}
		})
	}
	server := (&smtpServer{extensions: []string{"STARTTLS", "AUTH PLAIN"}}).start(t)
	sender := senderTo(t, server, "smtp", credentials, "?tls=starttls")
	_, sender.tls.RootCAs = certificate(t) // trusts another
	if o := sender.Send(t.Context(), plainMessage()); o.State != Deferred || !strings.Contains(o.Message, "encryption failed") || len(server.taken()) != 0 {
		t.Errorf("%+v", o)
	}
}

func TestAWrongPasswordIsNotTheFaultOfTheMessage(t *testing.T) {
	t.Parallel()
	for _, ways := range []string{"AUTH PLAIN", "AUTH LOGIN", "AUTH CRAM-MD5", "SIZE"} {
		server := (&smtpServer{extensions: []string{ways}}).start(t)
		sender := senderTo(t, server, "smtp", "tenantry:wrong-one", "")
		o := sender.Send(t.Context(), plainMessage())
		if o.State != Deferred || !strings.Contains(o.Message, "sign-in") || strings.Contains(o.Message, "wrong-one") {
			t.Errorf("%s: %+v", ways, o)
		}
		if err := sender.Probe(t.Context()); err == nil {
			t.Errorf("%s: signed in", ways)
		}
	}
}

func TestAddressesOfOtherScripts(t *testing.T) {
	t.Parallel()
	m := plainMessage()
	m.To = []string{"jörg@müller.example"}
	old := (&smtpServer{}).start(t)
	if o := senderTo(t, old, "smtp", "", "").Send(t.Context(), m); o.State != Refused || !strings.Contains(o.Message, "SMTPUTF8") {
		t.Errorf("%+v", o)
	}
	able := (&smtpServer{extensions: []string{"SMTPUTF8"}}).start(t)
	if o := senderTo(t, able, "smtp", "", "").Send(t.Context(), m); o.State != Delivered || able.taken()[0].to[0] != "TO:<jörg@müller.example>" || !strings.HasSuffix(able.taken()[0].from, " SMTPUTF8") {
		t.Errorf("%+v", o)
	}
}

func TestAMessageThatCannotBeEncodedIsRefused(t *testing.T) {
	t.Parallel()
	server := (&smtpServer{}).start(t)
	m := plainMessage()
	m.To = []string{"ann@example.com>\r\nRCPT TO:<eve@evil.example"}
	if o := senderTo(t, server, "smtp", "", "").Send(t.Context(), m); o.State != Refused || len(server.taken()) != 0 {
		t.Errorf("%+v", o)
	}
}

func TestAServerThatTalksWithoutEnd(t *testing.T) {
	t.Parallel()
	server := (&smtpServer{answers: map[string]string{"EHLO": strings.Repeat("250-x\n", 1<<18) + "250 x"}}).start(t)
	if o := senderTo(t, server, "smtp", "", "").Send(t.Context(), plainMessage()); o.State != Deferred || len(o.Message) > 1000 {
		t.Errorf("%+v", o)
	}
}
