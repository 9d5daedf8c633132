package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// tell makes an invoice of which an account is told, as long as there is no mail server,
// and sets one up then.
func (s *site) tell(account billing.AccountID) billing.EmailID {
	s.t.Helper()
	address := "ap@acme.example"
	must[*billing.Account](s)(s.service.Customers.AccountUpdate(s.ctx, account, func(a *billing.Account) error { a.InvoiceEmail = &address; return nil }, nil))
	s.emailMode(email.Mailbox)
	must[*invoicing.Outcome](s)(s.service.Invoicing.InvoiceCreate(s.ctx, account, invoicing.InvoiceAttributes{
		CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Visit", Amount: "100.00"}},
	}))
	s.emailMode(email.Send)
	rows := must[[]email.Email](s)(store.Emails.List(s.ctx, s.service.Read(), store.Page{Limit: 1000}))
	return rows[len(rows)-1].ID
}

func (s *site) emailMode(mode email.Mode) {
	s.t.Helper()
	if err := s.service.Mailing.SetMode(s.ctx, mode); err != nil {
		s.t.Fatal(err)
	}
}

// TestEmailPages looks at what a customer was told, says it in other words, and sends it
// again.
func TestEmailPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		v := s.as(billing.Admin)
		v.wants(v.get("/emails"), 200, "Customers are told by e-mail")
		s.fill()
		s.bill()
		id := s.tell(s.accounts[0].ID)
		one := fmt.Sprintf("/emails/%d", id)
		v.wants(v.get("/emails"), 200, one, "ap@acme.example", "not sent")
		v.wants(v.get("/emails?state=sent"), 200, "Nothing matches")
		v.wants(v.get(one), 200, "Please find your new invoice attached.", "only shown here", "Send again")
		page := v.get(one + "/html")
		v.wants(page, 200, "<!DOCTYPE html>", "Please find your new invoice attached.")
		if policy := page.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") {
			t.Errorf("the policy is %s", policy)
		}
		e := must[*email.Email](s)(store.Emails.Get(s.ctx, s.service.Read(), id))
		v.wants(v.get(fmt.Sprintf("/invoices/%d", *e.InvoiceID)), 200, one)
		number := must[*document.Invoice](s)(store.Invoices.Get(s.ctx, s.service.Read(), *e.InvoiceID)).Number
		for _, by := range []string{"", "invoice:"} {
			v.wants(v.get("/emails?q="+by+number), 200, one)
		}
		v.wants(v.submit(v.get(one+"/send")), 200, "The e-mail waits to be sent.", "waiting")

		v.wants(v.get("/messages"), 200, "Payment method expires", "built in")
		v.wants(v.get("/messages/receipt?locale=de"), 200, "Globex AG", "{{.PaymentAmount}}", "/email-templates/new?locale=de")
		v.wants(v.get("/messages/greeting"), 404)
		form := v.get("/email-templates/new?name=receipt&locale=de")
		v.wants(form, 200, "vielen Dank", "<textarea id=\"f-body\"")
		v.wants(v.submit(form, "name", "receipt", "locale", "de", "subject", "Danke", "body", "Hallo\n{{.Betrag}}"), 422, "Line 2: there is no fact .Betrag")
		made := v.submit(form, "name", "receipt", "locale", "de", "subject", "Danke für {{.PaymentAmount}}", "body", "Hallo {{.CustomerName}}")
		v.wants(made, 200, "Subject: Danke für 1.190,00", "Hallo Globex AG")
		v.wants(v.get("/messages"), 200, "your words")
	})
}
