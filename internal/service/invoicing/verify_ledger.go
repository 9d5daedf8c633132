package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/bill"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// verifyListed is how many subscriptions are listed at once, to be divided into
	// batches.
	verifyListed = 20 * verifyBatch
	// verifyKeys is how many keys of the ledger a batch has at most, unless a single
	// subscription has more.
	verifyKeys = 8 * verifyBatch
)

// verifySubscriptions compares what was billed of every subscription with what its
// items say, and with what it owes.
func (s *Service) verifySubscriptions(ctx context.Context, v *Verification, sellers *sellers, progress func(*Verification)) error {
	var listed []store.BilledSubscription
	var after billing.SubscriptionID
	next := func() (func(context.Context) (*Verification, error), error) {
		if len(listed) == 0 {
			var err error
			if listed, err = store.BilledSubscriptions(ctx, s.Read(), after, verifyListed); err != nil || len(listed) == 0 {
				return nil, err
			}
			after = listed[len(listed)-1].ID
		}
		var ids []billing.SubscriptionID
		ids, listed = nextBatch(listed)
		return func(ctx context.Context) (*Verification, error) {
			part := &Verification{}
			return part, s.Read().AtOneMoment(ctx, func(ctx context.Context, q store.Queries) error { return part.compareLedger(ctx, q, sellers, ids) })
		}, nil
	}
	return inOrder(ctx, verifyAhead, next, func(part *Verification) error {
		v.add(part)
		progress(v)
		return nil
	})
}

// nextBatch divides subscriptions into those that are compared together and those
// that are left.
func nextBatch(listed []store.BilledSubscription) (ids []billing.SubscriptionID, left []store.BilledSubscription) {
	keys := 0
	for n, sub := range listed {
		if keys += sub.Keys; n == verifyBatch || n > 0 && keys > verifyKeys {
			return ids, listed[n:]
		}
		ids = append(ids, sub.ID)
	}
	return ids, nil
}

// compareLedger compares some subscriptions, as they are at one moment: nobody
// bills them meanwhile.
func (v *Verification) compareLedger(ctx context.Context, q store.Queries, sellers *sellers, ids []billing.SubscriptionID) error {
	subs, err := store.Subscriptions.ByIDs(ctx, q, ids)
	if err != nil {
		return err
	}
	keys, err := store.LedgersOf(ctx, q, ids)
	if err != nil {
		return err
	}
	left, err := store.ItemsLeft(ctx, q, ids)
	if err != nil {
		return err
	}
	accounts := make([]billing.AccountID, len(subs))
	for n := range subs {
		accounts[n] = subs[n].AccountID
	}
	entities, err := store.EntitiesOf(ctx, q, accounts)
	if err != nil {
		return err
	}
	billed, offers := bySubscription(keys), subscriptions.OffersIn(ctx, q)
	for n := range subs {
		sub := &subs[n]
		if sub.Problem != nil {
			continue
		}
		if sub.BilledOn != nil {
			v.Subscriptions++
			v.compareItems(billed[sub.ID], left[sub.ID], sub.ID)
		}
		if by, known := entities[sub.AccountID]; known {
			v.compareOwed(sub, billed[sub.ID], sellers.named(by.Entity), by.Aside, offers)
		}
	}
	return nil
}

// bySubscription divides keys that are in the order of subscriptions.
func bySubscription(keys []store.LedgerKey) map[billing.SubscriptionID][]store.LedgerKey {
	divided := map[billing.SubscriptionID][]store.LedgerKey{}
	for first, n := 0, 0; n < len(keys); n++ {
		if id := keys[n].SubscriptionID; n+1 == len(keys) || keys[n+1].SubscriptionID != id {
			divided[id], first = keys[first:n+1], n+1
		}
	}
	return divided
}

// compareItems checks that every key has what its items add up to.
func (v *Verification) compareItems(keys []store.LedgerKey, left map[ledger.Key]money.Amount, id billing.SubscriptionID) {
	for n := range keys {
		k := &keys[n]
		if left[k.Key] != k.Net {
			v.fail("Subscription %d, charge %d, %s to %s: the ledger has %s, but items and credits add up to %s.", id, k.Charge, k.Period.From, k.Period.To,
				k.Currency.Format(k.Net), k.Currency.Format(left[k.Key]))
		}
		delete(left, k.Key)
	}
	for key, amount := range left {
		if amount != 0 {
			v.fail("Subscription %d, charge %d, %s to %s: items were billed that the ledger does not know.", id, key.Charge, key.Period.From, key.Period.To)
		}
	}
}

// compareOwed checks that what was billed is what is owed, but for what waits to be
// billed. aside says that nothing of the account is billed for now.
func (v *Verification) compareOwed(sub *subscription.Subscription, keys []store.LedgerKey, entity *billing.Entity, aside bool, offers subscription.Offers) {
	if entity == nil || entity.InvoicingStartsOn == nil || sub.DirtyFrom != nil {
		return
	}
	through := billedThrough(sub, aside)
	if through == nil || through.Before(*entity.InvoicingStartsOn) {
		return
	}
	billed := make([]ledger.Billed, len(keys))
	for n := range keys {
		billed[n] = keys[n].Billed
	}
	changes, err := bill.Wrong(sub, billed, *entity.InvoicingStartsOn, *through, offers)
	if err != nil {
		v.fail("Subscription %d: %v", sub.ID, err)
		return
	}
	for n := range changes {
		c := &changes[n]
		v.fail("Subscription %d, charge %d, %s to %s: %s was billed, and it should be %s.", sub.ID, c.Charge, c.Period.From, c.Period.To,
			c.Currency.Format(c.Target-c.Amount), c.Currency.Format(c.Target))
	}
}

// billedThrough is the day through which everything must have been billed, nil if there
// is none. Nothing looks at a subscription again that has no day to bill it on, so it must
// owe nothing on the day that it was brought to.
func billedThrough(sub *subscription.Subscription, aside bool) *billing.Date {
	if sub.BillOn == nil && !aside && (sub.BilledOn == nil || sub.BilledOn.Before(sub.AsOf)) {
		return &sub.AsOf
	}
	return sub.BilledOn
}
