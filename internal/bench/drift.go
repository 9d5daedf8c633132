package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/service/drifts"
)

// driftPart is how many tenants each request of a full report has, and driftEvery how
// many of them there are for each that differs.
const driftPart, driftEvery = 10_000, 1000

// measureDrift has an application report all its tenants, twice: what is kept of each is
// written first and changed then. Each request takes turns with a bare reader that parses
// the same lines and compares the same rows, and writes nothing.
func measureDrift(r *run) []result {
	a := r.newApplication(r.subs)
	var results []result
	for _, name := range []string{"drift, first report", "drift, next report"} {
		all := a.fullReport(r, name)
		tenth := max(1, len(all)/10)
		first, last := all[:tenth], all[len(all)-tenth:]
		results = append(results,
			r.result(name, "/s", all.rate(effort.reported), all.rate(effort.compared)).atLeast(0.4),
			r.result(name+", memory of the last tenth", "MiB", last.memory(), first.memory()).atMost(1.3),
			r.result(name+", time of the last tenth", "ms", last.took(), first.took()))
	}
	return results
}

// application is a crowd that was told everything, and reports it.
type application struct {
	*crowd
	bare     *sql.DB
	tenants  int
	features string
}

// newApplication makes a crowd in which each tenant was told its first event.
func (r *run) newApplication(n int) *application {
	c := r.newCrowd("drift", n)
	db := r.raw(c.database)
	r.execute(db,
		`INSERT INTO webhook_event (type, stream_id, platform_id, sequence, reason, body, created_at)
			SELECT first.type, webhook_stream.id, first.platform_id, 1, first.reason, first.body, first.created_at
			FROM webhook_stream CROSS JOIN webhook_event AS first WHERE first.id = 1 AND webhook_stream.id <> first.stream_id ORDER BY webhook_stream.subject_id`,
		`INSERT INTO webhook_delivery (event_id, platform_id, stream_id, position, cause, forced, state, latest, created_at, updated_at)
			SELECT id, platform_id, stream_id, 1, 'change', 0 > 1, 'delivered', 1 > 0, created_at, created_at FROM webhook_event WHERE id > 1 ORDER BY id`,
		`UPDATE webhook_delivery SET state = 'delivered' WHERE event_id = 1`,
		`UPDATE webhook_stream SET done_position = last_position, delivered_sequence = 1, highest_sequence = 1, due_at = NULL, delivered_at = 1`,
		`UPDATE platform SET drift_policy = 'REPAIR'`)
	if r.engine.name == "postgres" { // as it would by itself a little later
		r.execute(db, "VACUUM (ANALYZE) webhook_event, webhook_delivery, webhook_stream", "CHECKPOINT")
	}
	var body string
	check(db.QueryRowContext(r.Context(), `SELECT body FROM webhook_event WHERE id = 1`).Scan(&body))
	a := &application{crowd: c, bare: must(r.engine.bare(c.database)), tenants: n, features: string(must(json.Marshal(toldIn(body))))}
	r.closing(a.bare.Close)
	return a
}

// toldIn are the features in the body of an event. The rest of it is not read: that would
// take longer than all else.
func toldIn(body string) (features []drift.Feature) {
	_, text, _ := strings.Cut(body, `"change":{"features":`)
	check(json.NewDecoder(strings.NewReader(text)).Decode(&features))
	return features
}

// lines are the tenants of a request, of which some have lost everything.
func (a *application) lines(from, to int) []byte {
	var text bytes.Buffer
	for i := from; i < to; i++ {
		features := a.features
		if i%driftEvery == 0 {
			features = "[]"
		}
		fmt.Fprintf(&text, `{"code":"T-%d","sequence":1,"features":%s}`+"\n", i+1, features)
	}
	return text.Bytes()
}

// effort is what a request took.
type effort struct {
	tenants    int
	took, bare time.Duration
	// heap is how large it was at the end, in MiB, with the garbage that was not
	// collected yet.
	heap float64
}

