package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// TestDaysThatAreNotBilled shows on the page of a subscription which days are not billed.
func TestDaysThatAreNotBilled(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	page := fmt.Sprintf("/subscriptions/%d", s.subs[string(subscription.StateActive)].ID)
	day := func(n int) billing.Date { return billing.Date{Year: 2026, Month: 1, Day: n} }
	v := s.as(billing.Viewer)
	if a := v.wants(v.get(page), 200); strings.Contains(a.text(), "Not billed") {
		t.Error("everything is billed")
	}
	for _, c := range []struct {
		pauses ledger.Pauses
		want   string
	}{
		{ledger.Pauses{{From: day(3)}}, "Not billed since 3 Jan 2026 suspended"},
		{ledger.Pauses{{From: day(3), To: day(5)}}, "Not billed 3 Jan 2026 – 5 Jan 2026 suspended"},
		{ledger.Pauses{{From: day(3), To: day(5)}, {From: day(8)}}, "Not billed since 8 Jan 2026 suspended; 1 time before"},
	} {
		if err := s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error {
			sub, err := store.Subscriptions.Get(ctx, tx.Queries, s.subs[string(subscription.StateActive)].ID)
			if err != nil {
				return err
			}
			sub.Pauses = c.pauses
			return store.Subscriptions.Update(ctx, tx, sub)
		}); err != nil {
			t.Fatal(err)
		}
		v.wants(v.get(page), 200, c.want)
	}
}
