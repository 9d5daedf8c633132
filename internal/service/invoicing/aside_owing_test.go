package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// runAside does what is due, with accounts that are set aside.
func (o *office) runAside() {
	o.T.Helper()
	for range 5 {
		_, _, err := o.Subscriptions.RunDue(o.Ctx, o.Clock.Now())
		o.OK(err)
		_, _, _ = o.Invoicing.RunDue(o.Ctx, o.Clock.Now()) // tells of those that were set aside
	}
}

// expectNews runs what is due on a day and compares what was billed, and what is
// noted about an account.
func (o *office) expectNews(day string, id billing.AccountID, problem, news string) {
	o.T.Helper()
	o.at(day)
	o.runAside()
	if got := o.QueryText(`SELECT COALESCE(billing_problem, '') FROM account WHERE id = $1`, int64(id)); got != problem {
		o.T.Errorf("%s: noted is %q, want %q", day, got, problem)
	}
	if got := o.news(); got != news {
		o.T.Errorf("%s: billed\n%s\nwant\n%s", day, got, news)
	}
}

// An account that was set aside owes what it owes, whatever is asked of it meanwhile,
// and is billed for all of it once it can be.
func TestAsideAndAskedToBill(t *testing.T) {
	const problem = "The account has no country."
	eachOffice(t, func(o *office) {
		o.edgeLists()
		a := o.customer("acme")
		o.at("2026-03-01")
		o.Subscribe("month", "acme")
		o.expectNews("2026-03-01", a.ID, "", "INV-2026-000001 2026-03-01: Fee of month ×1 2026-03-01–2026-03-31 31.00 = 31.00+5.89")
		o.change(a.ID, func(a *billing.Account) { a.BillingCountry = nil })
		o.expectNews("2026-04-01", a.ID, problem, "")
		for what, ask := range map[string]func() error{
			"accruedItems":   func() error { _, err := o.Invoicing.AccruedItems(o.Ctx, a.ID); return err },
			"invoicePreview": func() error { _, err := o.Invoicing.InvoicePreview(o.Ctx, a.ID, nil); return err },
			"accountInvoice": func() error { _, err := o.Invoicing.AccountInvoice(o.Ctx, a.ID, nil); return err },
		} {
			if err := ask(); err == nil || err.Error() != problem {
				o.T.Errorf("%s says %v, want %s", what, err, problem)
			}
		}
		o.expectNews("2026-04-02", a.ID, problem, "")
		o.change(a.ID, func(a *billing.Account) { a.BillingCountry = new("DE") })
		o.expectNews("2026-04-03", a.ID, "", "INV-2026-000002 2026-04-03: Fee of month ×1 2026-04-01–2026-04-30 31.00 = 31.00+5.89")
		o.expectNews("2026-05-01", a.ID, "", "INV-2026-000003 2026-05-01: Fee of month ×1 2026-05-01–2026-05-31 31.00 = 31.00+5.89")
		o.verify()
	})
}

// breakPrice makes a subscription unbillable, and mendPrice billable again.
func (o *office) breakPrice(s *subscription.Subscription) {
	o.Damage(`UPDATE subscription SET charges = replace(charges, '"price":"31"', '"price":"999999999999"') WHERE id = $1`, int64(s.ID))
}

func (o *office) mendPrice(s *subscription.Subscription) {
	o.Damage(`UPDATE subscription SET charges = replace(charges, '"price":"999999999999"', '"price":"31"') WHERE id = $1`, int64(s.ID))
}

const tooLarge = "Subscription 1 cannot be billed: An amount of EUR 4999999999995.00 is too large: the largest is 99999999999.99."

// When the subscription is mended for which an account was set aside, its others are
// billed too.
func TestAsideForOneOfTwo(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2026-03-01")
		big := o.Subscribe("seats-31", "acme", servicetest.WithSeats(5))
		o.Subscribe("month-49", "acme")
		o.expectNews("2026-03-01", a.ID, "", "INV-2026-000001 2026-03-01: Seats ×5 2026-03-01–2026-03-31 155.00, Fee of month-49 ×1 2026-03-01–2026-03-31 49.00 = 204.00+0.00")
		o.breakPrice(big)
		o.expectNews("2026-04-01", a.ID, tooLarge, "")
		o.mendPrice(big)
		o.at("2026-04-03")
		_, err := o.Subscriptions.SubscriptionQuantityUpdate(o.Ctx, big.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(4)})
		o.OK(err)
		o.expectNews("2026-04-03", a.ID, "", "INV-2026-000002 2026-04-03: Seats ×4 2026-04-01–2026-04-30 126.07, Fee of month-49 ×1 2026-04-01–2026-04-30 49.00 = 175.07+0.00")
		o.verify()
	})
}

