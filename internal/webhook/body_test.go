package webhook_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/webhook"
)

// stuck makes an engine get no further than the claim: it waits for the secrets
// of the platform until the function that it returns is called. For all others
// it is as if its process had died there.
func stuck() (option func(*webhook.Options), release func()) {
	waiting, release := context.WithCancel(context.Background())
	return func(o *webhook.Options) {
		secrets := o.Secrets
		o.Secrets = func(r *store.Route, now time.Time) (service.RouteSecrets, error) {
			<-waiting.Done()
			return secrets(r, now)
		}
	}, release
}

// slack sets how much longer than its request a lease lasts.
func slack(d time.Duration) func(*webhook.Options) {
	return func(o *webhook.Options) { o.Slack = d }
}

// TestBodyOfOneThatDied: a process that dies before the payload program has run
// leaves an unknown attempt; the next one still sends what the program makes,
// and not the event's own body in its place.
func TestBodyOfOneThatDied(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		w.recipe(func(f *billing.Workflow) { f.PayloadProgram = ptr(`{tenant, made: true}`) })
		event := w.tell(w.tenants[0])
		dead, release := stuck()
		first := w.engine(w.store, dead, slack(time.Second))
		first.Start()
		t.Cleanup(release)
		w.await("it is claimed", func() bool { return len(w.attempts(event.ID)) == 1 })
		stopped := stopping(first)
		w.start()
		w.settled()
		same(t, "what was sent", w.receiver.got()[0].body, `{"made":true,"tenant":1}`)
		same(t, "the outcome of the first", w.attempts(event.ID)[0].Outcome, billing.AttemptUnknown)
		release()
		<-stopped
	})
}

// TestBodyOfAResend that was queued before its event was sent for the first
// time: the program has made its body once.
func TestBodyOfAResend(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db, 1)
		w.recipe(func(f *billing.Workflow) { f.PayloadProgram = ptr(`{tenant, made: true}`) })
		event := w.tell(w.tenants[0])
		w.write(func(ctx context.Context, tx *store.Tx) error {
			_, err := store.AppendDelivery(ctx, tx, &event, false)
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
		w.recipe(func(f *billing.Workflow) { f.PayloadProgram = ptr(`{tenant, made: true}`) })
		made := w.tell(w.tenants[1])
		w.await("the other was sent", func() bool { return len(w.attempts(made.ID)) > 1 })
		w.recipe(func(f *billing.Workflow) { f.PayloadProgram = nil })
		w.await("both were sent again", func() bool { return len(w.attempts(plain.ID)) > 2 && len(w.attempts(made.ID)) > 2 })
		w.receiver.answers(status(200))
		w.settled()
		want := map[billing.TenantID]string{w.tenants[0]: plain.Body, w.tenants[1]: `{"made":true,"tenant":2}`}
		for _, r := range w.receiver.got() {
			same(t, "what was sent", r.body, want[r.tenant])
		}
	})
}
