package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/store/search"
)

// Maintain tidies up what grows untidy with many writes, in small
// transactions. PostgreSQL does so by itself.
func (s *Store) Maintain(ctx context.Context) error {
	return search.Maintain(ctx, s.DB, "account", "contact", "tenant", "subscription")
}
