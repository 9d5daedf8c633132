// Package servicetest runs operations in tests: on a database of their own, with
// something to sell, and with helpers that subscribe, run jobs and compare.
package servicetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// World is a service on a database of its own, with something to sell. It is
// noon of 15 January 2026.
type World struct {
	*service.Service
	T     *testing.T
	Ctx   context.Context
	DB    *storetest.Database
	Store *store.Store
	Clock *storetest.Clock
	side  *sql.Conn // what only tests need
	Shop
}

// Actor does what tests do.
const Actor = "client 1"

// Each runs a test in a new world on each engine.
func Each(t *testing.T, test func(w *World)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) { test(NewWorld(t, db)) })
}

// NewWorld is the first process on a database.
func NewWorld(t *testing.T, db *storetest.Database) *World {
	t.Helper()
	w := Join(t, db)
	w.Shop = openShop(w)
	return w
}

// DistrustClock does something while the clock is not believed.
func (w *World) DistrustClock(do func()) {
	w.Store.Clock().Distrust(true)
	defer w.Store.Clock().Distrust(false)
	do()
}

// Join is another process on the database of a world.
func Join(t *testing.T, db *storetest.Database) *World {
	t.Helper()
	s := db.Open(t)
	return &World{
		Service: newService(t, s), T: t, DB: db, Store: s, Clock: db.Clock,
		Ctx: operation.As(t.Context(), operation.Caller{Actor: Actor}),
	}
}

func newService(t testing.TB, s *store.Store) *service.Service {
	t.Helper()
	box, err := secret.NewBox("a secret key that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	return service.New(s, box, nil)
}

// Must fails the test on an error and returns the value otherwise.
func Must[T any](w *World) func(T, error) T {
	return func(value T, err error) T {
		w.T.Helper()
		if err != nil {
			w.T.Fatal(err)
		}
		return value
	}
}

// OK fails the test on an error.
func (w *World) OK(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// Sub, subs and tenant are must for what most operations return.
func (w *World) Sub(s *subscription.Subscription, err error) *subscription.Subscription {
	w.T.Helper()
	w.OK(err)
	return s
}

func (w *World) Subs(s []subscription.Subscription, err error) []subscription.Subscription {
	w.T.Helper()
	w.OK(err)
	return s
}

func (w *World) Tenant(t *billing.Tenant, err error) *billing.Tenant {
	w.T.Helper()
	w.OK(err)
	return t
}

// Equal fails the test unless two values are equal.
func (w *World) Equal(what string, have, want any) {
	w.T.Helper()
	if !reflect.DeepEqual(have, want) {
		w.T.Errorf("%s:\nhave %v\nwant %v", what, have, want)
	}
}

// Refused fails the test unless err tells the caller of exactly these problems,
// each written as "CODE field.path".
func (w *World) Refused(what string, err error, want ...string) {
	w.T.Helper()
	problems, known := billing.AsProblems(err)
	if !known {
		w.T.Errorf("%s: %v, want %q", what, err, want)
		return
	}
	var have []string
	for _, p := range problems {
		have = append(have, strings.TrimSpace(string(p.Code)+" "+strings.Join(p.Field, ".")))
		if p.Message == "" {
			w.T.Errorf("%s: a problem without a message", what)
		}
	}
	if !reflect.DeepEqual(have, want) {
		w.T.Errorf("%s: %q (%v), want %q", what, have, err, want)
	}
}

// Unchanged fails the test if do leaves anything behind in the database.
func (w *World) Unchanged(what string, do func()) {
	w.T.Helper()
	before := w.Everything()
	do()
	if after := w.Everything(); after != before {
		w.T.Errorf("%s left something behind:\nbefore %s\nafter  %s", what, before, after)
	}
}

// Everything is the contents of the database, short enough to print.
func (w *World) Everything() string {
	w.T.Helper()
	var counts []string
	for _, table := range []string{
		"account", "contact", "platform", "product", "feature", "plan", "plan_feature", "price_list", "tenant", "test_clock",
		"subscription", "subscription_change", "webhook_event", "audit_entry", "job", "tenant_drift", "drift_report",
	} {
		counts = append(counts, fmt.Sprintf("'%s ' || (SELECT count(*) FROM %s)", table, table))
	}
	counts = append(counts, "'streams ' || (SELECT COALESCE(sum(last_sequence), 0) FROM webhook_stream)")
	return w.QueryText("SELECT "+strings.Join(counts, " || ', ' || ")) + " " + strings.Join(w.All(), ", ")
}

// All are the subscriptions as they are, in a form that compares.
func (w *World) All() []string {
	w.T.Helper()
	rows, err := store.Subscriptions.List(w.Ctx, w.Read(), store.Page{Limit: 1000})
	w.OK(err)
	var lines []string
	for _, s := range rows {
		lines = append(lines, Describe(&s))
	}
	return lines
}

// QueryText is the first column of what a query answers, as text. Tests look into
// tables and break them; nobody else does.
func (w *World) QueryText(query string, args ...any) string {
	w.T.Helper()
	var value any
	w.OnConnection(func(db *sql.Conn) error { return db.QueryRowContext(w.Ctx, query, args...).Scan(&value) })
	return fmt.Sprint(value)
}

// Damage changes tables behind the back of the store, foreign keys or not.
func (w *World) Damage(text string, args ...any) {
	w.T.Helper()
	w.OnConnection(func(db *sql.Conn) error {
		if w.DB.Engine == "postgres" {
			if _, err := db.ExecContext(w.Ctx, `SET session_replication_role = replica`); err != nil {
				return err
			}
		}
		_, err := db.ExecContext(w.Ctx, text, args...)
		return err
	})
}

// OnConnection runs SQL on a connection of its own.
func (w *World) OnConnection(do func(*sql.Conn) error) {
	w.T.Helper()
	if w.side == nil {
		var err error
		w.side, err = w.DB.Connect(w.T).Conn(w.Ctx)
		w.OK(err)
	}
	w.OK(do(w.side))
}

// Day is a date that must exist.
func Day(text string) billing.Date {
	d, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

func On(text string) *billing.Date {
	d := Day(text)
	return &d
}

// Moment is a time, such as 2026-01-15 12:00.
func Moment(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return t
}

// IsOutcome says whether an operation succeeded or was refused, and did not fail.
func IsOutcome(err error) bool {
	var refused *billing.Error
	var problems billing.Problems
	return err == nil || errors.As(err, &refused) || errors.As(err, &problems)
}

// SetBatches makes batches so small that a test needs few rows for several.
// Events are then sent again without a pause.
func SetBatches(s *service.Service, size int) {
	s.Subscriptions.Batch, s.Provisioning.Batch, s.Delivery.ResendBatch, s.Delivery.ResendPause = size, size, size, 0
}
