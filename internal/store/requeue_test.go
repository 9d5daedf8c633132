package store_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// testRequeue tells of platforms after the commit, each once, and of nothing
// after a transaction that failed.
func testRequeue(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	sender := newSender()
	outbox.SetSender(s, sender)
	_ = attempt(t, s, func(_ context.Context, tx *store.Tx) {
		outbox.Requeue(tx, 1)
		panic(context.Canceled)
	})
	write(t, s, func(_ context.Context, tx *store.Tx) {
		outbox.Requeue(tx, 7)
		outbox.Requeue(tx, 8)
		outbox.Requeue(tx, 7)
	})
	if have := (<-sender.heard).Platforms; !reflect.DeepEqual(have, []billing.PlatformID{7, 8}) {
		t.Errorf("heard of %v, want 7 and 8", have)
	}
}
