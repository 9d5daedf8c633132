package main

import (
	"context"
	"database/sql"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

const (
	// agedMonths is how long the old subscriptions were billed every month, and
	// agedChanges how often their quantity was changed meanwhile.
	agedMonths, agedChanges = 60, 200
	// agedTurns is how many months are measured.
	agedTurns = 24
)

var agedBegan = time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)

// measureAged compares an invoice of a subscription that is five years old and was
// changed 200 times with that of a new one in the same database: a batch of each,
// month by month in turns.
func measureAged(r *run) []result {
	months := r.repeats(agedMonths)
	database := r.create("aged")
	c := r.openCrowd(database, agedBegan)
	r.closing(c.store.Close)
	c.shop = openShop(r.Context(), c.store, 2*c.Invoicing.Batch)
	c.shop.addSeller(r.Context(), c.store, agedBegan)
	old := c.subscribeAll(r.Context(), c.shop.accounts[:c.Invoicing.Batch])
	say("billing %s for %d months with %d changes", r.engine.name, months, agedChanges*months/agedMonths)
	for month, done := 0, 0; month < months; month++ {
		c.moveTo(r.Context(), agedBegan.AddDate(0, month, 0))
		c.billAll(r.Context())
		for due := agedChanges * (month + 1) / agedMonths; done < due; done++ {
			c.moveTo(r.Context(), c.at().AddDate(0, 0, 5))
			c.order(r.Context(), old, 3+done%5)
		}
	}
	// The new ones are billed on another day of the month.
	days := [2]time.Time{agedBegan.AddDate(0, months, 0), agedBegan.AddDate(0, months, 5)}
	for i, day := range days {
		if c.moveTo(r.Context(), day); i == 1 {
			c.subscribeAll(r.Context(), c.shop.accounts[c.Invoicing.Batch:])
		}
		c.billAll(r.Context())
	}
	db := must(r.engine.raw(database))
	defer db.Close()
	var times [2][]float64
	for month := range r.repeats(agedTurns) {
		for i, day := range days {
			c.moveTo(r.Context(), day.AddDate(0, month+1, 0))
			r.checkpoint(db)
			billed, took, _ := c.billBatch(r.Context())
			took += r.checkpoint(db)
			times[i] = append(times[i], milliseconds(took)/float64(billed))
		}
	}
	return []result{r.result("invoices, aged", "ms", median(times[0]), median(times[1])).atMost(1.3)}
}

// checkpoint has SQLite write back what is in its log, and returns how long that took.
// Otherwise one commit in four does, and in measurements by turns that is always one
// of the same side.
func (r *run) checkpoint(db *sql.DB) time.Duration {
	if r.engine.name != "sqlite" {
		return 0
	}
	start := now()
	r.execute(db, "PRAGMA wal_checkpoint(PASSIVE)")
	return now().Sub(start)
}

// subscribeAll has accounts subscribe.
func (c *crowd) subscribeAll(ctx context.Context, accounts []billing.AccountID) (subs []billing.SubscriptionID) {
	for _, id := range accounts {
		subs = append(subs, c.subscribe(ctx, id).ID)
	}
	return subs
}

// subscribe has an account subscribe to three seats.
func (c *crowd) subscribe(ctx context.Context, id billing.AccountID) *subscription.Subscription {
	code, seats := priceListCode, 3
	return must(c.Subscriptions.SubscriptionCreate(asClient(ctx), subscriptions.NewSubscription{
		Draft:     subscription.Draft{Evergreen: true, Quantities: []subscription.QuantityOrder{{Code: seatsCode, Quantity: &seats}}},
		AccountID: &id, PriceList: subscriptions.PriceListRef{Code: &code},
	}))
}

// moveTo lets time pass, and renews what is due.
func (c *crowd) moveTo(ctx context.Context, at time.Time) {
	c.clock.Store(&at)
	for {
		if moved, _, err := c.Subscriptions.RunDue(ctx, at); err != nil || moved == 0 {
			check(err)
			return
		}
	}
}

// billAll bills all that is due.
func (c *crowd) billAll(ctx context.Context) {
	for {
		if billed, _, err := c.Invoicing.RunDue(ctx, c.at()); err != nil || billed == 0 {
			check(err)
			return
		}
	}
}

// order changes the quantity of subscriptions.
func (c *crowd) order(ctx context.Context, subs []billing.SubscriptionID, seats int) {
	for _, id := range subs {
		must(c.Subscriptions.SubscriptionQuantityUpdate(asClient(ctx), id, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: seatsCode, Quantity: &seats}}}))
	}
}
