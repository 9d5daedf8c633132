package webhook

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"
	_ "modernc.org/sqlite"

	"github.com/tenantry/tenantry/client/webhook"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const (
	secret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	another = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
)

var moment = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// request is a webhook to be sent; its zero values mean what is right.
type request struct {
	body     string
	tenant   int
	sequence int
	forced   bool
	secrets  []string
	at       time.Time
	header   map[string]string // what is different; empty values remove a header
	method   string
}

func body(tenant, sequence int) string {
	return fmt.Sprintf(`{"type":"TenantProvisioningChange","payload":{"tenant":{"id":%d,"code":"acme","name":"Acme","platform":{"id":1,"code":"app","name":"App"},`+
		`"account":{"id":3,"name":"Acme Inc","billing_day":15,"contacts":[]}},"change":{"features":[{"code":"users","name":"Users","value":"","quantity":%d}],"subscriptions":[]}}}`, tenant, sequence)
}

// build signs a request with the library of the standard, not with ours.
func (r request) build(t testing.TB) *http.Request {
	t.Helper()
	if r.tenant == 0 {
		r.tenant = 7
	}
	if r.body == "" {
		r.body = body(r.tenant, r.sequence)
	}
	if r.at.IsZero() {
		r.at = moment
	}
	if r.secrets == nil {
		r.secrets = []string{secret}
	}
	if r.method == "" {
		r.method = http.MethodPost
	}
	signatures := ""
	for _, one := range r.secrets {
		signer, err := standard.NewWebhook(one)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := signer.Sign("12", r.at, []byte(r.body))
		if err != nil {
			t.Fatal(err)
		}
		signatures += " " + signature
	}
	out := httptest.NewRequest(r.method, "/webhooks", bytes.NewReader([]byte(r.body)))
	out.Header.Set("webhook-id", "12")
	out.Header.Set("webhook-timestamp", strconv.FormatInt(r.at.Unix(), 10))
	out.Header.Set("webhook-signature", signatures[1:])
	out.Header.Set("webhook-sequence", strconv.Itoa(r.sequence))
	out.Header.Set("webhook-attempt", "1")
	if r.forced {
		out.Header.Set("webhook-forced", "true")
	}
	for name, value := range r.header {
		out.Header.Del(name)
		if value != "" {
			out.Header.Set(name, value)
		}
	}
	return out
}

// application keeps the changes it was called with.
type application struct {
	mu      sync.Mutex
	applied []int64
	fail    error
}

func (a *application) apply(_ context.Context, change webhook.Change) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.fail != nil {
		return a.fail
	}
	a.applied = append(a.applied, change.Delivery.Sequence)
	return nil
}

func newHandler(t testing.TB, store webhook.Store, apply webhook.Apply, options ...webhook.Option) *webhook.Handler {
	t.Helper()
	options = append([]webhook.Option{
		webhook.WithClock(func() time.Time { return moment }), webhook.WithLog(slog.New(slog.DiscardHandler)),
	}, options...)
	h, err := webhook.NewHandler([]string{secret}, store, apply, options...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func serve(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// eachStore runs a test on every store there is.
func eachStore(t *testing.T, test func(t *testing.T, store webhook.Store)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, webhook.NewMemoryStore())
	})
	eachDatabase(t, func(t *testing.T, store webhook.Store, _ *sql.DB) { test(t, store) })
}

// eachDatabase runs a test on an SQLStore in each database.
func eachDatabase(t *testing.T, test func(t *testing.T, store webhook.Store, db *sql.DB)) {
	for _, driver := range []string{"sqlite", "pgx"} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			address := filepath.Join(t.TempDir(), "app.db") + "?_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)"
			if driver == "pgx" {
				address = storetest.Postgres(t)
			}
			db, err := sql.Open(driver, address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			store, err := webhook.NewSQLStore(t.Context(), db, "")
			if err != nil {
				t.Fatal(err)
			}
			test(t, store, db)
		})
	}
}
