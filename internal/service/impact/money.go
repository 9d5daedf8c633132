package impact

import (
	"context"
	"maps"
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// change is what changes in a currency.
type change struct {
	perMonth *big.Rat
	now      money.Amount
}

// money compares what subscriptions cost before and after, and finds out what their
// accounts would be billed at once.
func (s *Service) money(ctx context.Context, changed []billing.SubscriptionID) ([]Money, error) {
	ids := operation.Unique(changed)
	before, err := store.Subscriptions.ByIDs(store.WithoutRehearsal(ctx), s.Read(), ids)
	if err != nil {
		return nil, err
	}
	after, err := store.Subscriptions.ByIDs(ctx, s.Read(), ids)
	if err != nil {
		return nil, err
	}
	changes := map[string]*change{}
	if err := s.recurring(ctx, changes, before, -1); err != nil {
		return nil, err
	}
	if err := s.recurring(ctx, changes, after, 1); err != nil {
		return nil, err
	}
	var accounts []billing.AccountID
	for n := range after {
		accounts = append(accounts, after[n].AccountID)
	}
	slices.Sort(accounts)
	billed, err := s.Invoicing.BilledNow(ctx, slices.Compact(accounts))
	if err != nil {
		return nil, err
	}
	for currency, amount := range billed {
		changeIn(changes, currency).now += amount
	}
	all := []Money{}
	for _, code := range slices.Sorted(maps.Keys(changes)) {
		c := changes[code]
		currency, err := money.CurrencyOf(code)
		if err != nil {
			return nil, err
		}
		perMonth, err := money.Round(currency.Minor(c.perMonth))
		if err != nil {
			return nil, err
		}
		if perMonth != 0 || c.now != 0 {
			all = append(all, Money{code, currency.Format(perMonth), currency.Format(c.now)})
		}
	}
	return all, nil
}

func changeIn(changes map[string]*change, currency string) *change {
	if changes[currency] == nil {
		changes[currency] = &change{perMonth: new(big.Rat)}
	}
	return changes[currency]
}

// recurring adds what subscriptions cost by the month, each on its own today.
func (s *Service) recurring(ctx context.Context, changes map[string]*change, subs []subscription.Subscription, sign int64) error {
	clocks := make([]*billing.TestClockID, len(subs))
	for n := range subs {
		clocks[n] = subs[n].TestClockID
	}
	days, err := provisioning.DaysOn(ctx, s.Store.Snapshot(), clocks)
	if err != nil {
		return err
	}
	for n := range subs {
		for currency, value := range subs[n].PerMonth(days.On(clocks[n])) {
			sum := changeIn(changes, currency).perMonth
			sum.Add(sum, value.Mul(value, big.NewRat(sign, 1)))
		}
	}
	return nil
}
