package transfer_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/transfer"
)

// TestThereAndBack lets random lives go on in one database, moves them to a new
// one of either engine, and compares what both export.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		w.mustImport(example(t), transfer.Options{})
		w.mustImport(`{"type":"priceList","code":"old","product":"crm","plan":"pro","name":"Old","currencyId":"EUR","renewalTermMonths":3}
			`+"\n"+`{"type":"charge","priceList":"old","code":"seats","name":"Places","feature":"users","price":"8"}`, transfer.Options{})
		random := rand.New(rand.NewPCG(3, uint64(len(db.Engine))))
		var ids []billing.SubscriptionID
		for range 40 {
			ids = append(ids, begin(w, random, len(ids)))
			for range 3 {
				act(w, random, ids[random.IntN(len(ids))])
			}
			db.Clock.Advance(time.Duration(random.IntN(20)) * 24 * time.Hour)
			live(w)
		}
		spoil(w)
		_, err := transfer.Export(w.ctx, w.store, &strings.Builder{})
		var codeless *transfer.CodelessError
		if !errors.As(err, &codeless) || codeless.Subscriptions != len(ids) || codeless.Accounts == 0 {
			t.Fatalf("an export of what has no codes: %v", err)
		}
		_, err = w.GiveCodes(w.ctx)
		w.ok(err)
		db.Clock.Advance(40 * 24 * time.Hour) // the export has things that are due
		text := w.export()
		w.same("what is exported twice", w.export() == text, true)
		n := strings.Count(text, "\n")
		w.same("import into itself", w.mustImport(text, transfer.Options{}), transfer.Tally{Unchanged: n})
		for _, engine := range storetest.Engines {
			other := storetest.New(t, engine)
			other.Clock.Set(db.Clock.Now())
			there := newWorld(t, other)
			there.same("import elsewhere", there.mustImport(text, transfer.Options{}), transfer.Tally{Created: n})
			there.sameText("export from "+engine, there.export(), text)
			live(there)
			there.same("import of what time has changed since", there.mustImport(text, transfer.Options{}), transfer.Tally{Unchanged: n})
		}
	})
}

// begin makes a subscription, half of them for accounts without a code.
func begin(w *world, random *rand.Rand, n int) billing.SubscriptionID {
	list := []string{"pro-monthly", "pro-yearly", "old"}[random.IntN(3)]
	today := billing.DateOf(w.db.Clock.Now(), time.UTC)
	start := today.AddDays(random.IntN(500) - 450)
	order := subscriptions.NewSubscription{
		PriceList: subscriptions.PriceListRef{Code: &list},
		Account: &subscriptions.NewAccount{Edit: func(a *billing.Account) error {
			if a.Name = fmt.Sprintf("Møller & <Söhne> %d", n); random.IntN(2) == 0 {
				code := fmt.Sprint("code ", n)
				a.Code = &code
			}
			return nil
		}, BillingContact: func(c *billing.Contact) error {
			c.FirstName = "Ann"
			return nil
		}},
		Draft: subscription.Draft{Evergreen: random.IntN(3) > 0, StartDate: &start, Trial: list == "pro-monthly" && random.IntN(2) == 0},
	}
	if random.IntN(3) > 0 {
		order.Tenant = &subscriptions.TenantRef{Code: fmt.Sprint("tenant ", n)}
		quantity := random.IntN(100)
		order.Draft.Quantities = []subscription.QuantityOrder{{Code: "seats", Quantity: &quantity}}
	}
	sub, err := w.Subscriptions.SubscriptionCreate(w.ctx, order)
	w.ok(err)
	return sub.ID
}

