package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/store"
)

// probeTime is how long a mail server may take to answer.
const probeTime = 10 * time.Second

// checkMailServer signs in at the mail server, and sends nothing.
func checkMailServer(ctx context.Context, p *Patient) ([]Finding, error) {
	if p.MailServer == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := p.MailServer(ctx); err != nil {
		return []Finding{{Level: Problem, Subject: "--smtp", Message: err.Error(), Remedy: "correct --smtp, or mend the mail server; e-mail waits until then"}}, nil
	}
	return nil, nil
}

// emailLate is how long e-mail may be due before somebody should look.
const emailLate = 15 * time.Minute

// checkEmail finds e-mail that nobody sends, and e-mail that could not be delivered.
func checkEmail(ctx context.Context, p *Patient) (found []Finding, err error) {
	q := p.store.Queries()
	due, waits, err := store.NextEmail(ctx, q)
	if err != nil {
		return nil, err
	}
	if late := p.Now().Sub(due); waits && late > emailLate {
		found = append(found, Finding{Level: Warning, Subject: "e-mail", Message: fmt.Sprintf("e-mail should have been sent %s ago", late.Round(time.Minute)),
			Remedy: "start the servers with --smtp and --email-from, and look at their log"})
	}
	failed, err := store.Emails.Count(ctx, q, billing.Filter{Terms: []billing.Term{{Field: "state", Op: billing.Equal, Value: string(email.Failed)}}})
	if err == nil && failed > 0 {
		found = append(found, Finding{Level: Warning, Subject: "e-mail", Message: fmt.Sprintf("%d messages to customers could not be delivered", failed),
			Remedy: "look at them in the console under E-mail (state:failed), correct the addresses, and send them again"})
	}
	return found, err
}
