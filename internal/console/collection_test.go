package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// unanswered makes an invoice of an account and charges a payment method for it whose
// provider does not answer.
func (s *site) unanswered(account billing.AccountID) (billing.InvoiceID, billing.PaymentCollectionID) {
	s.t.Helper()
	s.service.Invoicing.Payments.AllowTest = true
	must[*collect.Method](s)(s.service.Invoicing.PaymentMethodCreate(s.ctx, account, collect.Test, "unknown:lost"))
	invoice := must[*invoicing.Outcome](s)(s.service.Invoicing.InvoiceCreate(s.ctx, account, invoicing.InvoiceAttributes{
		CurrencyID: "EUR", Items: []invoicing.ItemAttributes{{LineText: "Visit", Amount: "100.00"}},
	})).Invoices[0]
	id := must[*collect.Collection](s)(s.service.Invoicing.InvoiceCollect(s.ctx, invoice)).ID
	eventually(s.t, "nobody to answer", func() bool {
		return must[*collect.Collection](s)(store.Collections.Get(s.ctx, s.service.Read(), id)).Outcome == collect.OutUnknown
	})
	if s.office != nil {
		s.office.collection = id
	}
	return invoice, id
}

// TestCollectionPages lists collections, looks at one, and settles two.
func TestCollectionPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		v := s.as(billing.Editor)
		v.wants(v.get("/collections"), 200, "Collections begin by themselves")
		s.fill()
		s.bill()
		invoice, id := s.unanswered(s.accounts[1].ID)
		one := fmt.Sprintf("/collections/%d", id)
		name := s.accounts[1].Name
		v.wants(v.get("/collections"), 200, one, "unknown", "EUR 119.00")
		v.wants(v.get(fmt.Sprintf("/collections?state=pending&q=account:%d", s.accounts[1].ID)), 200, one)
		v.wants(v.get("/collections?state=succeeded"), 200, "Nothing matches")
		v.wants(v.get("/collections/999"), 404, "There is no such collection")
		page := v.wants(v.get(one), 200, "The payment provider is asked.", "Attempts", "Payment method", "Asked next", fmt.Sprintf("/invoices/%d", invoice), one+"/settle")
		if !strings.Contains(unescape(page.body), name) || wrongInHTML.MatchString(page.body) {
			t.Errorf("the page of a collection has no customer, or %q", wrongInHTML.FindString(page.body))
		}
		v.wants(v.get(fmt.Sprintf("/invoices/%d", invoice)), 200, `href="`+one+`"`, "Look at Collection")
		viewer := s.as(billing.Viewer)
		if a := viewer.wants(viewer.get(one), 200); strings.Contains(a.body, one+"/settle") {
			t.Error("a viewer is offered to settle")
		}
		viewer.wants(viewer.get(one+"/settle"), 403)

		v.wants(v.submit(v.get(one+"/settle")), 422, "Say what you found at the payment provider.")
		v.does(one+"/settle", "Settled Collection", "succeeded", "no")
		v.wants(v.get(one), 200, "failed", "A person found that nothing was charged.")
		v.wants(v.get(one+"/settle"), 409, "That cannot be done now")

		_, id = s.unanswered(s.accounts[1].ID)
		one = fmt.Sprintf("/collections/%d", id)
		v.wants(v.submit(v.get(one+"/settle"), "succeeded", "yes", "reference", "pi_42"), 200, "EUR 119.00 are recorded as a payment", "pi_42")
		v.does(one+"/settle", "Settled Collection", "succeeded", "yes", "reference", "pi_42")
		v.wants(v.get(one), 200, "paid", "pi_42", "A person found that it was charged.", "EUR 0.00")
	})
}

// TestCollectionWaitsForAPerson lets a day pass without an answer: the page asks for
// somebody to look.
func TestCollectionWaitsForAPerson(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	invoice, id := s.unanswered(s.accounts[1].ID)
	s.change(fmt.Sprintf(`UPDATE payment_collection SET next_at = NULL WHERE id = %d`, id))
	s.clock.Advance(time.Minute)
	v := s.as(billing.Viewer)
	v.wants(v.get("/collections"), 200, "to be settled")
	v.wants(v.get(fmt.Sprintf("/collections/%d", id)), 200, "look there, and settle the collection", "Asked next never")
	if a := v.wants(v.get(fmt.Sprintf("/invoices/%d", invoice)), 200, "look there, and settle the collection"); strings.Contains(a.body, "paymentCollectionSettle") {
		t.Error("the page of the invoice sends people to the API")
	}
}
