package main

import (
	"context"
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
// changed 200 times with that of a new one: a batch of each, month by month in turns.
func measureAged(r *run) []result {
	months := r.repeats(agedMonths)
	started := agedBegan.AddDate(0, months, 0)
	old, fresh := r.newTeam("aged_old", agedBegan), r.newTeam("aged_new", started)
	say("billing %s for %d months with %d changes", r.engine.name, months, agedChanges*months/agedMonths)
	for month, done := 0, 0; month < months; month++ {
		old.moveTo(r.Context(), agedBegan.AddDate(0, month, 0))
		old.billAll(r.Context())
		for due := agedChanges * (month + 1) / agedMonths; done < due; done++ {
			old.moveTo(r.Context(), old.at().AddDate(0, 0, 5))
			old.order(r.Context(), 3+done%5)
		}
	}
	old.moveTo(r.Context(), started)
	for _, c := range []*team{old, fresh} {
		c.billAll(r.Context())
	}
	var times [2][]float64
	for month := range r.repeats(agedTurns) {
		for i, c := range []*team{old, fresh} {
			c.moveTo(r.Context(), started.AddDate(0, month+1, 0))
			billed, took, _ := c.billBatch(r.Context())
			times[i] = append(times[i], milliseconds(took)/float64(billed))
		}
	}
	return []result{r.result("invoices, aged", "ms", median(times[0]), median(times[1])).atMost(1.3)}
}

// team is a crowd of one batch of accounts with a subscription each, in which time
// passes.
type team struct {
	*crowd
	subs []billing.SubscriptionID
}

func (r *run) newTeam(name string, at time.Time) *team {
	c := r.openCrowd(r.create(name), at)
	r.closing(c.store.Close)
	c.shop = openShop(r.Context(), c.store, c.Invoicing.Batch)
	c.shop.addSeller(r.Context(), c.store, at)
	t := &team{crowd: c}
	for _, id := range c.shop.accounts {
		t.subs = append(t.subs, c.subscribe(r.Context(), id).ID)
	}
	return t
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
func (t *team) billAll(ctx context.Context) {
	for {
		if billed, _, err := t.Invoicing.RunDue(ctx, t.at()); err != nil || billed == 0 {
			check(err)
			return
		}
	}
}

// order changes the quantity of all.
func (t *team) order(ctx context.Context, seats int) {
	for _, id := range t.subs {
		must(t.Subscriptions.SubscriptionQuantityUpdate(asClient(ctx), id, subscription.QuantityUpdate{Orders: []subscription.QuantityOrder{{Code: seatsCode, Quantity: &seats}}}))
	}
}
