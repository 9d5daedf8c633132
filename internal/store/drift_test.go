package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// everyTenant are all tenants.
var everyTenant = store.TenantRange{Last: 1 << 60}

// testDrift keeps what came of comparing tenants.
func testDrift(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, other *webhook.Platform
	var a, b, c, d, e *billing.Tenant
	var of func(tenant *billing.Tenant, outcome drift.Outcome, digest string, report billing.DriftReportID) *drift.Tenant
	read := func(tenants ...*billing.Tenant) map[billing.TenantID]*drift.Tenant {
		var ids []billing.TenantID
		for _, tenant := range tenants {
			ids = append(ids, tenant.ID)
		}
		return got[map[billing.TenantID]*drift.Tenant](t)(store.DriftOf(ctx, q, ids))
	}
	var rows []*drift.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other = m.platform(), m.platform()
		ann := m.account("Ann").ID
		a, b, c = m.tenant(p.ID, ann), m.tenant(p.ID, ann), m.tenant(other.ID, ann)
		d, e = m.tenant(other.ID, ann), m.tenant(other.ID, ann)
		of = func(tenant *billing.Tenant, outcome drift.Outcome, digest string, report billing.DriftReportID) *drift.Tenant {
			return &drift.Tenant{TenantID: tenant.ID, PlatformID: tenant.PlatformID, Outcome: outcome, Sequence: 3, CheckedAt: tx.Now, Since: tx.Now.Add(-time.Hour), Digest: digest, ReportID: report, ReportOutcome: outcome,
				Differences: []drift.Difference{}}
		}
		rows = []*drift.Tenant{of(c, drift.InSync, "", 0), of(b, drift.Missing, "m", 7), of(a, drift.Drifted, "d", 7)}
		rows[2].Differences = []drift.Difference{{Code: hard, Kind: drift.WrongQuantity, Expected: &drift.Side{Quantity: ptr(5)}, Actual: &drift.Side{Value: "x"}}}
		must(store.SaveDrift(ctx, tx, nil))
		must(store.SaveDrift(ctx, tx, append([]*drift.Tenant{of(&billing.Tenant{ID: 1 << 40}, drift.Ahead, "", 0)}, rows...)))
	})
	same(t, "DriftOf", read(a, b, c, &billing.Tenant{ID: 1 << 40}), map[billing.TenantID]*drift.Tenant{a.ID: rows[2], b.ID: rows[1], c.ID: rows[0]})
	same(t, "DriftOf one", read(b), map[billing.TenantID]*drift.Tenant{b.ID: rows[1]})
	for term, want := range map[string][]billing.Tenant{"drift:drifted": {*a}, "drift:MISSING": {*b}, "drift:in_sync": {*c}, "drift:unknown_tenant": {}} {
		same(t, term, listed(t, s, store.Tenants, filter(t, term)), want)
	}
	list, number := got[[]*drift.Tenant](t), got[int](t)
	same(t, "Differing", list(store.Differing(ctx, q, p.ID, 10)), []*drift.Tenant{rows[2], rows[1]})
	same(t, "Differing, some", list(store.Differing(ctx, q, p.ID, 1)), []*drift.Tenant{rows[2]})
	same(t, "CountDiffering", number(store.CountDiffering(ctx, q, p.ID)), 2)
	ahead := of(d, drift.Ahead, "", 0)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.SaveDrift(ctx, tx, []*drift.Tenant{ahead, of(e, drift.Behind, "", 0)})) // e waits for a webhook
	})
	same(t, "Differing, ahead", list(store.Differing(ctx, q, other.ID, 10)), []*drift.Tenant{ahead})
	same(t, "CountDiffering, ahead", number(store.CountDiffering(ctx, q, other.ID)), 1)

	write(t, s, func(ctx context.Context, tx *store.Tx) {
		same(t, "LockDrift", got[map[billing.TenantID]*drift.Tenant](t)(store.LockDrift(ctx, tx, []billing.TenantID{b.ID, a.ID})), map[billing.TenantID]*drift.Tenant{a.ID: rows[2], b.ID: rows[1]})
		rows[1].Repair(4, tx.Now.Truncate(time.Millisecond).UTC())
		rows[1].ReportID, rows[1].ReportOutcome = 6, drift.Drifted // a report that began earlier and still runs
		must(store.SaveDrift(ctx, tx, rows[1:2]))
		// As it is if two compare a tenant for the first time at once.
		stale := of(b, drift.Missing, "m", 6)
		must(store.SaveDrift(ctx, tx, []*drift.Tenant{stale}))
	})
	checkWaits(t, s, "what is kept of a tenant", func(ctx context.Context, tx *store.Tx) {
		got[map[billing.TenantID]*drift.Tenant](t)(store.LockDrift(ctx, tx, []billing.TenantID{a.ID}))
	}, func(ctx context.Context, tx *store.Tx) {
		got[map[billing.TenantID]*drift.Tenant](t)(store.LockDrift(ctx, tx, []billing.TenantID{b.ID, a.ID}))
	})
	rows[1].TurnAt = time.Time{}
	rows[1].ReportOutcome = drift.Missing
	rows[1].ReportID = 7
	same(t, "DriftOf after a repair", read(b), map[billing.TenantID]*drift.Tenant{b.ID: rows[1]})
	same(t, "StillMissing", list(store.StillMissing(ctx, q, p.ID, 7, 0, 10)), rows[1:2])
	same(t, "StillMissing behind it", list(store.StillMissing(ctx, q, p.ID, 7, b.ID, 10)), []*drift.Tenant(nil))
	same(t, "CountPersistentDrift of none", number(store.CountPersistentDrift(ctx, q)), 0)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		rows[1].Persistent = true
		must(store.SaveDrift(ctx, tx, rows[1:2]))
	})
	same(t, "CountPersistentDrift", number(store.CountPersistentDrift(ctx, q)), 1)
	same(t, "CountPersistentOn", number(store.CountPersistentOn(ctx, q, p.ID)), 1)
	same(t, "CountPersistentOn another", number(store.CountPersistentOn(ctx, q, other.ID)), 0)
	same(t, "StillMissing that is known", list(store.StillMissing(ctx, q, p.ID, 7, 0, 10)), []*drift.Tenant(nil))

	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.ForgetDrift(ctx, tx, &drift.FullReport{ID: 7, PlatformID: p.ID, BegunAt: tx.Now}, everyTenant))
		must(store.ForgetDrift(ctx, tx, &drift.FullReport{ID: 8, PlatformID: p.ID, BegunAt: tx.Now.Add(-time.Hour)}, everyTenant))
		must(store.ForgetDrift(ctx, tx, &drift.FullReport{ID: 8, PlatformID: p.ID, BegunAt: tx.Now}, store.TenantRange{After: b.ID, Last: 1 << 40}))
		must(store.ForgetDrift(ctx, tx, &drift.FullReport{ID: 8, PlatformID: p.ID, BegunAt: tx.Now}, store.TenantRange{After: 0, Last: a.ID - 1}))
	})
	same(t, "DriftOf after ForgetDrift of others", len(read(a, b, c)), 3)
	if s.Engine() == "postgres" {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			got[map[billing.TenantID]*drift.Tenant](t)(store.LockDrift(ctx, tx, []billing.TenantID{b.ID}))
			write(t, s, func(ctx context.Context, tx *store.Tx) { // another one, which must not wait
				got[int64](t)(store.Exec(ctx, tx, `SET LOCAL lock_timeout = '5s'`))
				must(store.ForgetDrift(ctx, tx, &drift.FullReport{ID: 8, PlatformID: p.ID, BegunAt: tx.Now}, store.TenantRange{After: b.ID - 1, Last: b.ID}))
			})
		})
		same(t, "DriftOf after ForgetDrift of what is locked", len(read(b)), 1)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		m.subscription(a.AccountID, m.offer(), forTenant(a.ID))
		must(store.ForgetDrift(ctx, tx, &drift.FullReport{ID: 8, PlatformID: p.ID, BegunAt: tx.Now}, everyTenant))
	})
	same(t, "DriftOf after ForgetDrift", read(a, b, c), map[billing.TenantID]*drift.Tenant{a.ID: rows[2], c.ID: rows[0]})
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.Tenants.Delete(ctx, tx, c)) })
	same(t, "DriftOf a tenant that is gone", len(read(c)), 0)
}

