package service_test

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

// world is a service on a database of its own, with something to sell. It is
// noon of 15 January 2026.
type world struct {
	*service.Service
	t     *testing.T
	ctx   context.Context
	db    *storetest.Database
	store *store.Store
	clock *storetest.Clock
	side  *sql.Conn // what only tests need
	shop
}

const actor = "client 1"

// each runs a test in a new world on each engine.
func each(t *testing.T, test func(w *world)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) { test(newWorld(t, db)) })
}

func newWorld(t *testing.T, db *storetest.Database) *world {
	t.Helper()
	w := join(t, db)
	w.shop = openShop(w)
	return w
}

// unsure does something while the clock is not believed.
func (w *world) unsure(do func()) {
	w.store.Clock().Distrust(true)
	defer w.store.Clock().Distrust(false)
	do()
}

// join is another process on the database of a world.
func join(t *testing.T, db *storetest.Database) *world {
	t.Helper()
	s := db.Open(t)
	return &world{
		Service: newService(t, s), t: t, db: db, store: s, clock: db.Clock,
		ctx: operation.As(t.Context(), operation.Caller{Actor: actor}),
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

// must fails the test on an error and returns the value otherwise.
func must[T any](w *world) func(T, error) T {
	return func(value T, err error) T {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
		return value
	}
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// sub, subs and tenant are must for what most operations return.
func (w *world) sub(s *subscription.Subscription, err error) *subscription.Subscription {
	w.t.Helper()
	w.ok(err)
	return s
}

func (w *world) subs(s []subscription.Subscription, err error) []subscription.Subscription {
	w.t.Helper()
	w.ok(err)
	return s
}

func (w *world) tenant(t *billing.Tenant, err error) *billing.Tenant {
	w.t.Helper()
	w.ok(err)
	return t
}

// same fails the test unless two values are equal.
func (w *world) same(what string, have, want any) {
	w.t.Helper()
	if !reflect.DeepEqual(have, want) {
		w.t.Errorf("%s:\nhave %v\nwant %v", what, have, want)
	}
}

// refused fails the test unless err tells the caller of exactly these problems,
// each written as "CODE field.path".
func (w *world) refused(what string, err error, want ...string) {
	w.t.Helper()
	problems, known := billing.AsProblems(err)
	if !known {
		w.t.Errorf("%s: %v, want %q", what, err, want)
		return
	}
	var have []string
	for _, p := range problems {
		have = append(have, strings.TrimSpace(string(p.Code)+" "+strings.Join(p.Field, ".")))
		if p.Message == "" {
			w.t.Errorf("%s: a problem without a message", what)
		}
	}
	if !reflect.DeepEqual(have, want) {
		w.t.Errorf("%s: %q (%v), want %q", what, have, err, want)
	}
}

// untouched fails the test if do leaves anything behind in the database.
func (w *world) untouched(what string, do func()) {
	w.t.Helper()
	before := w.everything()
	do()
	if after := w.everything(); after != before {
		w.t.Errorf("%s left something behind:\nbefore %s\nafter  %s", what, before, after)
	}
}

// everything is the contents of the database, short enough to print.
func (w *world) everything() string {
	w.t.Helper()
	var counts []string
	for _, table := range []string{
		"account", "contact", "platform", "product", "feature", "plan", "plan_feature", "price_list", "tenant", "test_clock",
		"subscription", "subscription_change", "webhook_event", "audit_entry", "job",
	} {
		counts = append(counts, fmt.Sprintf("'%s ' || (SELECT count(*) FROM %s)", table, table))
	}
	counts = append(counts, "'streams ' || (SELECT COALESCE(sum(last_sequence), 0) FROM webhook_stream)")
	return w.text("SELECT "+strings.Join(counts, " || ', ' || ")) + " " + strings.Join(w.all(), ", ")
}

// all are the subscriptions as they are, in a form that compares.
func (w *world) all() []string {
	w.t.Helper()
	rows, err := store.Subscriptions.List(w.ctx, w.Read(), store.Page{Limit: 1000})
	w.ok(err)
	var lines []string
	for _, s := range rows {
		lines = append(lines, describe(&s))
	}
	return lines
}

// text is the first column of what a query answers, as text. Tests look into
// tables and break them; nobody else does.
func (w *world) text(query string, args ...any) string {
	w.t.Helper()
	var value any
	w.raw(func(db *sql.Conn) error { return db.QueryRowContext(w.ctx, query, args...).Scan(&value) })
	return fmt.Sprint(value)
}

// damage changes tables behind the back of the store, foreign keys or not.
func (w *world) damage(text string, args ...any) {
	w.t.Helper()
	w.raw(func(db *sql.Conn) error {
		if w.db.Engine == "postgres" {
			if _, err := db.ExecContext(w.ctx, `SET session_replication_role = replica`); err != nil {
				return err
			}
		}
		_, err := db.ExecContext(w.ctx, text, args...)
		return err
	})
}

// raw runs SQL on a connection of its own.
func (w *world) raw(do func(*sql.Conn) error) {
	w.t.Helper()
	if w.side == nil {
		driver, address := "pgx", w.db.URL
		if w.db.Engine == "sqlite" {
			driver, address = "sqlite", strings.TrimPrefix(address, "sqlite:")+"?_pragma=busy_timeout(10000)"
		}
		db, err := sql.Open(driver, address)
		w.ok(err)
		w.t.Cleanup(func() { db.Close() })
		w.side, err = db.Conn(w.ctx)
		w.ok(err)
	}
	w.ok(do(w.side))
}

// day is a date that must exist.
func day(text string) billing.Date {
	d, err := billing.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

func on(text string) *billing.Date {
	d := day(text)
	return &d
}

// moment is a time, such as 2026-01-15 12:00.
func moment(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", text)
	if err != nil {
		panic(err)
	}
	return t
}

func ptr[T any](value T) *T { return &value }

func isOutcome(err error) bool {
	var refused *billing.Error
	var problems billing.Problems
	return err == nil || errors.As(err, &refused) || errors.As(err, &problems)
}

// setBatches makes batches so small that a test needs few rows for several.
// Events are then sent again without a pause.
func setBatches(s *service.Service, size int) {
	s.Subscriptions.Batch, s.Provisioning.Batch, s.Delivery.ResendBatch, s.Delivery.ResendPause = size, size, size, 0
}
