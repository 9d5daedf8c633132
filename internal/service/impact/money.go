package impact

import (
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

func (p perAccount) sum() *big.Rat {
	sum := new(big.Rat)
	for _, amount := range p {
		sum.Add(sum, amount)
	}
	return sum
}

// change is what changes in a currency: what recurs today and in the end, for those for
// whom that is something else, and what is billed now.
type change struct {
	today, end perAccount
	// first and last are the days on which that begins.
	first, last billing.Date
	now         money.Amount
}

// later notes what an account pays more or less from a day on.
func (c *change) later(id billing.AccountID, from billing.Date, amount *big.Rat) {
	if c.end.add(id, amount); len(c.end) == 1 || from.Before(c.first) {
		c.first = from
	}
	if from.After(c.last) {
		c.last = from
	}
}

// sums are what changes, by currency, and for whom.
type sums struct {
	changes  map[string]*change
	accounts []billing.AccountID
}

func (m *sums) in(currency string) *change {
	if m.changes[currency] == nil {
		m.changes[currency] = &change{today: perAccount{}, end: perAccount{}}
	}
	return m.changes[currency]
}

// money compares what subscriptions cost before and after, and finds out what their
// accounts would be billed today.
func (s *Service) money(ctx context.Context, effects *operation.Effects) (*sums, error) {
	m := &sums{changes: map[string]*change{}}
	ids := slices.Clone(effects.Subscriptions)
	for _, list := range operation.Unique(effects.PriceLists) {
		planned, err := store.SubscriptionsPlannedFor(ctx, s.Read(), list, store.NoLimit)
		if err != nil {
			return nil, err
		}
		for n := range planned {
			ids = append(ids, planned[n].ID)
		}
	}
	accounts, err := s.recurring(ctx, m, operation.Unique(ids))
	if err != nil {
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
		perMonth, err := money.Round(currency.Minor(c.today.sum()))
		if err != nil {
			return nil, err
		}
		found := Money{Currency: code, PerMonth: currency.Format(perMonth), Now: currency.Format(c.now)}
		for _, amount := range c.today {
			if amount.Sign() != 0 {
				found.Customers++
			}
		}
		if len(c.end) > 0 {
			end, err := money.Round(currency.Minor(c.end.sum()))
			if err != nil {
				return nil, err
			}
			found.Later = &Later{From: c.first, PerMonth: currency.Format(end), Customers: len(c.end), Last: c.last}
		}
		if perMonth != 0 || c.now != 0 || found.Later != nil {
			all = append(all, found)
		}
	}
	return all, nil
}