// testDriftReports begins, continues and completes full reports.
func testDriftReports(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var p, other *webhook.Platform
	var first, second, twin *drift.FullReport
	lock := got[*drift.FullReport](t)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p, other = m.platform(), m.platform()
		first = lock(store.LockDriftReport(ctx, tx, p.ID, "first", tx.Now))
		same(t, "a new report", first, &drift.FullReport{ID: first.ID, PlatformID: p.ID, Name: "first", BegunAt: tx.Now, Outcomes: drift.Counts{}})
		twin = lock(store.LockDriftReport(ctx, tx, other.ID, "first", tx.Now))
	})
	db.Clock.Advance(time.Hour)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		second = lock(store.LockDriftReport(ctx, tx, p.ID, "second", tx.Now))
		same(t, "a report that goes on", lock(store.LockDriftReport(ctx, tx, p.ID, "first", tx.Now)), first)
		first.CompletedAt, first.Outcomes, first.Repaired, first.Held = &tx.Now, drift.Counts{drift.InSync: 5, drift.Drifted: 1}, 1, true
		first.Repairing, first.Swept = true, 7
		must(store.SaveDriftReport(ctx, tx, first))
	})
	if second.ID <= first.ID {
		t.Errorf("a report that begins later has the id %d, behind %d", second.ID, first.ID)
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		same(t, "RepairingReports", got[[]billing.DriftReportID](t)(store.RepairingReports(ctx, tx.Queries, p.ID)), []billing.DriftReportID{first.ID})
		must(store.NoteRepairsOf(ctx, tx, first.ID, 4))
		must(store.EndRepairsOf(ctx, tx, other.ID))
		same(t, "RepairingReports after the end of others", len(got[[]billing.DriftReportID](t)(store.RepairingReports(ctx, tx.Queries, p.ID))), 1)
		must(store.EndRepairsOf(ctx, tx, p.ID))
		same(t, "RepairingReports after the end", len(got[[]billing.DriftReportID](t)(store.RepairingReports(ctx, tx.Queries, p.ID))), 0)
		first.Repaired, first.Repairing = 5, false

		must(store.SaveDriftPart(ctx, tx, first.ID, "d", 3))
		must(store.SaveDriftPart(ctx, tx, first.ID, "d", 2))
		part := func(report billing.DriftReportID, digest string, want int, known bool) {
			unknown, found, err := store.DriftPart(ctx, tx, report, digest)
			must(err)
			same(t, "DriftPart", []any{unknown, found}, []any{want, known})
		}
		part(first.ID, "d", 2, true)
		part(first.ID, "e", 0, false)
		part(second.ID, "d", 0, false)
		must(store.ForgetDriftParts(ctx, tx, second.ID))
		part(first.ID, "d", 2, true)
		must(store.ForgetDriftParts(ctx, tx, first.ID))
		part(first.ID, "d", 0, false)
	})
	of := func(limit int, ids ...billing.PlatformID) map[billing.PlatformID][]drift.FullReport {
		return got[map[billing.PlatformID][]drift.FullReport](t)(store.DriftReportsOf(ctx, q, ids, limit))
	}
	same(t, "DriftReportsOf", of(10, p.ID, other.ID), map[billing.PlatformID][]drift.FullReport{p.ID: {*second, *first}, other.ID: {*twin}})
	same(t, "DriftReportsOf, some", of(1, p.ID), map[billing.PlatformID][]drift.FullReport{p.ID: {*second}})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.ReleaseDriftReports(ctx, tx, other.ID))
		same(t, "DriftReportsOf after ReleaseDriftReports of others", got[map[billing.PlatformID][]drift.FullReport](t)(store.DriftReportsOf(ctx, tx.Queries, []billing.PlatformID{p.ID}, 2))[p.ID][1].Held, true)
		must(store.ReleaseDriftReports(ctx, tx, p.ID))
		first.Held = false
	})
	same(t, "DriftReportsOf after ReleaseDriftReports", of(10, p.ID), map[billing.PlatformID][]drift.FullReport{p.ID: {*second, *first}})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.ForgetDriftReports(ctx, tx, p.ID, second.BegunAt))
	})
	same(t, "DriftReportsOf after ForgetDriftReports", of(10, p.ID, other.ID), map[billing.PlatformID][]drift.FullReport{p.ID: {*second}, other.ID: {*twin}})
	checkWaits(t, s, "a report goes on", func(ctx context.Context, tx *store.Tx) {
		lock(store.LockDriftReport(ctx, tx, p.ID, "second", tx.Now))
	}, func(ctx context.Context, tx *store.Tx) {
		lock(store.LockDriftReport(ctx, tx, p.ID, "second", tx.Now))
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.Platforms.Delete(ctx, tx, other))
	})
	same(t, "DriftReportsOf a platform that is gone", len(of(10, other.ID)), 0)
}

