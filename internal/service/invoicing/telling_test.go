package invoicing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestEmailWaitsForItsAccountAlone defers a message. What is newer for the same account
// waits for it, and other accounts do not.
func TestEmailWaitsForItsAccountAlone(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		later := true
		post.answer = func(m mail.Message) mail.Outcome {
			if later && m.To[0] == "ap@acme.example" {
				return mail.Outcome{State: mail.Deferred, Code: 451, Message: "451 later"}
			}
			return mail.Outcome{State: mail.Delivered}
		}
		for _, name := range []string{"acme", "bolt"} {
			o.pays(o.bills(name, invoiced), "119.00")
		}
		o.OK(o.sendAll())
		o.Equal("while the first is deferred", o.emails(), "invoice WAITING; receipt WAITING; invoice SENT; receipt SENT")
		later = false
		o.Clock.Advance(3 * time.Second)
		o.OK(o.sendAll())
		o.Equal("before the delay of a webhook is over", len(post.taken), 2)
		o.Clock.Advance(4 * time.Second)
		o.OK(o.sendAll())
		var order []string
		for _, m := range post.taken[2:] {
			order = append(order, m.To[0]+" "+strings.Fields(m.Subject)[0])
		}
		o.Equal("afterwards, in order", order, []string{"ap@acme.example Invoice", "ap@acme.example We"})
	})
}

// TestWhatIsAttached sends each kind of message, those about a document with its file.
func TestWhatIsAttached(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		o.collects()
		p := o.policy("usual", "-3 REMIND", "1 COLLECT", "3 REMIND", "4 REMIND")
		o.dunned(servicetest.Must[*dunning.Policy](o.World)(invoicing.DunningPolicies.Update(o.Ctx, o.Invoicing.Runner, p.ID, func(p *dunning.Policy) error {
			p.Steps[0].Template, p.Steps[3].Template = dunning.TemplateDueSoon, dunning.TemplateLastReminder
			return nil
		})))
		i := o.bills("acme", invoiced)
		o.days(i.DueAt.String())
		o.method(i.AccountID, "expires:2026-03:declined")
		o.days(i.DueAt.AddDays(4).String())
		o.OK(o.sendAll())
		o.pays(i, "119.00")
		o.OK(second(o.Invoicing.InvoiceCredit(o.Ctx, i.ID, nil, "Mistake")))
		o.days("2026-03-02")
		o.OK(o.sendAll())
		attached := map[string]string{}
		for n, template := range strings.Fields(o.QueryText(`SELECT string_agg(template, ' ' ORDER BY id) FROM email WHERE stage = 'SENT'`)) {
			if _, known := attached[template]; known {
				continue // of the next invoice
			}
			attached[template] = ""
			for _, file := range post.taken[n].Attachments {
				attached[template] += file.Name
				if !strings.HasPrefix(string(file.Data), "%PDF-") {
					t.Errorf("%s has something else than a PDF", template)
				}
			}
		}
		file := i.Number + ".pdf"
		o.Equal("attached", attached, map[string]string{
			"invoice": file, "due-soon": file, "reminder": file, "last-reminder": file, "credit-note": "CN-2026-000001.pdf", "receipt": "", "payment-failed": "", "method-expires": "",
		})
	})
}

// TestExpiryOfAMethodThatWasReplaced tells nobody of a payment method that is not used any
// more, not even if the message was recorded before.
func TestExpiryOfAMethodThatWasReplaced(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		o.collects()
		a := o.customer("acme", invoiced)
		o.method(a.ID, "expires:2026-03:ok")
		o.days("2026-03-02")
		o.Equal("recorded", o.emails(), "method-expires WAITING")
		o.method(a.ID, "ok")
		o.OK(o.sendAll())
		o.days("2026-03-28")
		o.OK(o.sendAll())
		o.Equal("sent", len(post.taken), 0)
		o.Equal("why", o.QueryText(`SELECT count(*) || ' ' || max(reason) FROM email`), "1 "+email.Removed)
	})
}

// TestExpiryOnATestClock tells of it by the clock, however far that is advanced at once, and
// sends nothing.
func TestExpiryOnATestClock(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		clock := o.NewClock("2026-01-15 00:00")
		o.method(o.AccountOn("tested", &clock.ID).ID, "expires:2026-03:ok")
		_, _, err := o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment("2026-04-15 12:00"))
		o.OK(err)
		o.OK(o.sendAll())
		var told []string
		for _, e := range servicetest.Must[[]email.Email](o.World)(store.Emails.List(o.Ctx, o.Read(), store.Page{Limit: 10})) {
			told = append(told, fmt.Sprintf("%s %s: %s, %s", e.At.Format(time.DateOnly), e.Template, e.Subject, e.Reason))
		}
		slices.Sort(told)
		o.Equal("told", told, []string{
			"2026-03-01 method-expires: Your payment method expires in 30 days, " + email.OnTestClock,
			"2026-03-24 method-expires: Your payment method expires in 7 days, " + email.OnTestClock,
		})
		o.Equal("sent", len(post.taken), 0)
	})
}

// TestAPaymentIsWholeOrNothing lets one part after the other fail of what a payment does: the
// entry, what it pays, the standing, the webhook, the event, the e-mail, the audit entry.
// Nothing of it is left then. Afterwards all of it is there.
func TestAPaymentIsWholeOrNothing(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.writesEmail()
		o.dunned(o.policy("strict", "2 SUSPEND"))
		o.endpoint(webhook.BusinessTypes()...)
		sub, i := o.overdue("acme")
		o.days(i.DueAt.AddDays(2).String())
		tables := []string{"payment", "application", "account_entry", "subscription_change", "webhook_event", "webhook_delivery", "email", "audit_entry"}
		rows := func() (counts []string) {
			for _, table := range tables {
				counts = append(counts, table+" "+o.QueryText(`SELECT count(*) FROM `+table))
			}
			return append(counts, string(o.Now(sub).Standing), o.invoiceState(i))
		}
		before := rows()
		attributes := invoicing.PaymentAttributes{AccountID: i.AccountID, Amount: "119.00", CurrencyID: "EUR", InvoiceIDs: []billing.InvoiceID{i.ID}}
		for _, table := range tables {
			o.Damage(fmt.Sprintf(`ALTER TABLE %[1]s RENAME TO away_%[1]s`, table))
			if _, err := o.Invoicing.PaymentCreate(o.Ctx, attributes); err == nil {
				t.Errorf("a payment needs no table %s", table)
			}
			o.Damage(fmt.Sprintf(`ALTER TABLE away_%[1]s RENAME TO %[1]s`, table))
			o.Equal("without "+table, rows(), before)
		}
		o.OK(second(o.Invoicing.PaymentCreate(o.Ctx, attributes)))
		for n, after := range rows() {
			if slices.Contains(before, after) {
				t.Errorf("a payment that is recorded leaves %s", before[n])
			}
		}
		o.InSync(*sub.TenantID)
		o.judgeAnew()
	})
}
