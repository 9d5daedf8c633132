package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// TestEndOfTerm names the last day of a subscription that is ended with its term, on the
// form, before it is done and afterwards.
func TestEndOfTerm(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	here := fmt.Sprintf("/subscriptions/%d", s.subs[string(subscription.StateActive)].ID)
	form := v.wants(v.get(here+"/cancel"), 200, "When the term ends (last day 31 May 2026)", "First day without it")
	if strings.Contains(form.text(), "that day") || strings.Contains(form.text(), "The day") {
		t.Errorf("the form speaks of a day without saying which:\n%s", form.text())
	}
	preview := v.wants(v.submit(form, "when", "end"), 200, "When the term ends (last day 31 May 2026)", "It ends on 1 Jun 2026. Its last day is 31 May 2026.")
	v.wants(v.submit(preview), 200, "The subscription of Acme Inc ends on 1 Jun 2026. Its last day is 31 May 2026.")
}

// TestEndOnATypedDay counts a typed day only where it was chosen, and does not end the
// subscription on another one.
func TestEndOnATypedDay(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	form := v.get(fmt.Sprintf("/subscriptions/%d/cancel", s.subs[string(subscription.StateActive)].ID))
	for _, when := range []string{"end", "now"} {
		v.wants(v.submit(form, "when", when, "cancellationDate", "2026-03-01"), 422, "Choose “On a day of the term” for this day to count, or empty it.", `id="e-cancellationDate"`)
	}
	v.wants(v.submit(form, "when", "day"), 422, "Enter the first day without the subscription.")
	v.wants(v.submit(form, "when", "day", "cancellationDate", "2026-03-01"), 200, "It ends on 1 Mar 2026. Its last day is 28 Feb 2026.")
}

// TestNextInvoiceOfAnotherSubscription shows with a change of one subscription what the next
// invoice has of another one of the account, and says so.
func TestNextInvoiceOfAnotherSubscription(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Editor)
	active := fmt.Sprintf("/subscriptions/%d", s.subs[string(subscription.StateActive)].ID)
	change := v.wants(v.submit(v.get(active+"/quantities"), "quantity:seats", "50", "when", "now"), 200, "Next invoice, on 1 Feb 2026", "50 × EUR 19.00")
	if text := change.text(); strings.Contains(text, "another subscription") || strings.Contains(text, "nothing of this") {
		t.Errorf("there is no other subscription:\n%s", text)
	}
	fresh := v.submit(v.get("/subscriptions/new?priceListId=1"), "accountId", "c-1", "tenantCode", "more", "quantity:seats", "10", "evergreen", "on")
	made := v.wants(v.submit(fresh), 200, "now has a subscription")
	other := regexp.MustCompile(`/subscriptions/\d+`).FindString(strings.ReplaceAll(made.body, active+`"`, ""))
	must[*invoicing.Outcome](s)(s.service.Invoicing.AccountInvoice(s.ctx, s.accounts[0].ID, nil)) // unless the server was quicker
	v.wants(v.submit(v.get(other+"/cancel"), "when", "now"), 200,
		"Next invoice, on 1 Feb 2026 It has nothing of this subscription. EUR 904.40", "Seats Of another subscription: 40 × EUR 19.00")
}
