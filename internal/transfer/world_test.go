package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/transfer"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// world is a database with the operations on it. It is noon of 15 January 2026.
type world struct {
	*service.Service
	t     *testing.T
	ctx   context.Context
	db    *storetest.Database
	store *store.Store
}

func newWorld(t *testing.T, db *storetest.Database) *world {
	t.Helper()
	s := db.Open(t)
	box, err := secret.NewBox("a secret key that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	return &world{service.New(s, box, nil), t, operation.As(t.Context(), operation.Caller{Actor: "command"}), db, s}
}

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// imports imports a text.
func (w *world) imports(text string, o transfer.Options) (*transfer.Result, error) {
	w.t.Helper()
	src, err := transfer.Spool(strings.NewReader(text))
	w.ok(err)
	defer func() { w.ok(src.Close()) }()
	o.Now = w.db.Clock.Now
	if o.MaxErrors == 0 {
		o.MaxErrors = 100
	}
	return transfer.Import(w.ctx, w.store, w.Service, src, o)
}

// mustImport imports a text that is right, and returns how many things were
// made, changed and left.
func (w *world) mustImport(text string, o transfer.Options) transfer.Tally {
	w.t.Helper()
	result, err := w.imports(text, o)
	var invalid *transfer.InvalidError
	if errors.As(err, &invalid) {
		w.t.Fatalf("%d errors: %v", invalid.Total, invalid.Problems)
	}
	w.ok(err)
	var all transfer.Tally
	for _, t := range result.Tallies {
		all.Created, all.Changed, all.Unchanged = all.Created+t.Created, all.Changed+t.Changed, all.Unchanged+t.Unchanged
	}
	return all
}

func (w *world) export() string {
	w.t.Helper()
	var out bytes.Buffer
	_, err := transfer.Export(w.ctx, w.store, &out)
	w.ok(err)
	return out.String()
}

func (w *world) same(what string, have, want any) {
	w.t.Helper()
	if fmt.Sprint(have) != fmt.Sprint(want) {
		w.t.Errorf("%s:\nhave %v\nwant %v", what, have, want)
	}
}

// sameText compares long texts line by line.
func (w *world) sameText(what, have, want string) {
	w.t.Helper()
	if have == want {
		return
	}
	a, b := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			w.t.Fatalf("%s, line %d:\nhave %s\nwant %s", what, i+1, a[i], b[i])
		}
	}
	w.t.Fatalf("%s: %d lines, want %d", what, len(a), len(b))
}

func (w *world) subscription(code string) subscription.Subscription {
	w.t.Helper()
	found, err := store.SubscriptionsByCode(w.ctx, w.store.Snapshot(), []string{code}, false)
	w.ok(err)
	if len(found) != 1 {
		w.t.Fatalf("%d subscriptions %s", len(found), code)
	}
	return found[0]
}

func (w *world) stream(id billing.TenantID) *webhook.Stream {
	w.t.Helper()
	streams, err := outbox.StreamsOf(w.ctx, w.store.Queries(), []billing.TenantID{id})
	w.ok(err)
	return streams[id]
}
