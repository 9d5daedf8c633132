package store_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pressly/goose/v3"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestStreamsGetSubjects migrates a database in which streams, events and deliveries
// refer to tenants: they are carried over, and a new stream gets an id that is free.
func TestStreamsGetSubjects(t *testing.T) {
	t.Parallel()
	eachEmpty(t, func(t *testing.T, db *storetest.Database) {
		writeBeforeSubjects(t, db)
		s := db.Open(t)
		const waits, idle billing.TenantID = 41, 42
		streams := got[map[billing.TenantID]*webhook.Stream](t)(outbox.StreamsOf(t.Context(), s.Queries(), []billing.TenantID{waits, idle}))
		same(t, "streams", len(streams), 1)
		same(t, "its numbers", []any{streams[waits].PlatformID, streams[waits].LastSequence, streams[waits].DonePosition}, []any{billing.PlatformID(1), 2, int64(1)})
		events := got[[]webhook.Event](t)(outbox.EventsOfTenant(t.Context(), s.Queries(), waits, 0, 10))
		same(t, "its events", []any{len(events), events[1].Subject.Tenant(), events[1].Body}, []any{2, waits, "b"})
		head := got[*outbox.Queued](t)(outbox.QueuedAt(t.Context(), s.Queries(), streams[waits], streams[waits].Head()))
		same(t, "its head", head.Delivery.EventID, events[1].ID)
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			maker{ctx, tx}.tell(&billing.Tenant{ID: idle, PlatformID: 1})
		})
		same(t, "the first event of the other", stream(t, s, &billing.Tenant{ID: idle}).LastSequence, 1)
		if stream(t, s, &billing.Tenant{ID: idle}).ID == streams[waits].ID {
			t.Error("two streams have one id")
		}
	})
}

// upTo migrates a database to a version of the schema.
func upTo(t *testing.T, db *storetest.Database, version int64) *sql.DB {
	t.Helper()
	dialect, driver, source := goose.DialectSQLite3, "sqlite", strings.TrimPrefix(db.URL, "sqlite:")
	if db.Engine == "postgres" {
		dialect, driver, source = goose.DialectPostgres, "pgx", db.URL
	}
	raw := got[*sql.DB](t)(sql.Open(driver, source))
	provider := got[*goose.Provider](t)(goose.NewProvider(dialect, raw, migrationsFor(t, db.Engine)))
	got[[]*goose.MigrationResult](t)(provider.UpTo(t.Context(), version))
	return raw
}

// migrationsFor are the migrations that both databases share, and those of one.
func migrationsFor(t *testing.T, engine string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, folder := range []string{"migrations", filepath.Join("migrations", engine)} {
		for _, path := range got[[]string](t)(filepath.Glob(filepath.Join(folder, "*.sql"))) {
			files[filepath.Base(path)] = &fstest.MapFile{Data: got[[]byte](t)(os.ReadFile(path))}
		}
	}
	return files
}

// writeBeforeSubjects makes a database with the schema before that migration.
func writeBeforeSubjects(t *testing.T, db *storetest.Database) {
	t.Helper()
	raw := upTo(t, db, 2)
	for _, text := range []string{
		`INSERT INTO platform (id, code, name, provisioning_enabled, signing_secret_sealed, auth_token_sealed, plain_signature_key_sealed, created_at, updated_at, search)
			VALUES (1, 'p', 'P', 1 = 1, '', '', '', 0, 0, '')`,
		`INSERT INTO account (id, name, billing_day, created_at, updated_at, search) VALUES (1, 'A', 1, 0, 0, '')`,
		`INSERT INTO tenant (id, platform_id, account_id, code, name, created_at, updated_at, search) VALUES (41, 1, 1, 't', 'T', 0, 0, ''), (42, 1, 1, 'u', 'U', 0, 0, '')`,
		`INSERT INTO webhook_event (id, type, tenant_id, platform_id, sequence, reason, body, created_at)
			VALUES (7, 'T', 41, 1, 1, 'r', 'a', 0), (8, 'T', 41, 1, 2, 'r', 'b', 0), (9, 'T', NULL, 1, 0, 'test', 'c', 0)`,
		`INSERT INTO webhook_delivery (event_id, platform_id, tenant_id, position, cause, forced, state, latest, created_at, updated_at)
			VALUES (7, 1, 41, 1, 'change', 1 = 0, 'delivered', 1 = 1, 0, 0), (8, 1, 41, 2, 'change', 1 = 0, 'waiting', 1 = 1, 0, 0), (9, 1, NULL, 0, 'test', 1 = 0, 'delivered', 1 = 1, 0, 0)`,
		`INSERT INTO webhook_stream (tenant_id, platform_id, last_sequence, last_position, newest_position, done_position, due_at, attempts, tries, delivered_sequence, highest_sequence)
			VALUES (41, 1, 2, 2, 2, 1, 0, 0, 0, 1, 1)`,
	} {
		if _, err := raw.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
}
