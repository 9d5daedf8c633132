package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store/column"
)

// Platforms keeps webhook.Platform.
var Platforms = newTable(Table[webhook.Platform, billing.PlatformID]{
	name:      "platform",
	own:       isPlatform,
	id:        func(p *webhook.Platform) *billing.PlatformID { return &p.ID },
	described: webhook.PlatformFields,
	columns: []string{
		"signing_secret_sealed", "auth_token_sealed", "previous_secret_sealed", "previous_secret_until",
		"auth_token_for", "plain_signature_key_for", "plain_signature_key_sealed",
	},
	fields: func(p *webhook.Platform) []any {
		return []any{
			&p.SigningSecretSealed, &p.AuthTokenSealed, &p.PreviousSecretSealed, column.OptionalMillis(&p.PreviousSecretUntil),
			&p.AuthTokenFor, &p.PlainSignatureKeyFor, &p.PlainSignatureKeySealed,
		}
	},
	stamps: func(p *webhook.Platform) (*time.Time, *time.Time) { return &p.CreatedAt, &p.UpdatedAt },
	words:  func(p *webhook.Platform) []string { return []string{p.Name, p.Code} },
	changed: func(ctx context.Context, tx *Tx, before, after *webhook.Platform) error {
		if before != nil {
			return nil
		}
		return addWorkflow(ctx, tx, webhook.NewWorkflow(after.ID))
	},
	filters: map[string]field{
		"provisioningEnabled": {"provisioning_enabled", boolean, nil},
	},
})