// act does something to a subscription; its state may not allow that.
func act(w *world, random *rand.Rand, id billing.SubscriptionID) {
	one := []billing.SubscriptionID{id}
	today := billing.DateOf(w.db.Clock.Now(), time.UTC)
	later := today.AddDays(random.IntN(30))
	var err error
	switch random.IntN(7) {
	case 0:
		_, err = w.Subscriptions.SubscriptionCancel(w.ctx, one, subscription.Cancellation{On: &later})
	case 1:
		_, err = w.Subscriptions.SubscriptionCancel(w.ctx, one, subscription.Cancellation{AtTermEnd: true})
	case 2:
		_, err = w.Subscriptions.SubscriptionReinstate(w.ctx, one, nil)
	case 3:
		order := subscription.QuantityOrder{Code: "seats"}
		if quantity := random.IntN(50); quantity > 5 {
			order.Quantity = &quantity
		}
		_, err = w.Subscriptions.SubscriptionQuantityUpdate(w.ctx, id, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{order}, StartDate: &later, Scheduled: subscription.KeepScheduled})
	case 4, 5:
		list, seats := []string{"pro-monthly", "pro-yearly", "old"}[random.IntN(3)], 1+random.IntN(40)
		_, err = w.Subscriptions.SubscriptionPlanChange(w.ctx, id, subscriptions.PriceListRef{Code: &list}, subscription.PlanUpdate{
			AtTermEnd: random.IntN(2) == 0, Quantities: []subscription.QuantityOrder{{Code: "seats", Quantity: &seats}}, Scheduled: subscription.ReplaceScheduled,
		})
	case 6:
		_, err = w.Subscriptions.SubscriptionSetAutoRenew(w.ctx, one, random.IntN(2) == 0)
	}
	if _, known := billing.AsProblems(err); err != nil && !known {
		w.t.Fatal(err)
	}
}

// live does what is due.
func live(w *world) {
	for {
		moved, _, err := w.Subscriptions.RunDue(w.ctx, w.db.Clock.Now())
		w.ok(err)
		if moved == 0 {
			return
		}
	}
}

// takeBackPlans takes scheduled plans back: charges of their price lists stay as
// they are until then.
func takeBackPlans(w *world) {
	all, err := store.Subscriptions.List(w.ctx, w.store.Queries(), store.Page{Limit: 1000})
	w.ok(err)
	for _, s := range all {
		for _, change := range s.ScheduledChanges() {
			if change.PriceListID == nil {
				continue
			}
			_, err := w.Subscriptions.SubscriptionScheduledChangeCancel(w.ctx, change.ID)
			w.ok(err)
		}
	}
}

// spoil renames and deletes what lines of subscriptions came from, and adds an
// account on a test clock, which stays at home.
func spoil(w *world) {
	q := w.store.Queries()
	takeBackPlans(w)
	for list, do := range map[string]func(*catalog.Charge) error{
		"pro-yearly": func(c *catalog.Charge) error {
			_, err := w.Catalog.ChargeUpdate(w.ctx, c.ID, catalog.ChargeEdit{Edit: func(c *catalog.Charge) error {
				c.Code, c.Name = "places", "Renamed"
				return nil
			}})
			return err
		},
		"old": func(c *catalog.Charge) error {
			_, err := w.Catalog.ChargeDelete(w.ctx, c.ID)
			return err
		},
	} {
		l, err := store.PriceLists.ByCode(w.ctx, q, list)
		w.ok(err)
		charge, err := store.ChargeByCode(w.ctx, q, l.ID, "seats")
		w.ok(err)
		w.ok(do(charge))
	}
	clock, err := w.Subscriptions.TestClockCreate(w.ctx, "Test", w.db.Clock.Now())
	w.ok(err)
	account, err := w.Customers.AccountCreate(w.ctx, func(a *billing.Account) error {
		a.Name, a.TestClockID = "Made up", &clock.ID
		return nil
	}, nil)
	w.ok(err)
	list, tenant := "pro-monthly", subscriptions.TenantRef{Code: "made-up"}
	_, err = w.Subscriptions.SubscriptionCreate(w.ctx, subscriptions.NewSubscription{AccountID: &account.ID, PriceList: subscriptions.PriceListRef{Code: &list}, Tenant: &tenant})
	w.ok(err)
}
