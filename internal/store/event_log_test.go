package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// logWorld is platforms in all states with tenants whose events are in all
// states.
type logWorld struct {
	t         *testing.T
	s         *store.Store
	random    *rand.Rand
	platforms []webhook.Platform
	tenants   []billing.Tenant
	events    []webhook.Event
}

func newLogWorld(t *testing.T, db *storetest.Database) *logWorld {
	w := &logWorld{t: t, s: db.Open(t), random: rand.New(rand.NewPCG(1, 2))}
	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		account := m.account("A").ID
		for i, code := range []string{"ready", "paused", "bare", "2"} {
			p := m.provisioningPlatform()
			if p.Code = code; code != "bare" {
				p.WebhookURL = ptr("https://" + code + ".example")
			}
			must(store.Platforms.Update(ctx, tx, p))
			if code == "paused" {
				route, err := outbox.LockRoute(ctx, tx, p.ID)
				must(err)
				route.Endpoint.Pause("gone", tx.Now)
				must(outbox.SaveEndpoint(ctx, tx, &route.Endpoint))
			}
			w.platforms = append(w.platforms, *p)
			for j := range 5 {
				tenant := m.tenant(p.ID, account)
				tenant.Code, tenant.Name = fmt.Sprintf("t%d", j), fmt.Sprintf("Tenant %c of %s", 'A'+j, code)
				if i == 0 && j == 0 {
					tenant.Code = "3"
				}
				must(store.Tenants.Update(ctx, tx, tenant))
				w.tenants = append(w.tenants, *tenant)
			}
		}
	})
	for range 12 {
		db.Clock.Advance(13 * time.Hour)
		write(t, w.s, w.record)
	}
	write(t, w.s, w.settle)
	return w
}

// record adds an event to most tenants, and a test now and then.
func (w *logWorld) record(ctx context.Context, tx *store.Tx) {
	for _, tenant := range w.tenants {
		if w.random.IntN(4) == 0 {
			continue
		}
		position, err := outbox.NextPosition(ctx, tx, tenant.ID)
		must(err)
		e := webhook.Event{Type: webhook.EventType, Subject: webhook.OfTenant(tenant.ID), PlatformID: tenant.PlatformID, Sequence: position.Sequence, Reason: "test", Body: fmt.Sprintf(`{"n":%d}`, position.Sequence)}
		must(outbox.InsertEvent(ctx, tx, &e, position))
		w.events = append(w.events, e)
	}
	e := webhook.Event{Type: webhook.EventType, PlatformID: w.platforms[w.random.IntN(3)].ID, Reason: "test", Body: "{}"}
	outcome := []string{webhook.AttemptDelivered, webhook.AttemptFailed}[w.random.IntN(2)]
	must(outbox.InsertTest(ctx, tx, &e, &webhook.Attempt{Outcome: outcome, URL: "https://test.example", RequestHeaders: []byte("{}"), StartedAt: tx.Now}))
	w.events = append(w.events, e)
}

// settle ends some deliveries, resends some events and lets some heads fail or
// be on their way.
func (w *logWorld) settle(ctx context.Context, tx *store.Tx) {
	ends := []string{webhook.DeliveryDelivered, webhook.DeliveryDelivered, webhook.DeliveryExhausted, webhook.DeliverySuperseded, webhook.DeliveryCanceled}
	for _, tenant := range w.tenants {
		streams, err := outbox.StreamsOf(ctx, tx.Queries, []billing.TenantID{tenant.ID})
		must(err)
		stream := streams[tenant.ID]
		if stream == nil {
			continue
		}
		events, err := outbox.EventsOfTenant(ctx, tx.Queries, tenant.ID, 0, 100)
		must(err)
		done := w.random.IntN(len(events) + 1)
		for _, e := range events[:done] {
			d, err := outbox.DeliveriesOf(ctx, tx.Queries, []billing.EventID{e.ID})
			must(err)
			must(outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: d[0].ID, State: ends[w.random.IntN(len(ends))]}}))
		}
		stream.DonePosition = int64(done)
		if done > 0 && w.random.IntN(3) == 0 {
			_, err := outbox.AppendDelivery(ctx, tx, &events[w.random.IntN(done)], true)
			must(err)
			stream.LastPosition++
		}
		if stream.Waiting() > 0 {
			stream.Attempts = w.random.IntN(2)
			if stream.DueAt = &tx.Now; w.random.IntN(3) == 0 {
				stream.AttemptID = ptr(billing.AttemptID(1))
			}
		}
		must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{stream}))
	}
}

