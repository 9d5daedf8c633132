package impact

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// perAccount are amounts by the month.
type perAccount map[billing.AccountID]*big.Rat

func (p perAccount) add(id billing.AccountID, amount *big.Rat) {
	if p[id] == nil {
		p[id] = new(big.Rat)
	}
	p[id].Add(p[id], amount)
}

// sum is what all pay more together, and who pays something else, those with most at stake
// first.
func (p perAccount) sum() (sum *big.Rat, differing []billing.AccountID) {
	sum = new(big.Rat)
	for id, amount := range p {
		if sum.Add(sum, amount); amount.Sign() != 0 {
			differing = append(differing, id)
		}
	}
	slices.SortFunc(differing, func(a, b billing.AccountID) int {
		return cmp.Or(new(big.Rat).Abs(p[b]).Cmp(new(big.Rat).Abs(p[a])), cmp.Compare(a, b))
	})
	return sum, differing
}

// change is what changes in a currency.
type change struct {
	// steps are how much more or less recurs from a day on than before; the zero date is
	// each one's today.
	steps map[billing.Date]perAccount
	now   money.Amount
}

func (c *change) add(from billing.Date, id billing.AccountID, amount *big.Rat) {
	if c.steps[from] == nil {
		c.steps[from] = perAccount{}
	}
	c.steps[from].add(id, amount)
}

// each calls do with what recurs from a day on, for all such days in order.
func (c *change) each(do func(from billing.Date, so perAccount) error) error {
	so := perAccount{}
	for _, day := range slices.SortedFunc(maps.Keys(c.steps), billing.Date.Compare) {
		for id, amount := range c.steps[day] {
			so.add(id, amount)
		}
		if err := do(day, so); err != nil {
			return err
		}
	}
	return nil
}

// sums are what changes, by currency, and for whom.
type sums struct {
	changes  map[string]*change
	accounts []billing.AccountID
}

func (m *sums) in(currency string) *change {
	if m.changes[currency] == nil {
		m.changes[currency] = &change{steps: map[billing.Date]perAccount{}}
	}
	return m.changes[currency]
}

// money compares what subscriptions cost before and after, and finds out what their
// accounts would be billed today. What those are to pay who are to change to a price list is
// nothing that is billed today.
func (s *Service) money(ctx context.Context, effects *operation.Effects) (*sums, error) {
	m := &sums{changes: map[string]*change{}}
	changed := operation.Unique(effects.Subscriptions)
	accounts, err := s.recurring(ctx, m, changed)
	if err != nil {
		return nil, err
	}
	var planned []billing.SubscriptionID
	for _, list := range operation.Unique(effects.PriceLists) {
		found, err := store.SubscriptionsPlannedFor(ctx, s.Read(), list, store.NoLimit)
		if err != nil {
			return nil, err
		}
		for n := range found {
			if _, both := slices.BinarySearch(changed, found[n].ID); !both {
				planned = append(planned, found[n].ID)
			}
		}
	}
	if _, err := s.recurring(ctx, m, operation.Unique(planned)); err != nil {
		return nil, err
	}
	m.accounts = operation.Unique(append(accounts, effects.Accounts...))
	billed, err := s.Invoicing.BilledNow(ctx, m.accounts)
	for currency, amount := range billed {
		m.in(currency).now += amount
	}
	return m, err
}

// without takes off what the accounts are billed today anyway. It is called after the
// rehearsal, when nothing has changed.
func (s *Service) without(ctx context.Context, m *sums) error {
	due, err := s.Invoicing.DueNow(ctx, m.accounts)
	for currency, amount := range due {
		m.in(currency).now -= amount
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
		found := Money{Currency: code, Now: currency.Format(c.now), Recurring: Recurring{PerMonth: currency.Format(0)}}
		err = c.each(func(from billing.Date, so perAccount) error {
			sum, differing := so.sum()
			perMonth, err := money.Round(currency.Minor(sum))
			recurs := Recurring{PerMonth: currency.Format(perMonth), Customers: len(differing), Accounts: differing[:min(mostKnown, len(differing))]}
			if from == (billing.Date{}) {
				found.Recurring = recurs
			} else {
				found.Later = append(found.Later, Later{From: from, Recurring: recurs})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if found.Customers > 0 || c.now != 0 || len(found.Later) > 0 {
			all = append(all, found)
		}
	}
	return all, nil
}
