package invoicing

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store"
)

// BilledNow is what a rehearsal bills accounts today, or credits them, with tax and by
// currency: in what was issued, and in what is due. Accounts that cannot be billed do not
// count.
func (s *Service) BilledNow(ctx context.Context, accounts []billing.AccountID) (map[string]money.Amount, error) {
	sums, err := s.DueNow(ctx, accounts)
	if err != nil || sums == nil {
		return nil, err
	}
	issued, err := store.BilledTo(ctx, s.Read(), accounts)
	if err != nil {
		return nil, err
	}
	before, err := store.BilledTo(store.WithoutRehearsal(ctx), s.Read(), accounts)
	for currency, amount := range issued {
		sums[currency] += amount
	}
	for currency, amount := range before {
		sums[currency] -= amount
	}
	return sums, err
}

// DueNow is what accounts would be billed today, or credited; nil if nobody is billed.
func (s *Service) DueNow(ctx context.Context, accounts []billing.AccountID) (map[string]money.Amount, error) {
	entities, err := store.AllEntities(ctx, s.Read())
	if err != nil || !slices.ContainsFunc(entities, func(e billing.Entity) bool { return e.InvoicingStartsOn != nil }) {
		return nil, err
	}
	sums := map[string]money.Amount{}
	for _, id := range accounts {
		var p ChangePreview
		if err := s.TakenBack(ctx, func(ctx context.Context, tx *store.Tx) error { return s.previewMoney(ctx, tx, id, false, &p) }); err != nil {
			return nil, err
		}
		if p.Now == nil {
			continue
		}
		for _, t := range p.Now.Totals {
			sums[t.Currency.Code] += t.Amount
		}
	}
	return sums, nil
}
