package worker_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/delivery/worker"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// stuck makes an engine get no further than to the secrets of the platform,
// which it needs for its request, until it is released. For all others it is as
// if its process had died there.
type stuck struct{ there, released chan struct{} }

func newStuck() stuck { return stuck{make(chan struct{}, 100), make(chan struct{})} }

func (s stuck) option(o *worker.Options) {
	secrets := o.Secrets
	o.Secrets = func(r *outbox.Route, now time.Time) (delivery.RouteSecrets, error) {
		s.there <- struct{}{}
		<-s.released
		return secrets(r, now)
	}
}

// slack sets how much longer than its request a lease lasts.
func slack(d time.Duration) func(*worker.Options) {
	return func(o *worker.Options) { o.Slack = d }
}

// TestBodyOfOneThatDied: a process that dies before the payload program has run
// leaves an unknown attempt; the next one still sends what the program makes,
// and not the event's own body in its place.
func TestBodyOfOneThatDied(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		w.recipe(func(f *webhook.Workflow) { f.PayloadProgram = ptr(`{tenant, made: true}`) })
		event := w.tell(w.tenants[0])
		dead := newStuck()
		first := w.engine(w.store, dead.option, slack(time.Minute))
		first.Start()
		<-dead.there
		stopped := stopping(first)
		w.start()
		w.settled()
		same(t, "what was sent", w.receiver.got()[0].body, `{"made":true,"tenant":1}`)
		same(t, "the outcome of the first", w.attempts(event.ID)[0].Outcome, webhook.AttemptUnknown)
		close(dead.released)
		<-stopped
	})
}

// TestBodyOfAResend that was queued before its event was sent for the first
// time: the program has made its body once.
func TestBodyOfAResend(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		w.recipe(func(f *webhook.Workflow) { f.PayloadProgram = ptr(`{tenant, made: true}`) })
		event := w.tell(w.tenants[0])
		w.write(func(ctx context.Context, tx *store.Tx) error {
			_, err := outbox.AppendDelivery(ctx, tx, &event, false)
			return err
		})
		w.start()
		w.settled()
		for _, r := range w.receiver.got() {
			same(t, "what was sent", r.body, `{"made":true,"tenant":1}`)
		}
		same(t, "requests", len(w.receiver.got()), 2)
	})
}

// TestBodyFromBefore stays what it was when a program comes later, and what a
// program made stays when that goes.
func TestBodyFromBefore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 2)
		w.receiver.answers(status(500))
		w.start()
		plain := w.tell(w.tenants[0])
		w.await("it was sent", func() bool { return len(w.attempts(plain.ID)) > 1 })
		w.recipe(func(f *webhook.Workflow) { f.PayloadProgram = ptr(`{tenant, made: true}`) })
		made := w.tell(w.tenants[1])
		w.await("the other was sent", func() bool { return len(w.attempts(made.ID)) > 1 })
		w.recipe(func(f *webhook.Workflow) { f.PayloadProgram = nil })
		w.await("both were sent again", func() bool { return len(w.attempts(plain.ID)) > 2 && len(w.attempts(made.ID)) > 2 })
		w.receiver.answers(status(200))
		w.settled()
		want := map[billing.TenantID]string{w.tenants[0]: plain.Body, w.tenants[1]: `{"made":true,"tenant":2}`}
		for _, r := range w.receiver.got() {
			same(t, "what was sent", r.body, want[r.tenant])
		}
	})
}
