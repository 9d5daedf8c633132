package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/delivery"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/webhook"
	"github.com/tenantry/tenantry/internal/webhook/send"
	"github.com/tenantry/tenantry/internal/webhook/target"
)

// outbox is a database with tenants whose webhooks go to a receiver in this
// process.
type outbox struct {
	store    *store.Store
	raw      *sql.DB
	service  *service.Service
	receiver *httptest.Server
	body     string
	arrived  atomic.Int64
	left     int64
	// onArrival is told of every request, if it is set.
	onArrival func(*http.Request)
}

func newOutbox(ctx context.Context, e *engine, name string, tenants int) (w *outbox, err error) {
	database, err := e.create(ctx, name)
	if err != nil {
		return nil, err
	}
	w = &outbox{body: string(billing.SampleStates()[2].Body())}
	if w.store, err = store.Open(ctx, store.Options{URL: database, Now: now}); err != nil {
		return nil, err
	}
	if w.raw, err = e.raw(database); err != nil {
		return nil, errors.Join(err, w.store.Close())
	}
	w.receiver = httptest.NewServer(http.HandlerFunc(w.receive))
	box, err := secret.NewBox(secretKey)
	if err != nil {
		return nil, err
	}
	w.service = service.New(w.store, box, nil)
	_, err = w.service.Delivery.PlatformCreate(ctx, func(p *billing.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled, p.WebhookURL = "cloud", "Cloud", true, &w.receiver.URL
		return nil
	}, delivery.PlatformSecrets{})
	if err != nil {
		return nil, err
	}
	return w, w.exec(ctx,
		`INSERT INTO account (name, billing_day, created_at, updated_at, search) VALUES ('A', 1, 0, 0, 'a')`,
		fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO tenant (platform_id, account_id, code, name, created_at, updated_at, search) SELECT 1, 1, 't-' || i, 'T', 0, 0, 't' FROM n`, tenants),
		`INSERT INTO webhook_stream (tenant_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence)
			SELECT id, 1, 0, 0, 0, 0, 0, 0, 0, 0 FROM tenant`)
}

func (w *outbox) close() error {
	w.receiver.Close()
	return errors.Join(w.raw.Close(), w.store.Close())
}

func (w *outbox) exec(ctx context.Context, texts ...string) error {
	for _, text := range texts {
		if _, err := w.raw.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%w in %.60s", err, text)
		}
	}
	return nil
}

// queue gives every tenant so many events.
func (w *outbox) queue(ctx context.Context, each int) error {
	body := strings.ReplaceAll(w.body, "'", "''")
	err := w.exec(ctx,
		fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO webhook_event (type, tenant_id, platform_id, sequence, reason, body, created_at)
			SELECT 'TenantProvisioningChange', tenant_id, 1, last_sequence + i, 'bench', '%s', %d FROM n, webhook_stream ORDER BY i, tenant_id`, each, body, now().UnixMilli()),
		`INSERT INTO webhook_delivery (event_id, platform_id, tenant_id, position, cause, forced, state, latest, created_at, updated_at)
			SELECT webhook_event.id, 1, webhook_event.tenant_id, sequence, 'change', 0 > 1, 'waiting', 1 > 0, webhook_event.created_at, webhook_event.created_at
			FROM webhook_event JOIN webhook_stream ON webhook_stream.tenant_id = webhook_event.tenant_id WHERE sequence > last_sequence ORDER BY webhook_event.id`,
		fmt.Sprintf(`UPDATE webhook_stream SET last_sequence = last_sequence + %d, last_position = last_position + %d, newest_position = last_position + %d, due_at = COALESCE(due_at, 0)`,
			each, each, each))
	if err != nil {
		return err
	}
	if err := w.exec(ctx, `ANALYZE`); err != nil {
		return err
	}
	return w.raw.QueryRowContext(ctx, `SELECT CAST(sum(last_position - done_position) AS BIGINT) FROM webhook_stream`).Scan(&w.left)
}

func (w *outbox) receive(rw http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.arrived.Add(1)
	if w.onArrival != nil {
		w.onArrival(r)
	}
}

func (w *outbox) engine() *webhook.Engine {
	return webhook.New(webhook.Options{
		Store: w.store, Sender: send.New(target.New(true, nil), send.Options{Now: now}), Secrets: w.service.Delivery.RouteSecrets,
		Log: slog.New(slog.NewJSONHandler(io.Discard, nil)), Now: now, UserAgent: "Tenantry/bench",
	})
}
