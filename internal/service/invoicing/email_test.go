package invoicing_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/mail"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/mailing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// postOffice is a mail server that answers as it is told.
type postOffice struct {
	mu     sync.Mutex
	answer func(mail.Message) mail.Outcome
	taken  []mail.Message
	asked  int
}

func (p *postOffice) Send(_ context.Context, m mail.Message) mail.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	o := mail.Outcome{State: mail.Delivered}
	if p.answer != nil {
		o = p.answer(m)
	}
	if o.State == mail.Delivered {
		p.taken = append(p.taken, m)
	}
	return o
}

// subjects are what was taken, to whom.
func (p *postOffice) subjects() string {
	var all []string
	for _, m := range p.taken {
		all = append(all, m.To[0]+": "+m.Subject)
	}
	return strings.Join(all, "; ")
}

// writesEmail has e-mail sent to a post office.
func (o *office) writesEmail() *postOffice {
	o.T.Helper()
	p := &postOffice{}
	o.Mailing.Sender, o.Mailing.From = p, "billing@example.com"
	o.OK(o.Mailing.SetMode(o.Ctx, email.Send))
	return p
}

// sendAll sends all e-mail that is due now.
func (o *office) sendAll() (failed error) {
	o.T.Helper()
	for range 1000 {
		done, _, err := o.Mailing.RunEmails(o.Ctx)
		failed = errors.Join(failed, err)
		if done == 0 {
			return failed
		}
	}
	o.T.Fatal("e-mail has no end")
	return nil
}

// emails lists e-mail as "template state to".
func (o *office) emails() string {
	o.T.Helper()
	rows := servicetest.Must[[]email.Email](o.World)(store.Emails.List(o.Ctx, o.Read(), store.Page{Limit: 100}))
	var lines []string
	for n := len(rows) - 1; n >= 0; n-- {
		lines = append(lines, fmt.Sprintf("%s %s", rows[n].Template, rows[n].State))
	}
	if len(rows) > 1 && rows[0].ID < rows[1].ID {
		for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
			lines[i], lines[j] = lines[j], lines[i]
		}
	}
	return strings.Join(lines, "; ")
}

// bills subscribes a customer who gets e-mail to a fee of 100.00, and returns the first
// invoice.
func (o *office) bills(name string, edit ...func(*billing.Account)) *document.Invoice {
	o.T.Helper()
	if o.Lists["fee"] == nil {
		o.list("fee", 1, flat("100", catalog.Monthly))
	}
	o.customer(name, edit...)
	o.Subscribe("fee", name)
	o.run()
	return o.lastInvoice()
}

func invoiced(a *billing.Account) { a.InvoiceEmail = new("ap@" + strings.ToLower(a.Name) + ".example") }

// TestEmailOfAnInvoice sends the invoice with its file, and a receipt once it is paid.
func TestEmailOfAnInvoice(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		i := o.bills("acme", invoiced)
		o.Equal("recorded with the invoice", o.emails(), "invoice WAITING")
		o.OK(o.sendAll())
		o.Equal("sent", post.subjects(), "ap@acme.example: Invoice "+i.Number+" from Seller GmbH")
		m := post.taken[0]
		o.Equal("from", []any{m.From, m.FromName}, []any{"billing@example.com", "Seller GmbH"})
		if len(m.Attachments) != 1 || m.Attachments[0].Name != i.Number+".pdf" || !strings.HasPrefix(string(m.Attachments[0].Data), "%PDF-") {
			o.T.Errorf("attachments: %d", len(m.Attachments))
		}
		if !strings.Contains(m.Text, "EUR\u00a0119.00") || !strings.Contains(m.Text, "Please pay by") {
			o.T.Errorf("the text:\n%s", m.Text)
		}
		o.pays(i, "19.00")
		o.pays(i, "100.00")
		o.OK(o.sendAll())
		o.Equal("receipts", len(post.taken), 3)
		if text := post.taken[1].Text; !strings.Contains(text, "Still due: EUR\u00a0100.00") {
			o.T.Errorf("the first receipt:\n%s", text)
		}
		if text := post.taken[2].Text; !strings.Contains(text, "Nothing is left to pay of ") || len(post.taken[2].Attachments) != 0 {
			o.T.Errorf("the second receipt:\n%s", text)
		}
		ids := map[string]bool{}
		for _, m := range post.taken {
			ids[m.ID] = true
		}
		o.Equal("each has an id", len(ids), 3)
	})
}

// TestEmailWithoutServer writes nothing until e-mail is set up, and without a mail server
// or an address only shows it.
func TestEmailWithoutServer(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.bills("off", invoiced)
		o.Equal("while it is off", o.emails(), "")
		o.OK(o.Mailing.SetMode(o.Ctx, email.Mailbox))
		o.bills("shown", invoiced)
		o.Equal("a mailbox", o.emails(), "invoice NOT_SENT")
		o.OK(o.Mailing.SetMode(o.Ctx, email.Send))
		o.bills("nobody")
		o.Equal("no address", o.QueryText(`SELECT reason FROM email ORDER BY id DESC LIMIT 1`), email.NoAddress)
		o.OK(o.Mailing.SetMode(o.Ctx, email.Off))
		o.bills("again-off", invoiced)
		o.Equal("switched off", o.QueryText(`SELECT count(*) FROM email`), "2")
	})
}

