package worker_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// openOffice lets invoices be issued, and subscriptions be suspended while they are not
// paid.
func openOffice(ctx context.Context, svc *service.Service, today billing.Date) error {
	policy, err := invoicing.DunningPolicies.Create(ctx, svc.Runner, func(p *dunning.Policy) error {
		p.Code, p.Name, p.BillWhileSuspended = "strict", "Strict", false
		p.Steps = []dunning.Step{
			{Day: 0, Action: dunning.Collect}, {Day: 1, Action: dunning.Restrict}, {Day: 3, Action: dunning.Collect}, {Day: 4, Action: dunning.Suspend},
			{Day: 60, Action: dunning.Cancel}, {Day: 60, Action: dunning.WriteOff},
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = invoicing.Entities.Create(ctx, svc.Runner, func(e *billing.Entity) error {
		e.Code, e.Name, e.Country, e.InvoicingStartsOn, e.DunningPolicyID = "de", "Seller", "DE", &today, &policy.ID
		e.CollectionTime = "00:00" // or standings change only in the course of a day, and nobody waits for that
		return nil
	})
	return err
}

// pay does something about the unpaid invoices of a customer: it pays one, or does so
// by a payment method that works or not, or takes a payment back; or somebody gives
// up, or waits.
func (d *driver) pay(ctx context.Context) error {
	sub, err := d.debtor(ctx)
	if err != nil || sub == nil {
		return err
	}
	if d.chance(5) {
		tokens := []string{"ok", "declined", "stolen", "pending:3d:ok", "pending:2d:returned", "chargeback:5d"}
		_, err := d.service.Invoicing.PaymentMethodCreate(ctx, sub.AccountID, collect.Test, tokens[d.random.IntN(len(tokens))])
		return err
	}
	if d.chance(6) {
		return d.takeBack(ctx)
	}
	open, err := store.OpenInvoices(ctx, d.service.Read(), []billing.AccountID{sub.AccountID})
	if err != nil || len(open) == 0 {
		return err
	}
	return d.settleInvoice(ctx, &open[0])
}

// debtor is the subscription of somebody who may have to pay, rather one that is suspended.
func (d *driver) debtor(ctx context.Context) (*subscription.Subscription, error) {
	filter, err := billing.ParseFilter("standing:suspended")
	if err != nil {
		return nil, err
	}
	suspended, err := store.Subscriptions.List(ctx, d.service.Read(), store.Page{Filter: filter, Limit: 100})
	if err != nil || len(suspended) == 0 || d.chance(3) {
		sub, failed := store.Subscriptions.Get(ctx, d.service.Read(), billing.SubscriptionID(1+d.random.IntN(d.subscriptions)))
		return sub, errors.Join(err, failed)
	}
	return &suspended[d.random.IntN(len(suspended))], nil
}

func (d *driver) settleInvoice(ctx context.Context, i *document.Invoice) error {
	switch d.random.IntN(10) {
	case 0:
		_, err := d.service.Invoicing.InvoiceWriteOff(ctx, i.ID, "Lost", false, d.chance(2))
		return err
	case 1:
		_, err := d.service.Invoicing.InvoiceDunningHold(ctx, i.ID, ptr(billing.DateOf(d.clock.Now(), time.UTC).AddDays(5)), "A question is open")
		return err
	case 2, 3:
		_, err := d.service.Invoicing.InvoiceCollect(ctx, i.ID)
		return err
	}
	_, err := d.service.Invoicing.PaymentCreate(ctx, invoicing.PaymentAttributes{
		AccountID: i.AccountID, Amount: i.Currency.Format(i.AmountDue()), CurrencyID: i.Currency.Code, InvoiceIDs: []billing.InvoiceID{i.ID},
	})
	return err
}

// takeBack takes a payment from the invoice that it was for.
func (d *driver) takeBack(ctx context.Context) error {
	payments, err := store.Payments.Count(ctx, d.service.Read(), billing.Filter{})
	if err != nil || payments == 0 {
		return err
	}
	id := billing.PaymentID(1 + d.random.IntN(payments))
	applied, err := store.ApplicationsOfPayment(ctx, d.service.Read(), id)
	if err != nil || len(applied) == 0 {
		return err
	}
	_, err = d.service.Invoicing.PaymentUnapplyFromInvoices(ctx, id, []billing.InvoiceID{applied[0].InvoiceID})
	return err
}

// collectDebts lets time pass on the test clocks, so that who does not pay is suspended
// even if chance had it otherwise, and pays for half of those.
func (c *convergence) collectDebts() {
	c.t.Helper()
	fatal := func(err error) {
		if err != nil {
			c.t.Fatal(err)
		}
	}
	for id := billing.TestClockID(1); id <= hallClocks; id++ {
		clock, err := store.TestClocks.Get(c.ctx(), c.service.Read(), id)
		fatal(err)
		_, _, err = c.service.Subscriptions.TestClockAdvance(c.ctx(), id, clock.Now.AddDate(0, 0, 40))
		fatal(err)
	}
	c.awaitIdle()
	filter, err := billing.ParseFilter("standing:suspended")
	fatal(err)
	suspended, err := store.Subscriptions.List(c.ctx(), c.service.Read(), store.Page{Filter: filter, Limit: 100_000})
	fatal(err)
	for n := range suspended[:(len(suspended)+1)/2] {
		open, err := store.OpenInvoices(c.ctx(), c.service.Read(), []billing.AccountID{suspended[n].AccountID})
		fatal(err)
		for k := range open {
			_, err := c.service.Invoicing.PaymentCreate(c.ctx(), invoicing.PaymentAttributes{
				AccountID: open[k].AccountID, Amount: open[k].Currency.Format(open[k].AmountDue()), CurrencyID: open[k].Currency.Code, InvoiceIDs: []billing.InvoiceID{open[k].ID},
			})
			fatal(err)
		}
	}
}

// checkStandings: the standing of every subscription is what its unpaid invoices say, and
// it changed often enough to prove something.
func (c *convergence) checkStandings() {
	c.t.Helper()
	q := c.service.Read()
	fatal := func(err error) {
		if err != nil {
			c.t.Fatal(err)
		}
	}
	subs, err := store.Subscriptions.List(c.ctx(), q, store.Page{Limit: 100_000})
	fatal(err)
	want := servicetest.Standings(c.t, c.ctx(), q, func(id *billing.TestClockID) billing.Date {
		if id == nil {
			return billing.DateOf(c.setting.clock.Now(), time.UTC)
		}
		clock, err := store.TestClocks.Get(c.ctx(), q, *id)
		fatal(err)
		return billing.DateOf(clock.Now, time.UTC)
	})
	for n := range subs {
		if subs[n].Standing != want[subs[n].ID] {
			c.t.Errorf("subscription %d is %s, and its invoices say %s\n%s", subs[n].ID, subs[n].Standing, want[subs[n].ID], c.debts(&subs[n]))
		}
		history, err := store.HistoryOf(c.ctx(), q, []billing.SubscriptionID{subs[n].ID})
		fatal(err)
		for _, h := range history {
			switch h.Kind {
			case subscription.KindStandingSuspended:
				c.checked.suspended++
			case subscription.KindStandingRestored:
				c.checked.restored++
			}
		}
	}
}

// debts is what is known about the invoices of a subscription's customer.
func (c *convergence) debts(s *subscription.Subscription) (text string) {
	c.t.Helper()
	q := c.service.Read()
	invoices, err := store.Invoices.List(c.ctx(), q, store.Page{Filter: billing.Filter{Terms: []billing.Term{{Field: "account", Op: billing.Equal, Value: fmt.Sprint(s.AccountID)}}}, Limit: 100})
	if err != nil {
		c.t.Fatal(err)
	}
	for n := range invoices {
		i := &invoices[n]
		records, err := store.DunningOf(c.ctx(), q, []billing.InvoiceID{i.ID})
		if err != nil {
			c.t.Fatal(err)
		}
		text += fmt.Sprintf("invoice %s of %s, due on %s: %s of %s is due, dunning %+v\n", i.Number, i.IssuedAt, i.DueAt, i.Currency.Format(i.AmountDue()), i.Currency.Format(i.Amount), records[i.ID])
	}
	return text
}
