package impact

import (
	"context"
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// cost is what something costs by the month, by currency.
type cost map[string]*big.Rat

func (c cost) in(currency string) *big.Rat {
	if c[currency] == nil {
		return new(big.Rat)
	}
	return c[currency]
}

// above is how much more it is than another.
func (c cost) above(other cost) cost {
	more := cost{}
	for currency, amount := range c {
		more[currency] = new(big.Rat).Sub(amount, other.in(currency))
	}
	for currency, amount := range other {
		if c[currency] == nil {
			more[currency] = new(big.Rat).Neg(amount)
		}
	}
	return more
}

// snapshot has subscriptions as they are at one time, and what is offered then.
type snapshot struct {
	ctx    context.Context
	q      store.Queries
	offers subscription.Offers
	subs   map[billing.SubscriptionID]*subscription.Subscription
}

func newSnapshot(ctx context.Context, q store.Queries) *snapshot {
	return &snapshot{ctx: ctx, q: q, offers: subscriptions.OffersIn(ctx, q)}
}

// load reads subscriptions, as far as they exist.
func (v *snapshot) load(ids []billing.SubscriptionID) error {
	found, err := store.Subscriptions.ByIDs(v.ctx, v.q, ids)
	v.subs = make(map[billing.SubscriptionID]*subscription.Subscription, len(found))
	for n := range found {
		v.subs[found[n].ID] = &found[n]
	}
	return err
}

// turns are the days after a day on which the cost of a subscription may change by itself.
func (v *snapshot) turns(id billing.SubscriptionID, day billing.Date) []billing.Date {
	if sub := v.subs[id]; sub != nil {
		return sub.TurnsAfter(day)
	}
	return nil
}

// cost is what a subscription costs on a day, today or later: nothing if it does not exist,
// or is not known to be able to go on until then.
func (v *snapshot) cost(id billing.SubscriptionID, on billing.Date) (cost, error) {
	sub := v.subs[id]
	if sub == nil {
		return nil, nil
	}
	then, err := sub.BroughtTo(on, v.offers)
	if _, refused := billing.AsProblems(err); refused {
		return nil, nil
	}
	return then.PerMonth(on), err
}

// recurring compares what subscriptions cost before and after, a few at a time, and returns
// whose they are.
func (s *Service) recurring(ctx context.Context, m *sums, ids []billing.SubscriptionID) (accounts []billing.AccountID, err error) {
	before, after := newSnapshot(store.WithoutRehearsal(ctx), s.Read()), newSnapshot(ctx, s.Read())
	for some := range slices.Chunk(ids, loadBatch) {
		if err := before.load(some); err != nil {
			return nil, err
		}
		if err := after.load(some); err != nil {
			return nil, err
		}
		var clocks []*billing.TestClockID
		for _, sub := range after.subs {
			clocks = append(clocks, sub.TestClockID)
		}
		days, err := provisioning.DaysOn(ctx, s.Store.Snapshot(), clocks)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			sub := after.subs[id]
			if sub == nil {
				continue // nobody deletes subscriptions
			}
			accounts = append(accounts, sub.AccountID)
			if err := m.compare(before, after, sub, days.On(sub.TestClockID)); err != nil {
				return nil, err
			}
		}
	}
	return accounts, nil
}

// compare notes what a subscription costs more or less today, and on the days to come on
// which that becomes something else.
func (m *sums) compare(before, after *snapshot, sub *subscription.Subscription, today billing.Date) error {
	days := append(before.turns(sub.ID, today), after.turns(sub.ID, today)...)
	slices.SortFunc(days, billing.Date.Compare)
	var so cost
	for n, day := range slices.Compact(append([]billing.Date{today}, days...)) {
		was, err := before.cost(sub.ID, day)
		if err != nil {
			return err
		}
		is, err := after.cost(sub.ID, day)
		if err != nil {
			return err
		}
		difference := is.above(was)
		for currency, amount := range difference.above(so) {
			if amount.Sign() == 0 {
				continue
			}
			if n == 0 {
				day = billing.Date{}
			}
			m.in(currency).add(day, sub.AccountID, amount)
		}
		so = difference
	}
	return nil
}