// TestMailServerIsDown loses nothing and keeps the order of each account while the mail
// server cannot be reached for a day, and stops for nobody else if it refuses one.
func TestMailServerIsDown(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		invoices := []*document.Invoice{o.bills("acme", invoiced), o.bills("bolt", invoiced), o.bills("cone", invoiced)}
		post.answer = func(mail.Message) mail.Outcome {
			return mail.Outcome{State: mail.Deferred, Unreachable: true, Message: "no connection"}
		}
		if err := o.sendAll(); err == nil || !strings.Contains(err.Error(), "no connection") {
			o.T.Errorf("while it is down: %v", err)
		}
		before := post.asked
		for range 24 * 60 {
			o.Clock.Advance(time.Minute)
			_ = o.sendAll()
		}
		if looks := post.asked - before; looks > 24*60+10 {
			o.T.Errorf("a server that is down was asked %d times a day", looks)
		}
		for _, i := range invoices {
			o.pays(i, "119.00")
		}
		post.answer = func(m mail.Message) mail.Outcome {
			if m.To[0] == "ap@bolt.example" {
				return mail.Outcome{State: mail.Refused, Code: 550, Message: "550 no such user"}
			}
			return mail.Outcome{State: mail.Delivered}
		}
		for range 5 {
			o.Clock.Advance(time.Minute)
			o.OK(o.sendAll())
		}
		o.Equal("what became of it", o.QueryText(`SELECT string_agg(template || ' ' || stage, '; ' ORDER BY account_id, id) FROM email`),
			"invoice SENT; receipt SENT; invoice FAILED; receipt FAILED; invoice SENT; receipt SENT")
		order := map[string][]string{}
		for _, m := range post.taken {
			order[m.To[0]] = append(order[m.To[0]], strings.Fields(m.Subject)[0])
		}
		o.Equal("in order", fmt.Sprint(order), "map[ap@acme.example:[Invoice We] ap@cone.example:[Invoice We]]")
		o.Equal("nothing waits", o.QueryText(`SELECT count(*) FROM email_queue`), "0")
	})
}

// TestReminders sends what a policy says, drops what was paid meanwhile, and tells of
// charges that were declined.
func TestReminders(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		o.collects()
		o.dunned(o.policy("usual", "0 COLLECT", "1 COLLECT", "3 COLLECT", "3 REMIND", "7 COLLECT", "7 REMIND", "14 SUSPEND"))
		i := o.bills("acme", invoiced)
		o.method(i.AccountID, "declined")
		o.days(i.DueAt.AddDays(3).String())
		o.OK(o.sendAll())
		var said []string
		for _, m := range post.taken {
			said = append(said, strings.Join(strings.Fields(m.Subject)[:2], " "))
		}
		o.Equal("what was said", strings.Join(said, "; "), "Invoice INV-2026-000001; Your payment; Your payment; Your payment; Reminder: invoice")
		if text := post.taken[1].Text; !strings.Contains(text, "there were not enough funds") || !strings.Contains(text, "We will try again on") {
			o.T.Errorf("the first failure:\n%s", text)
		}
		post.answer = func(mail.Message) mail.Outcome {
			return mail.Outcome{State: mail.Deferred, Message: "451 later"}
		}
		o.days(i.DueAt.AddDays(7).String())
		_ = o.sendAll()
		o.pays(i, "119.00")
		post.answer, post.taken = nil, nil
		o.Clock.Advance(time.Hour)
		o.OK(o.sendAll())
		o.Equal("only the receipt was worth sending", len(post.taken), 1)
		o.Equal("why", o.QueryText(`SELECT DISTINCT reason FROM email WHERE stage = 'NOT_SENT'`), email.Settled)
	})
}

// TestNoSuspensionIsAnnouncedTwice reminds a customer of two invoices. The first announces
// that access is suspended; when it has been, the second says so. The receipt of the payment
// that gives it back says that.
func TestNoSuspensionIsAnnouncedTwice(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		p := o.policy("usual", "4 REMIND", "5 SUSPEND")
		o.dunned(servicetest.Must[*dunning.Policy](o.World)(invoicing.DunningPolicies.Update(o.Ctx, o.Invoicing.Runner, p.ID, func(p *dunning.Policy) error {
			p.Steps[0].Template = dunning.TemplateLastReminder
			return nil
		})))
		i := o.bills("acme", invoiced)
		o.days(i.DueAt.AddDays(40).String())
		o.OK(o.sendAll())
		var said []string
		for _, m := range post.taken {
			for _, words := range []string{"your access will be suspended on that day", "Your access is suspended."} {
				if strings.Contains(m.Text, words) {
					said = append(said, words)
				}
			}
		}
		o.Equal("what was said", strings.Join(said, "; "), "your access will be suspended on that day; Your access is suspended.")
		var receipts []bool
		for _, id := range []billing.InvoiceID{i.ID, i.ID + 1} {
			post.taken = nil
			o.pays(&document.Invoice{ID: id, AccountID: i.AccountID}, "119.00")
			o.OK(o.sendAll())
			receipts = append(receipts, strings.Contains(post.taken[0].Text, "Your access has been restored."))
		}
		o.Equal("the receipt that says that access is back", receipts, []bool{false, true})
	})
}