// teller tells tenants features, as far as tests of drift need it.
type teller struct {
	t *testing.T
	s *store.Store
}

// tell records an event, and delivers it if it is to be.
func (w teller) tell(tenant *billing.Tenant, features string, delivered bool) {
	w.t.Helper()
	write(w.t, w.s, func(ctx context.Context, tx *store.Tx) {
		position, err := outbox.NextPosition(ctx, tx, tenant.ID)
		must(err)
		e := webhook.Event{Type: "tenant", Subject: webhook.OfTenant(tenant.ID), PlatformID: tenant.PlatformID, Sequence: position.Sequence, Reason: "x",
			Body: `{"payload":{"tenant":{"name":"\"change\":{\"features\":"},"change":{"features":` + features + `,"subscriptions":[]}}}`}
		must(outbox.InsertEvent(ctx, tx, &e, position))
		if !delivered {
			return
		}
		deliveries, err := outbox.DeliveriesOf(ctx, tx.Queries, []billing.EventID{e.ID})
		must(err)
		must(outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: deliveries[0].ID, State: webhook.DeliveryDelivered}}))
		streams, err := outbox.StreamsOf(ctx, tx.Queries, []billing.TenantID{tenant.ID})
		must(err)
		streams[tenant.ID].Delivered(e.Sequence, tx.Now)
		must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{streams[tenant.ID]}))
	})
}

