package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Workflows keeps webhook.Workflow. Every platform has one from its beginning
// to its end; those of event endpoints are not listed, because nobody changes them.
var Workflows = newTable(Table[webhook.Workflow, billing.WorkflowID]{
	name: "workflow",
	own:  "workflow.platform_id IN (SELECT id FROM platform WHERE " + isPlatform + ")",
	id:   func(w *webhook.Workflow) *billing.WorkflowID { return &w.ID },
	columns: []string{
		"platform_id", "name", "description", "enabled", "payload_program", "state_program", "timeout_seconds", "retry_delays",
		"delivery_order", "max_concurrency", "headers_sealed", "headers_for",
	},
	fields: func(w *webhook.Workflow) []any {
		return []any{
			&w.PlatformID, &w.Name, &w.Description, &w.Enabled, &w.PayloadProgram, &w.StateProgram, &w.TimeoutSeconds, column.JSON(&w.RetryDelays),
			&w.Order, &w.MaxConcurrency, &w.HeadersSealed, &w.HeadersFor,
		}
	},
	stamps: func(w *webhook.Workflow) (*time.Time, *time.Time) { return &w.CreatedAt, &w.UpdatedAt },
	words:  func(w *webhook.Workflow) []string { return []string{w.Name} },
	filters: map[string]field{
		"enabled":  {"enabled", boolean, nil},
		"platform": {"platform_id", refer, []string{"platform"}},
	},
})

// addWorkflow gives a new platform or event endpoint what sends its webhooks.
func addWorkflow(ctx context.Context, tx *Tx, w webhook.Workflow) error {
	if err := Workflows.Insert(ctx, tx, &w); err != nil {
		return err
	}
	const text = `INSERT INTO webhook_endpoint (platform_id, failures, failed_tenants, open_delay, latest_before) VALUES ($1, 0, '[]', 0, 0)`
	_, err := tx.Exec(ctx, text, int64(w.PlatformID))
	return err
}

// WorkflowsOf returns the workflows of those platforms.
func WorkflowsOf(ctx context.Context, q Queries, platforms []billing.PlatformID) ([]webhook.Workflow, error) {
	return Workflows.children(ctx, q, "platform_id", db.JSONList(platforms), billing.Filter{}, noLimit)
}
