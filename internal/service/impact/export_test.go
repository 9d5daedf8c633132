package impact

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/operation"
)

// Billed returns whose bills are computed to say what operations would do.
func Billed(ctx context.Context, s *Service, do func(context.Context) error) (accounts []billing.AccountID, err error) {
	err = s.Rehearse(ctx, func(ctx context.Context, effects *operation.Effects) error {
		if err := do(ctx); err != nil {
			return err
		}
		m, err := s.money(ctx, effects)
		if err == nil {
			accounts = m.accounts
		}
		return err
	})
	return accounts, err
}
