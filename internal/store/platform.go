package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Platforms keeps billing.Platform.
var Platforms = newTable(Table[billing.Platform, billing.PlatformID]{
	name: "platform",
	columns: []string{
		"id", "code", "name", "provisioning_enabled", "webhook_url", "signing_secret_sealed", "auth_token_sealed",
		"previous_secret_sealed", "previous_secret_until", "auth_token_for", "plain_signature_key_for",
		"plain_signature_header", "plain_signature_algorithm", "plain_signature_key_sealed", "created_at", "updated_at",
	},
	fields: func(p *billing.Platform) []any {
		return []any{
			&p.ID, &p.Code, &p.Name, &p.ProvisioningEnabled, &p.WebhookURL, &p.SigningSecretSealed, &p.AuthTokenSealed,
			&p.PreviousSecretSealed, optionalMillis(&p.PreviousSecretUntil), &p.AuthTokenFor, &p.PlainSignatureKeyFor,
			&p.PlainSignatureHeader, &p.PlainSignatureAlgorithm, &p.PlainSignatureKeySealed, millis(&p.CreatedAt), millis(&p.UpdatedAt),
		}
	},
	stamps: func(p *billing.Platform) (*time.Time, *time.Time) { return &p.CreatedAt, &p.UpdatedAt },
	words:  func(p *billing.Platform) []string { return []string{p.Name, p.Code} },
	changed: func(ctx context.Context, tx *Tx, before, after *billing.Platform) error {
		if before != nil {
			return nil
		}
		return addWorkflow(ctx, tx, after.ID)
	},
	filters: map[string]field{
		"id": {"id", number, nil}, "name": {"name", name, nil}, "code": {"code", exact, nil},
		"provisioningEnabled": {"provisioning_enabled", boolean, nil},
		"created":             {"created_at", moment, nil}, "updated": {"updated_at", moment, nil},
	},
})

// PlatformByCode returns the platform with that code, or nil.
func PlatformByCode(ctx context.Context, q Queries, code string) (*billing.Platform, error) {
	return Platforms.by(ctx, q, "code", code)
}