// end ends what is at the head of a tenant's stream without delivering it.
func (w teller) end(tenant *billing.Tenant, state string) {
	w.t.Helper()
	write(w.t, w.s, func(ctx context.Context, tx *store.Tx) {
		claims, err := outbox.DueStreams(ctx, tx, tenant.PlatformID, tx.Now, 1)
		must(err)
		must(outbox.EndDeliveries(ctx, tx, []outbox.DeliveryEnd{{ID: claims[0].Head.Delivery.ID, State: state}}))
		claims[0].Stream.Pass(claims[0].Stream.Head(), tx.Now)
		must(outbox.SaveStreams(ctx, tx, []*webhook.Stream{&claims[0].Stream}))
	})
}

// testTold reads what applications were told.
func testTold(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	w := teller{t, s}
	var p *webhook.Platform
	var a, quiet, elsewhere *billing.Tenant
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p = m.provisioningPlatform()
		ann := m.account("Ann").ID
		a, quiet, elsewhere = m.tenant(p.ID, ann), m.tenant(p.ID, ann), m.tenant(m.platform().ID, ann)
	})
	w.tell(a, `[{"code":"sso","name":"SSO","value":"","quantity":null}]`, true)
	db.Clock.Advance(time.Hour)
	w.tell(a, `[{"code":"seats","name":"Seats","value":"","quantity":5}]`, true)
	second := s.Now().Truncate(time.Millisecond).UTC()
	db.Clock.Advance(time.Hour)
	w.tell(a, `[]`, true)
	third := s.Now().Truncate(time.Millisecond).UTC()
	w.tell(a, `[]`, false)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		ask := func(named ...outbox.Named) map[string]*outbox.ToldTenant {
			return got[map[string]*outbox.ToldTenant](t)(outbox.ToldWith(ctx, tx, p.ID, named))
		}
		told := func(of drift.Told) map[string]*outbox.ToldTenant {
			return map[string]*outbox.ToldTenant{a.Code: {ID: a.ID, Told: of}}
		}
		same(t, "ToldWith the first", ask(outbox.Named{Code: a.Code, Sequence: 1}, outbox.Named{Code: elsewhere.Code, Sequence: 1}, outbox.Named{Code: "none"}),
			told(drift.Told{Last: 4, Highest: 3, Waits: true, NewerAt: &second, Features: []drift.Feature{{Code: "sso"}}}))
		same(t, "ToldWith the second", ask(outbox.Named{Code: a.Code, Sequence: 2}), told(drift.Told{Last: 4, Highest: 3, Waits: true, NewerAt: &third, Features: []drift.Feature{{Code: "seats", Quantity: ptr(5)}}}))
		same(t, "ToldWith what waits", ask(outbox.Named{Code: a.Code, Sequence: 4}), told(drift.Told{Last: 4, Highest: 3, Waits: true, Features: []drift.Feature{}}))
		same(t, "ToldWith what never was", ask(outbox.Named{Code: a.Code, Sequence: 9}), told(drift.Told{Last: 4, Highest: 3, Waits: true, Forgotten: true}))
		same(t, "ToldWith nothing", ask(outbox.Named{Code: quiet.Code}), map[string]*outbox.ToldTenant{quiet.Code: {ID: quiet.ID, Told: drift.Told{Forgotten: true}}})
		arrivals := func(named ...outbox.TenantSequence) map[billing.TenantID]drift.Arrival {
			return got[map[billing.TenantID]drift.Arrival](t)(outbox.Arrivals(ctx, tx, named))
		}
		same(t, "Arrivals", arrivals(outbox.TenantSequence{TenantID: a.ID, Sequence: 2}, outbox.TenantSequence{TenantID: quiet.ID, Sequence: 1}),
			map[billing.TenantID]drift.Arrival{a.ID: {Delivered: true, At: &second}})
		same(t, "Arrivals of what waits", arrivals(outbox.TenantSequence{TenantID: a.ID, Sequence: 4}), map[billing.TenantID]drift.Arrival{a.ID: {}})
	})
	w.end(a, webhook.DeliveryExhausted)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		found := got[map[billing.TenantID]drift.Arrival](t)(outbox.Arrivals(ctx, tx, []outbox.TenantSequence{{TenantID: a.ID, Sequence: 4}}))
		same(t, "Arrivals of what was given up", found, map[billing.TenantID]drift.Arrival{a.ID: {GivenUp: true}})
		told := got[map[string]*outbox.ToldTenant](t)(outbox.ToldWith(ctx, tx, p.ID, []outbox.Named{{Code: a.Code, Sequence: 3}}))
		same(t, "ToldWith after it was given up", told[a.Code].Waits, false)
	})
}

