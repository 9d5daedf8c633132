package console

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// reminded are the e-mails about an invoice, to be found for the steps that sent them.
type reminded struct {
	emails []email.Email
	zone   *time.Location
}

func reminders(c *call, i *document.Invoice) (r reminded, err error) {
	if r.zone, err = c.service.Calendar.TimeZone(c.ctx()); err != nil {
		return r, err
	}
	r.emails, err = store.EmailsOfInvoices(c.ctx(), c.q(), []billing.InvoiceID{i.ID})
	return r, err
}

// carried says that a step was carried out, and what has become of its e-mail if the
// customer does not have it.
func (r reminded) carried(s *dunning.Carried) ui.Cell {
	if s.Action != dunning.Remind {
		return ui.Plain("done")
	}
	at := slices.IndexFunc(r.emails, func(e email.Email) bool {
		return e.Template == s.Template && billing.DateOf(e.At, r.zone) == s.On
	})
	if at < 0 {
		return ui.Plain("done").WithSub("No e-mail is recorded of it: no mail server was set up then, or it was forgotten since.")
	}
	e := &r.emails[at]
	words := map[email.State]string{email.Sent: "done", email.Waiting: "done, the e-mail waits to be sent", email.Failed: "done, the e-mail failed", email.NotSent: "done, the e-mail was not sent"}
	cell := ui.Linked(words[e.State], emailHref(e.ID))
	if e.State != email.Sent {
		cell.Sub = e.Reason
	}
	return cell
}