// TestExpiry tells of a payment method that expires 30 and 7 days before, once each.
func TestExpiry(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		o.collects()
		a := o.customer("acme", invoiced)
		o.method(a.ID, "expires:2026-03:ok")
		told := func() string {
			o.OK(o.sendAll())
			var all []string
			for _, m := range post.taken {
				all = append(all, m.Subject)
			}
			return strings.Join(all, "; ")
		}
		o.days("2026-02-28")
		o.Equal("31 days before", told(), "")
		o.days("2026-03-23")
		o.Equal("30 days before", told(), "Your payment method expires in 30 days")
		o.days("2026-03-31")
		o.Equal("at the end", told(), "Your payment method expires in 30 days; Your payment method expires in 7 days")
		o.days("2026-04-10")
		o.Equal("afterwards", len(post.taken), 2)
	})
}

// TestOwnTemplates lets the operator say it in other words, refuses what could not be
// sent, and sends again on request.
func TestOwnTemplates(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		create := func(subject, body string) (*email.Template, error) {
			return mailing.Templates.Create(o.Ctx, o.Runner, func(t *email.Template) error {
				t.Name, t.Locale, t.Subject, t.Body = mail.Invoice, "de", subject, body
				return nil
			})
		}
		_, err := create("Rechnung", "Hallo\n\n{{.InvoiceNummer}}")
		if err == nil || !strings.Contains(err.Error(), "ine 3") || !strings.Contains(err.Error(), ".InvoiceNumber") {
			o.T.Errorf("a wrong template: %v", err)
		}
		servicetest.Must[*email.Template](o.World)(create("Beleg {{.InvoiceNumber}}", "Über {{.Total}}."))
		if _, err := create("Zwei", "Zwei"); err == nil {
			o.T.Error("two templates of one message in one language")
		}
		o.list("fee", 1, flat("1000", catalog.Monthly))
		o.bills("acme", invoiced, func(a *billing.Account) { a.Locale = "de-AT" })
		o.OK(o.sendAll())
		o.Equal("in its words", []string{post.taken[0].Subject, post.taken[0].Text}, []string{"Beleg INV-2026-000001", "Über 1\u00a0190,00\u00a0EUR.\n"})
		e := servicetest.Must[[]email.Email](o.World)(store.Emails.List(o.Ctx, o.Read(), store.Page{Limit: 1}))[0]
		o.Damage(`UPDATE account SET invoice_email = 'new@acme.example'`)
		servicetest.Must[*email.Email](o.World)(o.Mailing.EmailSend(o.Ctx, e.ID))
		if _, err := o.Mailing.EmailSend(o.Ctx, e.ID); err == nil {
			o.T.Error("it waits already")
		}
		o.Equal("its audit entry", o.QueryText(`SELECT action || ' ' || subject_type || ' ' || subject_id FROM audit_entry ORDER BY id DESC LIMIT 1`), fmt.Sprintf("emailSend Email %d", e.ID))
		o.OK(o.sendAll())
		o.Equal("again, as another message", []any{post.taken[1].To[0], post.taken[1].ID != post.taken[0].ID}, []any{"new@acme.example", true})
	})
}

// TestTemplateThatCannotBeRendered bills and pays while the saved templates have a fact that
// does not exist any more: customers get what is built in, in their language.
func TestTemplateThatCannotBeRendered(t *testing.T) {
	eachOffice(t, func(o *office) {
		post := o.writesEmail()
		o.OK(o.Store.Write(o.Ctx, func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(
				store.EmailTemplates.Insert(ctx, tx, &email.Template{Name: mail.Invoice, Locale: "de", Subject: "Neu", Body: "Laden: {{.InvoiceLink}}"}),
				store.EmailTemplates.Insert(ctx, tx, &email.Template{Name: mail.Receipt, Locale: "de", Subject: "Danke {{.PaymentLink}}", Body: "Danke"}))
		}))
		i := o.bills("acme", invoiced, func(a *billing.Account) { a.Locale = "de-AT" })
		o.pays(i, "119.00")
		o.Equal("the invoice", o.invoiceState(i), "PAID 11900")
		o.OK(o.sendAll())
		o.Equal("sent", len(post.taken), 2)
		for n, name := range []string{mail.Invoice, mail.Receipt} {
			builtIn, _ := mail.BuiltIn(name, "de")
			greeting, _, _ := strings.Cut(builtIn.Body, "{{")
			if !strings.HasPrefix(post.taken[n].Text, greeting) || greeting == "" {
				o.T.Errorf("%s:\n%s", name, post.taken[n].Text)
			}
		}
	})
}