// knownEvent is all there is to know about an event.
type knownEvent struct {
	log.LoggedEvent
	stage    webhook.DeliveryState
	tenant   *billing.Tenant
	platform webhook.Platform
}

// know looks at every event by itself.
func (w *logWorld) know() (known []knownEvent) {
	w.t.Helper()
	ctx, q := w.t.Context(), w.s.Queries()
	var all []billing.EventID
	for _, e := range w.events {
		all = append(all, e.ID)
	}
	var ids []billing.TenantID
	tenants := map[billing.TenantID]*billing.Tenant{}
	for i := range w.tenants {
		ids = append(ids, w.tenants[i].ID)
		tenants[w.tenants[i].ID] = &w.tenants[i]
	}
	streams := got[map[billing.TenantID]*webhook.Stream](w.t)(outbox.StreamsOf(ctx, q, ids))
	states := map[billing.PlatformID]webhook.EndpointState{}
	for _, p := range w.platforms {
		states[p.ID] = got[[]outbox.Route](w.t)(outbox.RoutesOf(ctx, q, []billing.PlatformID{p.ID}))[0].State()
	}
	for _, e := range got[[]log.LoggedEvent](w.t)(log.LoggedEvents(ctx, q, all)) {
		at := slices.IndexFunc(w.platforms, func(p webhook.Platform) bool { return p.ID == e.PlatformID })
		known = append(known, knownEvent{e, e.Delivery.Stage(streams[e.Subject.Tenant()], states[e.PlatformID]), tenants[e.Subject.Tenant()], w.platforms[at]})
	}
	return known
}

