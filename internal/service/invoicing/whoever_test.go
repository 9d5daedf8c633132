package invoicing_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestWhoeverBills has the same customers billed in one batch, one at a time, and by
// three processes at once: the documents are the same up to their numbers.
func TestWhoeverBills(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		want := map[string]string{}
		for n, way := range []struct {
			name            string
			batch, replicas int
		}{{"in one batch", 64, 1}, {"one at a time", 1, 1}, {"by three processes", 3, 3}, {"by three processes, one at a time", 1, 3}} {
			db := w.DB
			if n > 0 {
				db = storetest.New(w.T, w.DB.Engine)
				w = servicetest.NewWorld(w.T, db)
			}
			o := openOffice(w)
			worlds := []*servicetest.World{o.World}
			for len(worlds) < way.replicas {
				worlds = append(worlds, servicetest.Join(o.T, db))
			}
			for _, one := range worlds {
				one.Invoicing.Batch = way.batch
			}
			for code, have := range o.busyYear(worlds) {
				if n == 0 {
					want[code] = have
				}
				if have != want[code] {
					o.T.Errorf("%s, %s:\n%s\nin one batch:\n%s", code, way.name, have, want[code])
				}
			}
			o.soundDocuments()
			o.numbersWithoutGap()
			o.verify()
		}
	})
}

var documentNumbers = regexp.MustCompile(`(INV|CN|TEST)-[0-9-]+`)

// busyYear takes customers through a year in leaps, and returns what each was
// billed, without numbers.
func (o *office) busyYear(worlds []*servicetest.World) map[string]string {
	o.T.Helper()
	const size = 16
	lists := o.storyLists()
	customers := make([]*customer, size)
	for n := range customers {
		customers[n] = &customer{office: o, code: fmt.Sprintf("customer-%d", n)}
		o.customer(customers[n].code, func(a *billing.Account) {
			if a.BillingDay = 1 + n; n%3 == 0 {
				a.Collection = billing.CollectOnBillingDay
			}
		})
		starts("", lists[n%len(lists)], servicetest.WithSeats(3+n), servicetest.InTenant(customers[n].code)).do(customers[n])
	}
	for round, day := range []string{"2026-01-15", "2026-02-20", "2026-03-01", "2026-06-17", "2026-11-30", "2027-01-20"} {
		for _, one := range worlds {
			one.Clock.Set(servicetest.Moment(day + " 12:00"))
		}
		billTogether(worlds)
		o.run()
		for n, c := range customers {
			if n%2 == 0 {
				c.payAll() // so that credit waits
			}
			switch (n + round) % 4 {
			case 0:
				orders("", credit, 2+(7*n+5*round)%20).do(c)
			case 1:
				if n%2 == 0 {
					moves("", subscription.PlanUpdate{}, lists[(n+round)%len(lists)]).do(c)
				}
			case 2:
				if n%5 == 0 {
					cancels("", subscription.Cancellation{}).do(c)
					reinstates("", "").do(c)
				}
			}
		}
		billTogether(worlds)
		o.run()
	}
	billed := map[string]string{}
	for _, c := range customers {
		billed[c.code] = documentNumbers.ReplaceAllString(o.documentsOf(c.code), "#")
		if strings.Count(billed[c.code], "\n") < 3 {
			o.T.Errorf("%s has too few documents:\n%s", c.code, billed[c.code])
		}
	}
	return billed
}

// payAll pays everything that the customer owes.
func (c *customer) payAll() {
	c.T.Helper()
	a := servicetest.Must[*billing.Account](c.World)(store.Accounts.ByCode(c.Ctx, c.Read(), c.code))
	open, err := store.OpenInvoices(c.Ctx, c.Read(), []billing.AccountID{a.ID})
	c.OK(err)
	for n := range open {
		i := &open[n]
		_, err := c.Invoicing.PaymentCreate(c.Ctx, invoicing.PaymentAttributes{
			AccountID: a.ID, Amount: i.Currency.Format(i.AmountDue()), CurrencyID: i.Currency.Code, InvoiceIDs: []billing.InvoiceID{i.ID},
		})
		c.OK(err)
	}
}

// billTogether lets processes do what is due at the same time.
func billTogether(worlds []*servicetest.World) {
	var group sync.WaitGroup
	for _, w := range worlds {
		group.Go(func() {
			for {
				moved, _, err := w.Subscriptions.RunDue(w.Ctx, w.Clock.Now())
				if err != nil {
					w.T.Error(err)
				}
				billed, _, err := w.Invoicing.RunDue(w.Ctx, w.Clock.Now())
				if err != nil {
					w.T.Error(err)
				}
				if moved+billed == 0 {
					return
				}
			}
		})
	}
	group.Wait()
}