func (e effort) reported() time.Duration { return e.took }
func (e effort) compared() time.Duration { return e.bare }

// efforts are requests one after another.
type efforts []effort

// rate is how many tenants were done in a second.
func (all efforts) rate(took func(effort) time.Duration) float64 {
	var tenants int
	var sum time.Duration
	for _, e := range all {
		tenants, sum = tenants+e.tenants, sum+took(e)
	}
	return float64(tenants) / sum.Seconds()
}

// memory and took are medians: a single request may have met a collection of garbage.
func (all efforts) memory() float64 {
	return all.median(func(e effort) float64 { return e.heap })
}

func (all efforts) took() float64 {
	return all.median(func(e effort) float64 { return milliseconds(e.took) })
}

func (all efforts) median(of func(effort) float64) float64 {
	values := make([]float64, len(all))
	for n, e := range all {
		values[n] = of(e)
	}
	return median(values)
}

// fullReport reports all tenants.
func (a *application) fullReport(r *run, name string) (all efforts) {
	for from := 0; from < a.tenants; from += driftPart {
		to := min(from+driftPart, a.tenants)
		e := a.request(r, name, a.lines(from, to), to == a.tenants)
		e.tenants = to - from
		all = append(all, e)
	}
	return all
}

// request reports some tenants, and then has the bare reader compare them.
func (a *application) request(r *run, name string, body []byte, complete bool) (e effort) {
	runtime.GC() // nobody pays for what others left behind
	start := now()
	tagged(asClient(r.Context()), "server", func(ctx context.Context) {
		done := must(a.Drifts.TenantStateReport(ctx, drifts.Report{PlatformCode: "app", Name: &name, Complete: complete, States: must(drift.Parse(body, nil))}))
		if complete && (done.Full.Outcomes[drift.InSync]+done.Full.Outcomes[drift.Drifted] != a.tenants || done.Full.Held) {
			r.Fatalf("the report has %v", done.Full.Outcomes)
		}
	})
	e.took = now().Sub(start)
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	e.heap = float64(stats.HeapAlloc) / mebibyte
	runtime.GC()
	start = now()
	tagged(r.Context(), "bare", func(ctx context.Context) { a.compareBare(ctx, body) })
	e.bare = now().Sub(start)
	return e
}

// compareBare parses lines, reads what each tenant was told, and counts who differs.
func (a *application) compareBare(ctx context.Context, body []byte) (differ int) {
	has := make(map[string][]drift.Feature, driftPart)
	var codes []string
	for line := range bytes.Lines(body) {
		var one struct {
			Code     string
			Sequence int
			Features []drift.Feature
		}
		check(json.Unmarshal(line, &one))
		has[one.Code], codes = one.Features, append(codes, one.Code)
	}
	const text = `SELECT tenant.code, webhook_event.body FROM tenant
		JOIN webhook_stream ON webhook_stream.subject_kind = 'TENANT' AND webhook_stream.subject_id = tenant.id AND webhook_stream.platform_id = tenant.platform_id
		JOIN webhook_event ON webhook_event.stream_id = webhook_stream.id AND webhook_event.sequence = 1
		WHERE tenant.platform_id = 1 AND tenant.code IN (SELECT value FROM `
	list := "json_each($1))"
	if a.store.Engine() == "postgres" {
		list = "json_array_elements_text(CAST($1 AS JSON)) AS listed (value))"
	}
	rows := must(a.bare.QueryContext(ctx, text+list, string(must(json.Marshal(codes)))))
	defer rows.Close()
	for rows.Next() {
		var code, told string
		check(rows.Scan(&code, &told))
		if !slices.EqualFunc(toldIn(told), has[code], func(a, b drift.Feature) bool {
			return a.Code == b.Code && a.Value == b.Value && (a.Quantity == nil) == (b.Quantity == nil) && (a.Quantity == nil || *a.Quantity == *b.Quantity)
		}) {
			differ++
		}
	}
	check(rows.Err())
	return differ
}
