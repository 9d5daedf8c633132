package worker_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestRefusedBusinessEventHoldsOnlyItsAccount tries an event again after the delays of
// webhooks. What is newer of its account waits for it and is not left out. Another account
// does not wait, and neither does the tenant that has the same id as the account.
func TestRefusedBusinessEventHoldsOnlyItsAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 4)
		b := newBooks(w, 4, webhook.InvoiceIssued)
		at := slices.IndexFunc(b.accounts, func(id billing.AccountID) bool { return slices.Contains(w.tenants, billing.TenantID(id)) })
		if at < 0 {
			t.Fatalf("no account of %v has the id of a tenant of %v", b.accounts, w.tenants)
		}
		slow, namesake, other := b.accounts[at], billing.TenantID(b.accounts[at]), b.accounts[(at+1)%len(b.accounts)]
		account := func(q *request) string {
			var said business
			if err := json.Unmarshal([]byte(q.body), &said); err != nil {
				t.Error(err)
			}
			return said.Account.ID
		}
		var heard atomic.Bool // of the other account
		b.receiver.answers(func(rw http.ResponseWriter, q *request) {
			switch {
			case account(q) == fmt.Sprint(other):
				heard.Store(true)
			case q.sequence == 1 && (q.attempt < 3 || !heard.Load()):
				rw.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		b.happens(slow, webhook.InvoiceIssued, 1)
		b.happens(slow, webhook.InvoiceIssued, 2)
		b.happens(other, webhook.InvoiceIssued, 3)
		w.tell(namesake)
		b.start()
		b.settled()
		told := map[string][]int{}
		for _, q := range b.receiver.got() {
			told[account(q)] = append(told[account(q)], q.sequence)
		}
		for id := range told {
			told[id] = slices.Compact(told[id])
		}
		same(t, "what was told", told, map[string][]int{fmt.Sprint(slow): {1, 2}, fmt.Sprint(other): {1}})
		same(t, "what the tenant was told", slices.Compact(w.receiver.sequences()[namesake]), []int{1})
		events, err := log.ListEvents(t.Context(), b.store.Queries(), store.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for n := range events {
			same(t, fmt.Sprint("event ", n+1), w.state(events[n].ID), webhook.DeliveryDelivered)
		}
		first := w.attempts(events[0].ID)
		for n, least := range []time.Duration{4 * time.Second, 24 * time.Second} {
			if waited := first[n+1].StartedAt.Sub(*first[n].FinishedAt); waited < least {
				t.Errorf("attempt %d came after %s", n+2, waited)
			}
		}
	})
}