// testEventLog asks for the log with every filter there is and compares with
// what each event says of itself.
func testEventLog(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	states := []string{"", "pending", "in_flight", "retry_wait", "delivered", "exhausted", "held", "superseded", "canceled"}
	platforms := []string{"", "ready", "paused", "bare", "2", fmt.Sprint(w.platforms[0].ID)}
	tenants := []string{"", "t1", "3", fmt.Sprint(w.tenants[6].ID)}
	day := w.events[len(w.events)/2].CreatedAt.Format(time.DateOnly)
	others := []string{"", "created:" + day, "created:>=" + day, "created:<" + day, "of", `"tenant b"`, "type:TenantProvisioningChange provisioning", "created:>" + day + " paused"}
	seen, known := map[string]int{}, w.know()
	for i, state := range states {
		for j, platform := range platforms {
			for k, tenant := range tenants {
				for l, other := range others {
					if j+k+l > 0 && (i+j+k+l)%3 != 0 { // every two values are tried together, with some of the others
						continue
					}
					text := other
					for field, value := range map[string]string{"state": state, "platform": platform, "tenant": tenant} {
						if value != "" {
							text += " " + field + ":" + value
						}
					}
					var want []billing.EventID
					for _, e := range known {
						if (state == "" || strings.EqualFold(string(e.stage), state)) && (platform == "" || e.platform.Code == platform || fmt.Sprint(e.platform.ID) == platform) &&
							(tenant == "" || e.tenant != nil && (e.tenant.Code == tenant || fmt.Sprint(e.tenant.ID) == tenant)) && e.other(other, day) {
							want = append(want, e.ID)
						}
					}
					w.check(text, want)
					if tenant == "" && platform == "" && other == "" {
						seen[state] = len(want)
					}
				}
			}
		}
	}
	for _, state := range states {
		if seen[state] == 0 {
			t.Errorf("no event is in the state %q: the test shows nothing", state)
		}
	}
	for text, want := range map[string]string{
		"colour:red": "There is no filter field \"colour\"", "state:odd": "write one of pending, in_flight", "state:>held": "it is not compared",
		"created:soon": "write a date", "type:Other": "write one of TenantProvisioningChange, InvoiceIssued",
	} {
		_, err := log.CountEvents(t.Context(), w.s.Queries(), filter(t, text))
		if !billing.Is(err, billing.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"tenant:nobody", "platform:nothing", "state:held state:pending", "platform:ready platform:paused", "tenant:t1 tenant:t2", "zzz"} {
		w.check(text, nil)
	}
}

// other says whether an event matches a filter of testEventLog.
func (e knownEvent) other(text, day string) bool {
	date := e.CreatedAt.Format(time.DateOnly)
	named := func(word string) bool {
		return e.tenant != nil && strings.Contains(strings.ToLower(e.tenant.Name+" "+e.tenant.Code), word)
	}
	switch text {
	case "created:" + day:
		return date == day
	case "created:>=" + day:
		return date >= day
	case "created:<" + day:
		return date < day
	case "created:>" + day + " paused":
		return date > day && named("paused")
	case "of":
		return named("of")
	case `"tenant b"`:
		return named("tenant b")
	}
	return true
}

// check asks for all at once and page by page, and counts.
func (w *logWorld) check(text string, want []billing.EventID) {
	w.t.Helper()
	f := filter(w.t, text)
	page := func(after int64, limit int, backwards bool) (ids []billing.EventID) {
		w.t.Helper()
		ask := store.Page{Filter: f, After: after, Limit: limit, Backwards: backwards}
		for _, e := range got[[]log.LoggedEvent](w.t)(log.ListEvents(w.t.Context(), w.s.Queries(), ask)) {
			ids = append(ids, e.ID)
		}
		return ids
	}
	if have := page(0, 1000, false); !slices.Equal(have, want) {
		w.t.Errorf("%q finds %v, want %v", text, have, want)
		return
	}
	if n := got[int](w.t)(log.CountEvents(w.t.Context(), w.s.Queries(), f)); n != len(want) {
		w.t.Errorf("%q counts %d, want %d", text, n, len(want))
	}
	if len(want) < 7 {
		return
	}
	for _, backwards := range []bool{false, true} {
		var paged []billing.EventID
		for after := int64(0); ; {
			part := page(after, 7, backwards)
			if paged = append(paged, part...); len(part) < 7 {
				break
			}
			after = int64(part[6])
		}
		if backwards {
			slices.Reverse(paged)
		}
		if !slices.Equal(paged, want) {
			w.t.Errorf("%q, page by page (backwards %v): %v, want %v", text, backwards, paged, want)
		}
	}
}

// testCountBehind compares with what each stream says of itself.
func testCountBehind(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	var ids []billing.TenantID
	for _, tenant := range w.tenants {
		ids = append(ids, tenant.ID)
	}
	write(t, w.s, func(ctx context.Context, tx *store.Tx) { // one of each kind, and one that is in sync while it waits
		for i, text := range []string{
			"due_at = NULL, attempts = 0, delivered_sequence = last_sequence - 1", "due_at = NULL, attempts = 0, delivered_sequence = last_sequence",
			"due_at = 7, attempts = 1, delivered_sequence = last_sequence", "due_at = 7, attempts = 1, delivered_sequence = last_sequence - 1",
		} {
			_, err := store.Exec(ctx, tx, "UPDATE webhook_stream SET "+text+" WHERE subject_id = $1", int64(ids[i]))
			must(err)
		}
	})
	want := map[log.Behind]int{}
	for _, stream := range got[map[billing.TenantID]*webhook.Stream](t)(outbox.StreamsOf(t.Context(), w.s.Queries(), ids)) {
		switch {
		case stream.InSync():
			continue
		case stream.DueAt == nil:
			want[log.BehindStopped]++
			continue
		case stream.Attempts > 0:
			want[log.BehindFailing]++
		}
		want[log.BehindWaiting]++
	}
	for _, why := range []log.Behind{log.BehindWaiting, log.BehindFailing, log.BehindStopped} {
		count := func(most int) int { return got[int](t)(log.CountBehind(t.Context(), w.s.Queries(), why, most)) }
		same(t, "CountBehind "+string(why), []int{count(100), count(1)}, []int{want[why], 1})
	}
}

// testCountGivenUp compares with the list of those events.
func testCountGivenUp(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	page := store.Page{Filter: filter(t, "state:exhausted"), Limit: 1000}
	want := len(got[[]log.LoggedEvent](t)(log.ListEvents(t.Context(), w.s.Queries(), page)))
	count := func(most int) int { return got[int](t)(log.CountGivenUp(t.Context(), w.s.Queries(), most)) }
	if same(t, "CountGivenUp", []int{count(1000), count(want - 1)}, []int{want, want - 1}); want < 2 {
		t.Errorf("%d events were given up, too few to tell anything", want)
	}
}

// testEventDetails reads what is shown of single events.
func testEventDetails(t *testing.T, db *storetest.Database) {
	w := newLogWorld(t, db)
	ctx, q := t.Context(), w.s.Queries()
	var ids []billing.EventID
	for _, e := range w.events {
		ids = append(ids, e.ID)
	}
	bodies := got[map[billing.EventID]log.EventBody](t)(log.EventBodies(ctx, q, ids))
	read, enough := 0, errors.New("enough")
	_, err := log.EventBodies(store.WithAllowance(ctx, func(bytes int) error { read += bytes; return enough }), q, ids)
	if !errors.Is(err, enough) || read == 0 || read > 2*(len(w.events[0].Body)+1000) {
		t.Errorf("with no allowance %d bytes were read, and then %v", read, err)
	}
	read = 0
	if _, err := store.Tenants.List(store.WithAllowance(ctx, func(bytes int) error { read += bytes; return enough }), q, store.Page{Limit: 10}); !errors.Is(err, enough) || read == 0 {
		t.Errorf("of tenants %d bytes were read, and then %v", read, err)
	}
	before := map[billing.TenantID]*string{}
	for _, e := range w.events {
		same(t, "the body", bodies[e.ID].Body, e.Body)
		if e.Subject.Tenant() == 0 {
			same(t, "before a test", bodies[e.ID].Previous, (*string)(nil))
			continue
		}
		same(t, "the body before", bodies[e.ID].Previous, before[e.Subject.Tenant()])
		before[e.Subject.Tenant()] = ptr(e.Body)
	}
	e := w.events[0]
	same(t, "no attempts", len(got[map[billing.EventID]*webhook.Attempt](t)(outbox.LastAttempts(ctx, q, []billing.EventID{e.ID}))), 0)
	write(t, w.s, func(ctx context.Context, tx *store.Tx) {
		for n := range 3 {
			d, err := outbox.AppendDelivery(ctx, tx, &e, false)
			must(err)
			// Ids say nothing about the order: each process has its own.
			a := &webhook.Attempt{ID: billing.AttemptID(1000 - n), DeliveryID: d.ID, Number: 3 - n, URL: fmt.Sprintf("https://%d.example", n), RequestHeaders: []byte("{}")}
			must(outbox.InsertAttempts(ctx, tx, []*webhook.Attempt{a}))
		}
	})
	last := got[map[billing.EventID]*webhook.Attempt](t)(outbox.LastAttempts(ctx, q, ids))
	same(t, "the last attempt", last[e.ID].URL, "https://2.example")
	same(t, "events", len(got[[]log.LoggedEvent](t)(log.LoggedEvents(ctx, q, nil))), 0)
	for _, c := range []struct {
		at   time.Time
		want billing.EventID
	}{
		{e.CreatedAt.Add(-time.Hour), ids[0]}, {e.CreatedAt, ids[0]}, {w.events[len(ids)-1].CreatedAt.Add(time.Millisecond), 0},
	} {
		same(t, "EventIDAt "+c.at.String(), got[billing.EventID](t)(log.EventIDAt(ctx, q, c.at)), c.want)
	}
	for i := 1; i < len(w.events); i++ {
		if w.events[i].CreatedAt.After(w.events[i-1].CreatedAt) {
			same(t, "EventIDAt", got[billing.EventID](t)(log.EventIDAt(ctx, q, w.events[i-1].CreatedAt.Add(time.Minute))), w.events[i].ID)
		}
	}
}
