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
	perMonth map[billing.AccountID]*big.Rat
	now      money.Amount
}

// sums are what changes, by currency, and for whom.
type sums struct {
	changes  map[string]*change
	accounts []billing.AccountID
}

// money compares what subscriptions cost before and after, and finds out what their
// accounts would be billed today.
func (s *Service) money(ctx context.Context, changed []billing.SubscriptionID, accounts []billing.AccountID) (*sums, error) {
	ids := operation.Unique(changed)
	before, err := store.Subscriptions.ByIDs(store.WithoutRehearsal(ctx), s.Read(), ids)
	if err != nil {
		return nil, err
	}
	after, err := store.Subscriptions.ByIDs(ctx, s.Read(), ids)
	if err != nil {
		return nil, err
	}
	m := &sums{changes: map[string]*change{}}
	if err := s.recurring(ctx, m.changes, before, after); err != nil {
		return nil, err
	}
	for n := range after {
		accounts = append(accounts, after[n].AccountID)
	}
	slices.Sort(accounts)
	m.accounts = slices.Compact(accounts)
	billed, err := s.Invoicing.BilledNow(ctx, m.accounts)
	for currency, amount := range billed {
		changeIn(m.changes, currency).now += amount
	}
	return m, err
}

// without takes off what the accounts are billed today anyway. It is called after the
// rehearsal, when nothing has changed.
func (s *Service) without(ctx context.Context, m *sums) error {
	due, err := s.Invoicing.DueNow(ctx, m.accounts)
	for currency, amount := range due {
		changeIn(m.changes, currency).now -= amount
	}
	return err
}

// list is what changes, with all the digits of each currency.
func (m *sums) list() ([]Money, error) {
	all := []Money{}
	for _, code := range slices.Sorted(maps.Keys(m.changes)) {
		c := m.changes[code]
		currency, err := money.CurrencyOf(code)
		if err != nil {
			return nil, err
		}
		sum, customers := c.recurs()
		perMonth, err := money.Round(currency.Minor(sum))
		if err != nil {
			return nil, err
		}
		if perMonth != 0 || c.now != 0 {
			all = append(all, Money{code, currency.Format(perMonth), currency.Format(c.now), customers})
		}
	}
	return all, nil
}

func changeIn(changes map[string]*change, currency string) *change {
	if changes[currency] == nil {
		changes[currency] = &change{perMonth: map[billing.AccountID]*big.Rat{}}
	}
	return changes[currency]
}

// recurs is what all accounts pay more by the month, and how many pay something else.
func (c *change) recurs() (sum *big.Rat, accounts int) {
	sum = new(big.Rat)
	for _, of := range c.perMonth {
		if of.Sign() != 0 {
			accounts++
		}
		sum.Add(sum, of)
	}
	return sum, accounts
}

// recurring takes off what subscriptions cost by the month before, and adds what they cost
// after, each on its own today.
func (s *Service) recurring(ctx context.Context, changes map[string]*change, before, after []subscription.Subscription) error {
	var clocks []*billing.TestClockID
	for _, sub := range slices.Concat(before, after) {
		clocks = append(clocks, sub.TestClockID)
	}
	days, err := provisioning.DaysOn(ctx, s.Store.Snapshot(), clocks)
	if err != nil {
		return err
	}
	add := func(subs []subscription.Subscription, sign int64) {
		for n := range subs {
			for currency, value := range subs[n].PerMonth(days.On(subs[n].TestClockID)) {
				by := changeIn(changes, currency).perMonth
				if by[subs[n].AccountID] == nil {
					by[subs[n].AccountID] = new(big.Rat)
				}
				by[subs[n].AccountID].Add(by[subs[n].AccountID], value.Mul(value, big.NewRat(sign, 1)))
			}
		}
	}
	add(before, -1)
	add(after, 1)
	return nil
}