// testMissing marks the tenants that a report does not name, and no others.
func testMissing(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	w := teller{t, s}
	const some = `[{"code":"sso","name":"SSO","value":"","quantity":null}]`
	tenants := map[string]*billing.Tenant{}
	var p *webhook.Platform
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		p = m.provisioningPlatform()
		ann, o := m.account("Ann").ID, m.offer()
		for _, name := range []string{"missing", "missing before", "named", "over", "waits", "told now", "told again now", "had none", "of another database"} {
			tenant := m.tenant(p.ID, ann)
			tenants[name] = tenant
			if name != "over" {
				m.subscription(ann, o, forTenant(tenant.ID))
			}
		}
		must(outbox.StartStreams(ctx, tx, []outbox.TenantSequence{{TenantID: tenants["of another database"].ID, Sequence: 7}}))
	})
	for _, name := range []string{"missing", "missing before", "named", "over", "told again now"} {
		w.tell(tenants[name], some, true)
	}
	w.tell(tenants["had none"], `[]`, true)
	w.tell(tenants["had none"], some, false)
	w.tell(tenants["waits"], some, false)
	before := s.Now()
	db.Clock.Advance(time.Hour)
	report := &drift.FullReport{ID: 5, PlatformID: p.ID}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.SaveDrift(ctx, tx, []*drift.Tenant{
			{TenantID: tenants["named"].ID, PlatformID: p.ID, Outcome: drift.InSync, ReportID: 5},
			{TenantID: tenants["missing before"].ID, PlatformID: p.ID, Outcome: drift.Missing, Digest: "m", Since: before, Persistent: true, ReportID: 4, RepairDigest: "m", RepairSequence: 2},
		}))
	})
	w.tell(tenants["told now"], some, true)
	w.tell(tenants["told again now"], `[]`, true)
	mark := func(ids store.TenantRange) (n int64) {
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			n = got[int64](t)(outbox.MarkMissing(ctx, tx, report, "m", tx.Now.Add(-time.Minute), ids))
		})
		return n
	}
	same(t, "MarkMissing, some", mark(store.TenantRange{Last: tenants["missing"].ID}), int64(1))
	same(t, "MarkMissing", mark(store.TenantRange{After: tenants["missing"].ID, Last: 1 << 60}), int64(3))
	same(t, "MarkMissing again", mark(everyTenant), int64(0))
	var names []string
	for _, name := range []string{"missing", "missing before", "named", "over", "waits", "told now", "told again now", "had none", "of another database"} {
		id := tenants[name].ID
		row := got[map[billing.TenantID]*drift.Tenant](t)(store.DriftOf(t.Context(), s.Queries(), []billing.TenantID{id}))[id]
		if row != nil && row.Outcome == drift.Missing {
			names = append(names, name)
			if row.ReportID != 5 || row.Digest != "m" || (name == "missing before") != row.Persistent || (name == "missing before") != (row.RepairSequence == 2) || (name == "missing before") != row.Since.Before(row.CheckedAt) ||
				row.ReportOutcome != drift.Missing || (name == "missing before") != (row.QueuedBy == drift.NoCause) {
				t.Errorf("%s: %+v", name, row)
			}
		}
	}
	same(t, "who is missing", names, []string{"missing", "missing before", "told again now", "of another database"})
}
