package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// The two kinds of rows in the table platform, each of which has a Table.
const (
	isPlatform      = "platform.event_types IS NULL"
	isEventEndpoint = "platform.event_types IS NOT NULL"
)

// EventEndpoints keeps webhook.EventEndpoint, in the table of platforms.
var EventEndpoints = newTable(Table[webhook.EventEndpoint, billing.EventEndpointID]{
	name:      "platform",
	own:       isEventEndpoint,
	id:        func(e *webhook.EventEndpoint) *billing.EventEndpointID { return &e.ID },
	described: webhook.EventEndpointFields,
	renamed:   map[string]string{"url": "webhook_url", "enabled": "provisioning_enabled"},
	columns: []string{
		"event_types", "signing_secret_sealed", "previous_secret_sealed", "previous_secret_until", "auth_token_sealed", "plain_signature_key_sealed",
	},
	fields: func(e *webhook.EventEndpoint) []any {
		return []any{
			column.JSON(&e.Types), &e.SigningSecretSealed, &e.PreviousSecretSealed, column.OptionalMillis(&e.PreviousSecretUntil), noSecret, noSecret,
		}
	},
	stamps: func(e *webhook.EventEndpoint) (*time.Time, *time.Time) { return &e.CreatedAt, &e.UpdatedAt },
	words:  func(e *webhook.EventEndpoint) []string { return []string{e.Name, e.Code} },
	changed: func(ctx context.Context, tx *Tx, before, after *webhook.EventEndpoint) error {
		if before != nil {
			return nil
		}
		return addWorkflow(ctx, tx, webhook.EventWorkflow(billing.PlatformID(after.ID)))
	},
	filters: map[string]field{
		"enabled": {"provisioning_enabled", boolean, nil},
	},
})

// noSecret is written for the secrets that only platforms have.
var noSecret = column.Derived(func() driver.Value { return "" })

// HasEventEndpoints reports whether business events are recorded for anybody. In a
// transaction it is read with other settings, at no cost of its own.
func HasEventEndpoints(ctx context.Context, q Queries) (bool, error) {
	s, err := settingsOf(ctx, q)
	return s.eventEndpoints, err
}

// Recipients returns the platforms and event endpoints with those ids, as those who
// send webhooks see both.
func Recipients(ctx context.Context, q Queries, ids []billing.PlatformID) ([]webhook.Platform, error) {
	columns, scan := Platforms.Projection(nil)
	text := fmt.Sprintf("SELECT %s FROM platform WHERE platform.id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY platform.id", columns)
	return Platforms.rows(ctx, q, text, []any{db.JSONList(ids)}, min(len(ids), 100), scan)
}
