package mailing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// atOnce is how many messages are sent at once.
	atOnce = 8
	// claimFor is how long nobody else sends to an account: longer than a message takes.
	claimFor = 5 * time.Minute
	// grace is how long messages may take when the server stops. What is not answered
	// then is sent again later, as the same message.
	grace = 5 * time.Second
	// longestPause is between two looks for a mail server that is not there.
	longestPause = time.Minute
)

// RunEmails sends the e-mail that is due, some messages at once and one to each account.
// It returns how many it has dealt with, and if none, when to look again: zero if nothing
// is to come. Only one goroutine calls it.
func (s *Service) RunEmails(ctx context.Context) (done int, next time.Time, err error) {
	if s.Sender == nil {
		return 0, next, nil
	}
	next, found, err := store.NextEmail(ctx, s.Read())
	if err != nil || !found {
		return 0, time.Time{}, err
	}
	now := s.Store.Now()
	if s.resume.After(next) {
		next = s.resume
	}
	if next.After(now) {
		return 0, next, nil
	}
	limit := atOnce
	if s.down > 0 {
		limit = 1 // to see whether it is there again
	}
	var due []email.Email
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		due, err = store.ClaimEmails(ctx, tx, tx.Now.Add(claimFor), limit)
		return err
	})
	if err != nil || len(due) == 0 {
		return 0, now.Add(time.Second), err // others are at it
	}
	return len(due), next, s.sendAll(ctx, due)
}

// attempt is an e-mail with what has come of it.
type attempt struct {
	*email.Email
	outcome email.Outcome
	reason  string
	// drop says that it is not sent, for the reason.
	drop bool
}

// sendAll sends messages and records what has come of them.
func (s *Service) sendAll(ctx context.Context, due []email.Email) error {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	attempts := make([]attempt, len(due))
	var all sync.WaitGroup
	for n := range due {
		all.Go(func() { attempts[n] = s.send(sending, &due[n]) })
	}
	all.Wait()
	var failed []error
	for n := range attempts {
		failed = append(failed, s.record(context.WithoutCancel(ctx), &attempts[n]))
	}
	return errors.Join(append(failed, s.noteServer(attempts))...)
}

// noteServer notes whether the mail server is there, and returns what is wrong with it.
func (s *Service) noteServer(attempts []attempt) error {
	var away string
	for n := range attempts {
		switch a := &attempts[n]; {
		case a.drop:
		case a.outcome != email.Unreachable:
			s.down, s.resume = 0, time.Time{}
			return nil
		default:
			away = a.reason
		}
	}
	if away == "" {
		return nil // nothing was sent
	}
	s.down++
	s.resume = s.Store.Now().Add(min(longestPause, time.Second<<min(s.down, 6)))
	return fmt.Errorf("the mail server cannot be reached, so e-mail waits: %s", away)
}

// send hands a message to the mail server. No transaction is open meanwhile.
func (s *Service) send(ctx context.Context, e *email.Email) (a attempt) {
	a.Email = e
	message, reason, err := s.message(ctx, e)
	switch {
	case err != nil:
		a.outcome, a.reason = email.Deferred, "It could not be put together: "+err.Error()
		return a
	case reason != "":
		a.drop, a.reason = true, reason
		return a
	}
	o := s.Sender.Send(ctx, *message)
	a.reason = o.Message
	switch {
	case o.State == mail.Delivered:
		a.outcome = email.Taken
	case o.State == mail.Refused:
		a.outcome = email.Refused
	case o.Unreachable:
		a.outcome = email.Unreachable
	default:
		a.outcome = email.Deferred
	}
	return a
}

// message is an e-mail as it is sent, or why it is not sent any more.
func (s *Service) message(ctx context.Context, e *email.Email) (m *mail.Message, reason string, err error) {
	defer operation.Recovered(&err)
	if reason, err = s.outdated(ctx, e); err != nil || reason != "" {
		return nil, reason, err
	}
	entity, err := store.Entities.Get(ctx, s.Read(), e.EntityID)
	if err != nil {
		return nil, "", err
	}
	_, host, _ := strings.Cut(s.From, "@")
	m = &mail.Message{
		From: s.From, To: []string{e.To}, Subject: e.Subject, Text: e.Text, HTML: e.HTML, ID: fmt.Sprintf("%s.%d@%s", e.UUID, e.Copies, host), Date: s.Store.Now(),
	}
	if entity != nil {
		m.FromName = entity.Name
		if entity.Email != nil && *entity.Email != s.From {
			m.ReplyTo = *entity.Email
		}
	}
	m.Attachments, err = s.Attachments(ctx, e)
	return m, "", err
}

// outdated is why an e-mail is not worth sending any more, empty if it is.
func (s *Service) outdated(ctx context.Context, e *email.Email) (reason string, err error) {
	switch e.Template {
	case mail.DueSoon, mail.Reminder, mail.LastReminder, mail.PaymentFailed:
		if e.InvoiceID == nil || e.Copies > 0 {
			return "", nil
		}
		i, err := store.Invoices.Get(ctx, s.Read(), *e.InvoiceID)
		if err == nil && (i == nil || i.AmountDue() <= 0) {
			reason = email.Settled
		}
		return reason, err
	case mail.MethodExpires:
		if e.PaymentMethodID == nil || e.Copies > 0 {
			return "", nil
		}
		a, err := store.Accounts.Get(ctx, s.Read(), e.AccountID)
		if err == nil && (a == nil || a.PaymentMethodID == nil || *a.PaymentMethodID != *e.PaymentMethodID) {
			reason = email.Removed
		}
		return reason, err
	}
	return "", nil
}

// record writes what has come of an attempt.
func (s *Service) record(ctx context.Context, a *attempt) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		e := *a.Email
		if a.drop {
			e.Drop(a.reason)
		} else {
			e.Take(a.outcome, a.reason, 0.8+0.4*rand.Float64(), tx.Now)
		}
		return store.SaveEmail(ctx, tx, &e)
	})
}

// ForgetOld removes e-mail that was recorded long ago, in small transactions, unless
// nobody knows what time it is.
func (s *Service) ForgetOld(ctx context.Context, kept time.Duration) error {
	for {
		var n int64
		err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if n = 0; tx.Unsure {
				return nil
			}
			n, err = store.ForgetEmails(ctx, tx, tx.Now.Add(-kept), operation.ForgetBatch)
			return err
		})
		if err != nil || n < operation.ForgetBatch {
			return err
		}
	}
}