// An item made by hand does not get an account out that was set aside.
func TestAsideWithAPendingItem(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2026-03-01")
		big := o.Subscribe("seats-31", "acme", servicetest.WithSeats(5))
		o.expectNews("2026-03-01", a.ID, "", "INV-2026-000001 2026-03-01: Seats ×5 2026-03-01–2026-03-31 155.00 = 155.00+0.00")
		o.breakPrice(big)
		o.expectNews("2026-04-01", a.ID, tooLarge, "")
		_, err := o.Invoicing.InvoiceItemCreate(o.Ctx, a.ID, pending("Training", "2026-04-01"))
		o.OK(err)
		o.expectNews("2026-04-02", a.ID, tooLarge, "")
		o.mendPrice(big)
		o.change(a.ID, func(a *billing.Account) { a.Name = "Acme again" })
		o.expectNews("2026-04-03", a.ID, "", "INV-2026-000002 2026-04-03: Seats ×5 2026-04-01–2026-04-30 155.00, Training ×1 2026-04-01–2026-04-01 10.00 = 165.00+0.00")
	})
}

// As long as a subscription is set aside, every invoice of its account says that it was
// left out.
func TestLeftOutEveryMonth(t *testing.T) {
	const left = "Subscription 1 was left out, because it was set aside: It is broken."
	eachOffice(t, func(o *office) {
		o.edgeLists()
		a := o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.at("2026-03-01")
		broken := o.Subscribe("month", "acme")
		o.Subscribe("month-49", "acme")
		o.expectNews("2026-03-01", a.ID, "", "INV-2026-000001 2026-03-01: Fee of month ×1 2026-03-01–2026-03-31 31.00, Fee of month-49 ×1 2026-03-01–2026-03-31 49.00 = 80.00+0.00")
		o.Damage(`UPDATE subscription SET problem = 'It is broken.' WHERE id = $1`, int64(broken.ID))
		o.expectNews("2026-04-01", a.ID, left, "INV-2026-000002 2026-04-01: Fee of month-49 ×1 2026-04-01–2026-04-30 49.00 = 49.00+0.00")
		o.expectNews("2026-05-01", a.ID, left, "INV-2026-000003 2026-05-01: Fee of month-49 ×1 2026-05-01–2026-05-31 49.00 = 49.00+0.00")
		o.expectNews("2026-06-01", a.ID, left, "INV-2026-000004 2026-06-01: Fee of month-49 ×1 2026-06-01–2026-06-30 49.00 = 49.00+0.00")
	})
}

// An account that has invoices goes to no entity that issues none: nobody would credit it.
func TestNotToAnEntityThatDoesNotIssue(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.edgeLists()
		a, other := o.customer("acme"), o.customer("new")
		o.at("2026-03-01")
		o.Subscribe("month", "acme")
		o.expectNews("2026-03-01", a.ID, "", "INV-2026-000001 2026-03-01: Fee of month ×1 2026-03-01–2026-03-31 31.00 = 31.00+5.89")
		second, err := invoicing.Entities.Create(o.Ctx, o.Runner, func(e *billing.Entity) error {
			e.Code, e.Name, e.Country, e.InvoiceNumberFormat, e.CreditNoteNumberFormat = "at", "Acme Austria", "AT", "AT-{000000}", "ATC-{000000}"
			return nil
		})
		o.OK(err)
		into := func(id billing.AccountID) error {
			return servicetest.ErrorOf(o.Customers.AccountUpdate(o.Ctx, id, func(a *billing.Account) error { a.EntityID = &second.ID; return nil }, nil))
		}
		o.Refused("an account with invoices", into(a.ID), "NOT_ALLOWED entityId")
		o.OK(into(other.ID))
		starts := func(day *billing.Date) error {
			return servicetest.ErrorOf(invoicing.Entities.Update(o.Ctx, o.Runner, second.ID, func(e *billing.Entity) error { e.InvoicingStartsOn = day; return nil }))
		}
		o.OK(starts(servicetest.On("2026-03-02")))
		o.Refused("from tomorrow on", into(a.ID), "NOT_ALLOWED entityId")
		o.OK(starts(servicetest.On("2026-03-01")))
		o.OK(into(a.ID))
		o.Refused("the first day taken away", starts(nil), "NOT_ALLOWED invoicingStartsOn")
	})
}
