package invoicing_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// change changes an account.
func (o *office) change(id billing.AccountID, edit func(*billing.Account)) {
	o.T.Helper()
	_, err := o.Customers.AccountUpdate(o.Ctx, id, func(a *billing.Account) error { edit(a); return nil }, nil)
	o.OK(err)
}

// TestBillingComesToRest changes when accounts are billed while something waits,
// and then takes away what waits. On the day on which it would have been collected
// there is nothing to bill: the account is looked at, and not again.
func TestBillingComesToRest(t *testing.T) {
	histories := map[string]func(o *office, account *billing.Account) (takeAway func()){
		"a quantity that is taken back": func(o *office, _ *billing.Account) func() {
			sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
			o.run()
			o.at("2026-01-20")
			o.seats(sub, 6)
			return func() { o.seats(sub, 5) }
		},
		"a cancellation to come": func(o *office, _ *billing.Account) func() {
			o.list("year", 12, flat("1200", catalog.Annual))
			sub := o.Subscribe("year", "acme")
			o.run()
			_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(sub), subscription.Cancellation{On: servicetest.On("2026-06-15")})
			o.OK(err)
			return func() {}
		},
		"an item that is deleted": func(o *office, account *billing.Account) func() {
			item := servicetest.Must[*document.PendingItem](o.World)(o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending("Training", "2026-01-16")))
			return func() {
				servicetest.Must[*document.PendingItem](o.World)(o.Invoicing.InvoiceItemDelete(o.Ctx, item.ID))
			}
		},
		"an item that becomes due later": func(o *office, account *billing.Account) func() {
			item := servicetest.Must[*document.PendingItem](o.World)(o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending("Training", "2026-01-16")))
			return func() {
				_, err := o.Invoicing.InvoiceItemUpdate(o.Ctx, item.ID, func(in *invoicing.PendingAttributes) error { in.On = servicetest.Day("2026-05-05"); return nil })
				o.OK(err)
			}
		},
	}
	for what, begin := range histories {
		t.Run(what, func(t *testing.T) {
			eachOffice(t, func(o *office) {
				account := o.customer("acme", func(a *billing.Account) { a.BillingDay = 1 })
				takeAway := begin(o, account)
				o.run()
				o.change(account.ID, func(a *billing.Account) { a.BillingDay = 10 })
				o.run()
				takeAway()
				for _, day := range []string{"2026-01-31", "2026-02-01", "2026-02-10", "2026-02-15", "2026-03-01"} {
					o.at(day)
					o.comesToRest(2)
				}
			})
		})
	}
}

// comesToRest fails unless billing looks at each account no more than a few times.
func (o *office) comesToRest(most int) {
	o.T.Helper()
	for range most {
		if looked, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now()); looked == 0 && err == nil {
			return
		} else if err != nil {
			o.T.Fatal(err)
		}
	}
	if looked, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now()); looked > 0 || err != nil {
		o.T.Errorf("after %d runs on %s, billing still looks at %d accounts, %v", most, o.Clock.Now().Format("2006-01-02"), looked, err)
	}
}

// TestIdleAccountsDoNotHoldUpOthers bills an account behind more of them than one
// run takes that have nothing to bill on their day.
func TestIdleAccountsDoNotHoldUpOthers(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.Invoicing.Batch = 2
		var idle []*billing.Account
		for n := range 5 {
			idle = append(idle, o.customer(fmt.Sprintf("idle-%d", n), func(a *billing.Account) { a.BillingDay = 1 }))
		}
		o.customer("busy")
		for n, a := range idle {
			sub := o.Subscribe("pro-monthly", fmt.Sprintf("idle-%d", n), servicetest.WithSeats(5))
			o.run()
			o.seats(sub, 6)
			o.change(a.ID, func(a *billing.Account) { a.BillingDay = 10 })
			o.seats(sub, 5)
		}
		o.run()
		o.news()
		o.at("2026-02-01")
		o.Subscribe("pro-monthly", "busy", servicetest.WithSeats(1))
		for range 4 {
			_, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
			o.OK(err)
		}
		if have, want := o.news(), "INV-2026-000006 2026-02-01: Seats ×1 2026-02-01–2026-02-28 10.00 = 10.00+1.90"; have != want {
			o.T.Errorf("have %s\nwant %s", have, want)
		}
	})
}

// TestCollectedOnTheSoonerDay collects what waits on the old billing day if that
// comes first, however often the account is looked at before, and as the preview
// says.
func TestCollectedOnTheSoonerDay(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.BillingDay = 1 })
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.run()
		o.at("2026-01-16")
		o.seats(sub, 8)
		o.run()
		o.news()
		o.change(account.ID, func(a *billing.Account) { a.BillingDay = 10 })
		o.run()
		o.change(account.ID, func(a *billing.Account) { a.BillingDay = 12 })
		_, err := o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending("Training", "2026-01-17"))
		o.OK(err)
		o.run()
		preview, err := o.Invoicing.InvoicePreview(o.Ctx, account.ID, nil)
		o.OK(err)
		o.Equal("the preview", preview.On.String(), "2026-02-01")
		o.days("2026-01-31")
		o.expect("nothing yet", "")
		o.at("2026-02-01")
		o.expect("the old billing day", "INV-2026-000002 2026-02-01: Seats ×5→8 2026-01-16–2026-02-14 29.03, Training ×1 2026-01-17–2026-01-17 10.00 = 39.03+7.42")
	})
}
