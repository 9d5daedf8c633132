package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestOverduePage has invoices of two ages and two currencies, and steps to come.
func TestOverduePage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		v := s.as(billing.Viewer)
		v.wants(v.get("/overdue"), 200, "By customer", "Nothing is overdue.")
		s.fill()
		s.bill()
		policy := must[*dunning.Policy](s)(invoicing.DunningPolicies.Create(s.ctx, s.service.Runner, func(p *dunning.Policy) error {
			*p = dunning.NewPolicy()
			p.Code, p.Name = "usual", "Usual"
			return nil
		}))
		must[*billing.Entity](s)(invoicing.Entities.Update(s.ctx, s.service.Runner, 1, func(e *billing.Entity) error { e.DunningPolicyID = &policy.ID; return nil }))
		one := func(account int, currency, amount string) {
			must[*invoicing.Outcome](s)(s.service.Invoicing.InvoiceCreate(s.ctx, s.accounts[account].ID, invoicing.InvoiceAttributes{
				CurrencyID: currency, Items: []invoicing.ItemAttributes{{LineText: "Visit", Amount: amount}},
			}))
		}
		one(1, "USD", "1000.00")
		v.wants(v.get("/overdue"), 200, "Nothing is overdue.") // not yet
		s.clock.Advance(12 * 24 * time.Hour)
		one(2, "USD", "2000.00")
		s.clock.Advance(20 * 24 * time.Hour)
		v.signIn("viewer@example.com")
		page := v.wants(v.get("/overdue"), 200, "1–7 days", "8–30 days", "31–60 days", "61–90 days", "More than 90 days",
			"USD 1,190.00", "USD 2,380.00", "Total in USD 2 customers", "USD 3,570.00", "Total in EUR",
			fmt.Sprintf(`href="/accounts/%d/billing"`, s.accounts[1].ID), fmt.Sprintf(`href="/invoices/%d"`, s.office.open))
		if text := page.text(); strings.Index(text, "USD 2,380.00") > strings.Index(text, "USD 1,190.00") {
			t.Errorf("who has the most to pay is not first: %s", text)
		}
		eventually(t, "the next step to be known", func() bool { return strings.Contains(v.get("/overdue").text(), "Remind by e-mail") })
		v.wants(v.get("/"), 200, `href="/overdue"`)
		tab, words := v.wants(v.get("/invoices?state=overdue"), 200, invoicePage(s.office.open)), v.wants(v.get("/invoices?q=state:overdue"), 200, invoicePage(s.office.open))
		if n, m := strings.Count(tab.body, `href="/invoices/`), strings.Count(words.body, `href="/invoices/`); n != m {
			t.Errorf("the tab has %d links and the filter %d", n, m)
		}
	})
}

// TestOverdueOfTheDemo has customers on a test clock alone: the page and the home page
// are about them, and say so.
func TestOverdueOfTheDemo(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.receive()
	made := s.openDemo()
	v := s.as(billing.Viewer)
	v.wants(v.get("/overdue"), 200, "on the test clock demo", made.Debtor.Customer)
	v.wants(v.get("/"), 200, `href="/overdue"`)

	var sub *subscription.Subscription
	all := must[[]subscription.Subscription](s)(store.Subscriptions.List(s.ctx, s.service.Read(), store.Page{Limit: store.NoLimit}))
	for n := range all {
		if all[n].Standing == billing.Suspended {
			sub = &all[n]
		}
	}
	if sub == nil {
		t.Fatal("nobody is suspended")
	}
	owed := must[[]document.Invoice](s)(s.service.Subscriptions.ToBePaid(s.ctx, []subscription.Subscription{*sub}))
	var sum money.Amount
	for n := range owed {
		sum += owed[n].AmountDue()
	}
	until := fmt.Sprintf("until %s and %s are paid, EUR %s in all", owed[0].Number, owed[1].Number, owed[0].Currency.Format(sum))
	tenant := v.wants(v.get(fmt.Sprintf("/tenants/%d", *sub.TenantID)), 200, "Standing", "None: the subscription is suspended "+until+".", fmt.Sprintf(`href="/invoices/%d"`, *sub.StandingInvoiceID))
	if strings.Contains(tenant.text(), "no trial or active subscription") {
		t.Error("a suspended subscription is taken for none")
	}
	v.wants(v.get(fmt.Sprintf("/subscriptions/%d", sub.ID)), 200, "from past due, invoice TEST-", "to suspended", "None: the subscription is suspended "+until+".")
	for _, page := range []string{"", "/billing"} {
		v.wants(v.get(fmt.Sprintf("/accounts/%d%s", sub.AccountID, page)), 200, "1 suspended", until)
	}
	v.wants(v.get("/"), 200, `href="/subscriptions?standing=suspended"`, "1 suspended of the active")
	if list := v.wants(v.get("/subscriptions?standing=suspended"), 200, made.Debtor.Customer, "Suspended"); strings.Count(list.body, `href="/tenants/`) != 1 {
		t.Errorf("those that are suspended: %s", list.text())
	}
	v.wants(v.get(invoicePage(*sub.StandingInvoiceID)), 200, "done, the e-mail was not sent The account is on a test clock.")
	last := must[[]document.Invoice](s)(store.Invoices.List(s.ctx, s.service.Read(), store.Page{Limit: 1, Backwards: true, Filter: billing.Filter{Terms: []billing.Term{
		{Field: "account", Op: billing.ByID, Value: fmt.Sprint(sub.AccountID)},
	}}}))
	v.wants(v.get(invoicePage(last[0].ID)), 200, "Suspend the subscriptions", "to come, if it stays unpaid; suspended already")

	// A payment says beforehand whether it is enough.
	admin := s.as(billing.Admin)
	paying := fmt.Sprintf("/accounts/%d/pay", sub.AccountID)
	admin.wants(admin.submit(admin.get(paying), "amount", owed[0].Currency.Format(sum), "currencyId", "EUR"), 200, "are recorded as received", "1 tenant gains ")
	if little := admin.submit(admin.get(paying), "amount", "1.00", "currencyId", "EUR"); strings.Contains(little.text(), "gains") {
		t.Error("a payment of 1.00 is said to be enough")
	}

	// What does not reach it yet says so, and leads to it.
	list := must[*catalog.PriceList](s)(store.PriceLists.Get(s.ctx, s.service.Read(), sub.PriceListID))
	form := readForm(admin, admin.get(fmt.Sprintf("/features/new?productId=%d", sub.ProductID)))
	typed := map[string]string{"name": "Attic", "code": "attic", fmt.Sprintf("planIds:%d", sub.ProductID): fmt.Sprint(list.PlanID)}
	admin.wants(admin.submitForm(form, typed), 200, "nothing changes yet: suspended until its invoices are paid.", `<a href="/subscriptions?q=standing%3Asuspended">Subscriptions that are suspended</a>`)
	admin.wants(admin.get("/subscriptions?q=standing%3Asuspended"), 200, made.Debtor.Customer)
}

func invoicePage(id billing.InvoiceID) string { return fmt.Sprintf("/invoices/%d", id) }
