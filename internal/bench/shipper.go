package main

import (
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/send"
	"github.com/tenantry/tenantry/internal/delivery/target"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// shipper is a database with tenants whose webhooks go to a receiver in this
// process.
type shipper struct {
	run      *run
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

func (r *run) newShipper(name string, tenants int) *shipper {
	database := r.create(name)
	st := r.open(database)
	w := &shipper{run: r, store: st, raw: r.raw(database), service: operations(st), body: string(webhook.SampleStates()[2].Body())}
	w.receiver = httptest.NewServer(http.HandlerFunc(w.receive))
	r.Cleanup(w.receiver.Close)
	w.addPlatform("cloud", w.receiver.URL)
	r.execute(w.raw,
		`INSERT INTO account (name, billing_day, created_at, updated_at, search) VALUES ('A', 1, 0, 0, 'a')`,
		fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO tenant (platform_id, account_id, code, name, created_at, updated_at, search) SELECT 1, 1, 't-' || i, 'T', 0, 0, 't' FROM n`, tenants),
		`INSERT INTO webhook_stream (subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, attempts, tries, delivered_sequence, highest_sequence)
			SELECT 'TENANT', id, 1, 0, 0, 0, 0, 0, 0, 0, 0 FROM tenant`)
	return w
}

func (w *shipper) addPlatform(code, url string) {
	must(w.service.Delivery.PlatformCreate(w.run.Context(), func(p *webhook.Platform) error {
		p.Code, p.Name, p.ProvisioningEnabled, p.WebhookURL = code, code, true, &url
		return nil
	}, delivery.PlatformSecrets{}))
}

// queue gives every tenant so many events.
func (w *shipper) queue(each int) {
	body := strings.ReplaceAll(w.body, "'", "''")
	w.run.execute(w.raw,
		fmt.Sprintf(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO webhook_event (type, stream_id, platform_id, sequence, reason, body, created_at)
			SELECT 'TenantProvisioningChange', webhook_stream.id, 1, last_sequence + i, 'bench', '%s', %d FROM n, webhook_stream ORDER BY i, webhook_stream.id`, each, body, now().UnixMilli()),
		`INSERT INTO webhook_delivery (event_id, platform_id, stream_id, position, cause, forced, state, latest, created_at, updated_at)
			SELECT webhook_event.id, 1, webhook_event.stream_id, sequence, 'change', 0 > 1, 'waiting', 1 > 0, webhook_event.created_at, webhook_event.created_at
			FROM webhook_event JOIN webhook_stream ON webhook_stream.id = webhook_event.stream_id WHERE sequence > last_sequence ORDER BY webhook_event.id`,
		fmt.Sprintf(`UPDATE webhook_stream SET last_sequence = last_sequence + %d, last_position = last_position + %d, newest_position = last_position + %d, due_at = COALESCE(due_at, 0)`,
			each, each, each),
		`ANALYZE`)
	check(w.raw.QueryRowContext(w.run.Context(), `SELECT CAST(sum(last_position - done_position) AS BIGINT) FROM webhook_stream`).Scan(&w.left))
}

func (w *shipper) receive(rw http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.arrived.Add(1)
	if w.onArrival != nil {
		w.onArrival(r)
	}
}

func (w *shipper) engine() *worker.Engine {
	return worker.New(worker.Options{
		Store: w.store, Sender: send.New(target.New(true, nil), send.Options{Now: now}), Secrets: w.service.Delivery.RouteSecrets,
		Log: slog.New(slog.NewJSONHandler(io.Discard, nil)), Now: now, UserAgent: "Tenantry/bench",
	})
}
