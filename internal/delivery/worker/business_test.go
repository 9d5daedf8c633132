package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	receiving "github.com/tenantry/tenantry/client/webhook"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// books is an event endpoint with a receiver of its own.
type books struct {
	*world
	receiver *receiver
	endpoint *webhook.EventEndpoint
	accounts []billing.AccountID
}

func newBooks(w *world, accounts int, types ...webhook.BusinessType) *books {
	w.t.Helper()
	b := &books{world: w, receiver: newReceiver(w.t)}
	var err error
	b.endpoint, err = w.service.Delivery.EventEndpointCreate(w.t.Context(), func(e *webhook.EventEndpoint) error {
		e.URL, e.Types = b.receiver.URL, types
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.write(func(ctx context.Context, tx *store.Tx) error {
		b.accounts = nil
		for i := range accounts {
			a := &billing.Account{Name: fmt.Sprint("A", i), BillingDay: 1}
			if err := store.Accounts.Insert(ctx, tx, a); err != nil {
				return err
			}
			b.accounts = append(b.accounts, a.ID)
		}
		return nil
	})
	return b
}

// happens records that something became of an invoice of an account.
func (b *books) happens(account billing.AccountID, kind webhook.BusinessType, number int) {
	b.t.Helper()
	b.write(func(ctx context.Context, tx *store.Tx) error {
		return outbox.RecordBusiness(ctx, tx, webhook.InvoiceEvent(kind, &document.Invoice{ID: billing.InvoiceID(number), AccountID: account, Number: fmt.Sprint(number)}))
	})
}

// business is what the body of a business event says.
type business struct {
	Type     string
	ID       string
	Sequence int
	Account  struct{ ID string }
	Data     struct{ Invoice struct{ Number string } }
}

// accepted are the numbers of the events that the receiver answered with success, of
// each account, in order. An answer that came too late on a busy machine has the event
// sent again, which counts once.
func accepted(t *testing.T, requests []*request, failed map[*request]bool) map[string][]int {
	t.Helper()
	told, again := map[string][]int{}, 0
	for _, q := range requests {
		if failed[q] {
			continue
		}
		var said business
		if err := json.Unmarshal([]byte(q.body), &said); err != nil {
			t.Fatal(err)
		}
		if said.ID != q.id || said.Sequence != q.sequence || q.forced {
			t.Errorf("the body says event %s, number %d; the headers %s and %d, forced: %v", said.ID, said.Sequence, q.id, q.sequence, q.forced)
		}
		numbers := told[said.Account.ID]
		if n := len(numbers); q.attempt > 1 && n > 0 && numbers[n-1] == said.Sequence {
			again++
			continue
		}
		told[said.Account.ID] = append(numbers, said.Sequence)
	}
	if again > len(requests)/10 {
		t.Errorf("%d of %d requests were made again", again, len(requests))
	}
	return told
}

// TestBusinessEventsInOrder delivers every event of every account, in order, although
// the endpoint is down for a while and the breaker opens meanwhile.
func TestBusinessEventsInOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		const events = 12
		b := newBooks(newWorld(t, db, 1), 5, webhook.InvoiceIssued)
		var down atomic.Bool
		var refused atomic.Int64
		failed := map[*request]bool{}
		b.receiver.answers(func(w http.ResponseWriter, q *request) {
			if down.Load() {
				b.receiver.mu.Lock()
				failed[q] = true
				b.receiver.mu.Unlock()
				refused.Add(1)
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		})
		b.start()
		for n := 1; n <= events; n++ {
			switch n {
			case 4:
				down.Store(true)
			case 10:
				b.await("the endpoint refused some", func() bool { return refused.Load() >= 12 })
				down.Store(false)
			}
			for _, account := range b.accounts {
				b.happens(account, webhook.InvoiceIssued, n)
				b.happens(account, webhook.InvoicePaid, n) // nobody wants
			}
		}
		b.settled()
		told := accepted(t, b.receiver.got(), failed)
		same(t, "accounts", len(told), len(b.accounts))
		for account, numbers := range told {
			for i, n := range numbers {
				if n != i+1 {
					t.Fatalf("account %s was told of %v", account, numbers)
				}
			}
			same(t, "how many of account "+account, len(numbers), events)
		}
	})
}

