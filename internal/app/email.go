package app

import (
	"context"
	"net/url"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
)

// keepEmail is how long e-mail is kept: for as long as somebody may ask whether a customer
// was told.
const keepEmail = 400 * 24 * time.Hour

// emailConfig is how e-mail is sent.
type emailConfig struct{ server, from string }

func (f *flags) email(c *emailConfig) {
	f.StringVar(&c.server, "smtp", "", "mail server for e-mail to customers: smtp://USER:PASSWORD@HOST:587 or smtps://…")
	f.StringVar(&c.from, "email-from", "", "address that e-mail to customers comes from")
}

// check refuses what cannot work. It does not repeat the address of the server, which has
// a password in it.
func (c *emailConfig) check() error {
	if c.server == "" {
		if c.from != "" {
			return usage("--email-from needs --smtp: the mail server, such as smtp://user:password@mail.example.com:587")
		}
		return nil
	}
	if _, err := c.sender(""); err != nil {
		return usage("--smtp: %s", err)
	}
	if err := billing.CheckEmail("email-from", c.from); err != nil {
		return usage("--smtp needs --email-from: the address that e-mail comes from, such as billing@example.com")
	}
	return nil
}

// sender hands messages to the mail server. base is the address of this server.
func (c *emailConfig) sender(base string) (*mail.Sender, error) {
	config := mail.Config{URL: c.server}
	if u, err := url.Parse(base); err == nil {
		config.Hello = u.Hostname()
	}
	return mail.NewSender(config)
}

// setUpEmail has e-mail to customers sent if there is a mail server, and shown on a
// developer's machine.
func (s *server) setUpEmail(ctx context.Context) (err error) {
	mode := email.Off
	switch {
	case s.config.email.server != "":
		mode = email.Send
		if s.service.Mailing.Sender, err = s.config.email.sender(s.config.baseURL); err != nil {
			return err
		}
		s.service.Mailing.From = s.config.email.from
	case onLoopback(s.config.listen, s.config.baseURL):
		mode = email.Mailbox
	}
	return s.service.Mailing.SetMode(ctx, mode)
}