// TestBusinessEventResent resends an older event, which takes nothing back, and all
// of them at once.
func TestBusinessEventResent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		b := newBooks(newWorld(t, db, 1), 1, webhook.InvoiceIssued, webhook.InvoicePaid)
		b.start()
		b.happens(b.accounts[0], webhook.InvoiceIssued, 1)
		b.happens(b.accounts[0], webhook.InvoicePaid, 1)
		b.settled()
		events, err := log.ListEvents(t.Context(), b.store.Queries(), store.Page{Limit: 10})
		if err != nil || len(events) != 2 {
			t.Fatal(events, err)
		}
		if _, err := b.service.Delivery.WebhookEventResend(t.Context(), events[0].ID, false); err != nil {
			t.Fatal(err)
		}
		b.settled()
		requests := b.receiver.got()
		same(t, "what arrived", accepted(t, requests, nil), map[string][]int{fmt.Sprint(b.accounts[0]): {1, 2, 1}})
		same(t, "the body", requests[2].body, requests[0].body)
		same(t, "the id", requests[2].id, requests[0].id)
		streams, err := outbox.Streams(t.Context(), b.store.Queries(), []billing.StreamID{events[0].Delivery.StreamID})
		if err != nil || !streams[events[0].Delivery.StreamID].InSync() {
			t.Errorf("the stream is %+v: %v", streams[events[0].Delivery.StreamID], err)
		}
		many, err := b.service.Delivery.WebhookEventsResend(t.Context(), "type:InvoicePaid", true, true)
		if err != nil || many.Count != 1 {
			t.Errorf("resending one type: %+v, %v", many, err)
		}
		if many, err = b.service.Delivery.WebhookEventsResend(t.Context(), "", true, true); err != nil || many.Count != 2 {
			t.Errorf("resending the newest of each tenant: %+v, %v; want both, which tell different things", many, err)
		}
	})
}

// TestBusinessEventsAreSigned verifies what arrives with the library for receivers,
// before and after the secret is rotated, and sends a test.
func TestBusinessEventsAreSigned(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		b := newBooks(newWorld(t, db, 1), 1, webhook.InvoiceIssued)
		e := b.start()
		secret := func() string {
			t.Helper()
			now, err := store.EventEndpoints.Get(t.Context(), b.store.Queries(), b.endpoint.ID)
			if err != nil {
				t.Fatal(err)
			}
			text, err := b.service.Delivery.EventSigningSecret(now)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		old := secret()
		b.happens(b.accounts[0], webhook.InvoiceIssued, 1)
		b.settled()
		if _, err := b.service.Delivery.EventEndpointSigningSecretRotate(t.Context(), b.endpoint.ID, 24); err != nil {
			t.Fatal(err)
		}
		b.happens(b.accounts[0], webhook.InvoiceIssued, 2)
		b.settled()
		requests := b.receiver.got()
		for i, secrets := range [][]string{{old}, {secret(), old}} {
			for _, s := range secrets {
				verifier, err := receiving.NewVerifier(s)
				if err != nil {
					t.Fatal(err)
				}
				// The signature fits, and the clock of these tests is not the receiver's.
				if _, _, err := verifier.Verify(requests[i].header, []byte(requests[i].body)); !errors.Is(err, receiving.ErrTimestamp) {
					t.Errorf("event %d is not signed: %v", i+1, err)
				}
				if _, _, err := verifier.Verify(requests[i].header, []byte(requests[i].body+" ")); !errors.Is(err, receiving.ErrSignature) {
					t.Errorf("another body than that of event %d is signed: %v", i+1, err)
				}
			}
		}
		routes, err := outbox.RoutesOf(t.Context(), b.store.Queries(), []billing.PlatformID{billing.PlatformID(b.endpoint.ID)})
		if err != nil || len(routes) != 1 || !routes[0].ForEvents {
			t.Fatal(routes, err)
		}
		test := webhook.TestBusinessEvent()
		head := webhook.BusinessHead{At: b.clock.Now(), Type: test.Type, Account: webhook.TestAccount()}
		a := e.Try(t.Context(), &routes[0], &webhook.Event{Type: string(test.Type), Body: string(head.Body(test.Data()))}, func(context.Context) func() { return func() {} })
		same(t, "a test", a.Outcome, webhook.AttemptDelivered)
	})
}
