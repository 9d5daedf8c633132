package webhook

import (
	"fmt"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"pgregory.net/rapid"
)

var streamNow = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// TestStreamFailures follows the schedule of retries to its end.
func TestStreamFailures(t *testing.T) {
	t.Parallel()
	l := Stream{LastSequence: 7, LastPosition: 2, NewestPosition: 1, DeliveredSequence: 6, HighestSequence: 6}
	retry := Retry{Delays: []int{5, 30}, Order: Ordered, Jitter: 1.2}
	for i, want := range []time.Duration{6 * time.Second, 36 * time.Second} {
		l.Begin(billing.AttemptID(i+1), streamNow, streamNow.Add(time.Minute))
		if l.Failed(retry, "no", streamNow) {
			t.Fatalf("given up after %d failures", i+1)
		}
		if !l.DueAt.Equal(streamNow.Add(want)) || l.AttemptID != nil || l.Attempts != i+1 || *l.LastError != "no" {
			t.Errorf("after failure %d: due %s, %+v", i+1, l.DueAt.Sub(streamNow), l)
		}
	}
	if !l.Failed(retry, "no again", streamNow) {
		t.Fatal("not given up after the last attempt")
	}
	if l.DonePosition != 1 || l.Attempts != 0 || !l.DueAt.Equal(streamNow) || l.InSync() || *l.LastError != "no again" || l.DeliveredSequence != 6 {
		t.Errorf("an exhausted head leaves %+v", l)
	}
	l.Delivered(3, streamNow) // a forced resend
	if l.DueAt != nil || l.DeliveredSequence != 3 || l.HighestSequence != 6 || l.LastError != nil || l.Waiting() != 0 {
		t.Errorf("a delivered head leaves %+v", l)
	}
}

func TestStreamRetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ asked, want time.Duration }{
		{0, 30 * time.Second}, {10 * time.Second, 30 * time.Second}, {time.Minute, time.Minute}, {48 * time.Hour, time.Hour},
	} {
		l := Stream{LastPosition: 1}
		l.Failed(Retry{Delays: []int{30}, Order: Strict, Jitter: 1, After: c.asked}, "busy", streamNow)
		if got := l.DueAt.Sub(streamNow); got != c.want {
			t.Errorf("asked for %s: waits %s, want %s", c.asked, got, c.want)
		}
	}
}

// TestStreamGivesWay: five minutes after its first failure a head gives way to a
// newer event, unless the order is strict.
func TestStreamGivesWay(t *testing.T) {
	t.Parallel()
	long := time.Hour
	for _, c := range []struct {
		name      string
		order     DeliveryOrder
		newest    int64
		failedFor time.Duration
		want      bool
	}{
		{"does not fail", Ordered, 5, 0, false},
		{"fails and a newer one waits", Ordered, 5, long, true},
		{"fails for five minutes", Ordered, 5, GiveWayAfter, true},
		{"fails for less", Ordered, 5, GiveWayAfter - 1, false},
		{"is the newest", Ordered, 1, long, false},
		{"only resends wait behind it", Ordered, 0, long, false},
		{"strict", Strict, 5, long, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := Stream{LastPosition: 6, NewestPosition: c.newest}
			if c.failedFor > 0 {
				l.Failed(Retry{Delays: []int{1, 1}, Order: c.order, Jitter: 1}, "no", streamNow.Add(-c.failedFor))
			}
			if position, gives := l.GivesWay(c.order, streamNow); gives != c.want || position != c.newest {
				t.Errorf("gives way to %d: %v, want %v", position, gives, c.want)
			}
		})
	}
	// It is looked at when it gives way, not when the next attempt is due.
	for waiting, want := range map[int64]time.Duration{1: time.Hour, 2: GiveWayAfter} {
		l := Stream{LastPosition: waiting, NewestPosition: waiting}
		l.Failed(Retry{Delays: []int{3600}, Order: Ordered, Jitter: 1}, "no", streamNow)
		if got := l.DueAt.Sub(streamNow); got != want {
			t.Errorf("with %d waiting it is due after %s, want %s", waiting, got, want)
		}
	}
}

// TestStreamProperties: whatever happens in a stream, positions go up one by one or
// by giving way, something waits exactly when it is due, and what is over is
// nobody's.
func TestStreamProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l, now := Stream{}, streamNow
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 400).Draw(rt, "seconds")) * time.Second)
			before := l
			switch what := rapid.SampledFrom([]string{"event", "resend", "delivered", "failed", "cut off", "give way"}).Draw(rt, "what"); {
			case what == "event":
				l.LastSequence, l.LastPosition = l.LastSequence+1, l.LastPosition+1
				l.NewestPosition = l.LastPosition
				if l.DueAt == nil {
					l.DueAt = new(now)
				}
			case l.LastSequence == 0:
			case what == "resend":
				l.LastPosition++
				if l.DueAt == nil {
					l.DueAt = new(now)
				}
			case l.DueAt == nil:
			case what == "delivered":
				l.Begin(1, now, now.Add(time.Minute))
				l.Holder = 7
				l.Delivered(rapid.IntRange(1, l.LastSequence).Draw(rt, "sequence"), now)
			case what == "failed":
				l.Begin(1, now, now.Add(time.Minute))
				l.Holder = 7
				l.Failed(Retry{Delays: []int{5, 600}, Order: Ordered, Jitter: 1}, "no", now)
			case what == "cut off":
				l.Begin(1, now, now.Add(time.Minute))
				l.Holder = 7
				l.Release(now)
			case what == "give way":
				if position, gives := l.GivesWay(Ordered, now); gives {
					l.Pass(position-1, now)
					if l.Waiting() < 1 || l.DonePosition+1 != l.NewestPosition {
						rt.Fatalf("gave way from %+v to %+v", before, l)
					}
				}
			}
			if (l.DueAt != nil) != (l.Waiting() > 0) || l.Waiting() < 0 || l.DonePosition < before.DonePosition ||
				l.HighestSequence < before.HighestSequence || l.DeliveredSequence > l.LastSequence || l.Holder != 0 {
				rt.Fatalf("from %+v to %+v", before, l)
			}
		}
	})
}

// TestBreaker opens after ten failures in a row of three tenants, probes in
// growing pauses and closes with the first success.
func TestBreaker(t *testing.T) {
	t.Parallel()
	var poison Endpoint
	for range 100 {
		poison.Refused(OfTenant(1), false, streamNow)
		poison.Refused(OfTenant(2), false, streamNow)
	}
	if poison.OpenUntil != nil {
		t.Error("two tenants opened the breaker for all")
	}
	var e Endpoint
	for i := range 9 {
		e.Refused(OfTenant(billing.TenantID(i)), false, streamNow)
	}
	if e.OpenUntil != nil {
		t.Error("open after nine failures")
	}
	e.Refused(OfTenant(9), false, streamNow)
	for i, pause := range []time.Duration{5, 10, 20, 40, 80, 160, 300, 300} {
		if e.OpenUntil == nil || e.OpenUntil.Sub(streamNow) != pause*time.Second {
			t.Fatalf("pause %d ends at %v, want after %d s", i, e.OpenUntil, pause)
		}
		e.Refused(OfTenant(9), false, streamNow) // it was under way
		e.Probe(streamNow.Add(40 * time.Second))
		e.Refused(OfTenant(1), true, streamNow)
	}
	if !e.Arrived() || e.OpenUntil != nil || e.Failures != 0 || e.OpenDelay != 0 {
		t.Errorf("after a success: %+v", e)
	}
	if e.Arrived() {
		t.Error("a success that changes nothing says it does")
	}
}

func TestEndpointState(t *testing.T) {
	t.Parallel()
	url := "https://app.example.com/"
	paused, open := Endpoint{}, Endpoint{OpenUntil: new(streamNow)}
	paused.Pause("410", streamNow)
	for _, c := range []struct {
		endpoint Endpoint
		url      *string
		enabled  bool
		want     EndpointState
	}{
		{Endpoint{}, &url, true, EndpointReady}, {Endpoint{}, nil, true, EndpointNoURL}, {Endpoint{}, &url, false, EndpointWorkflowDisabled},
		{paused, &url, true, EndpointPaused}, {open, &url, true, EndpointBreakerOpen},
	} {
		if got := c.endpoint.State(c.url, c.enabled, false); got != c.want {
			t.Errorf("%+v is %s, want %s", c.endpoint, got, c.want)
		}
	}
	paused.Failures = 3
	paused.Resume()
	if paused.State(&url, true, false) != EndpointReady || paused.Failures != 0 {
		t.Errorf("resumed as %+v", paused)
	}
}

func TestDeliveryStage(t *testing.T) {
	t.Parallel()
	attempt := billing.AttemptID(1)
	idle, busy, failing := Stream{}, Stream{AttemptID: &attempt}, Stream{Attempts: 1}
	for _, c := range []struct {
		state    string
		position int64
		stream   *Stream
		endpoint EndpointState
		want     DeliveryState
	}{
		{DeliveryWaiting, 1, &idle, EndpointReady, StatePending},
		{DeliveryWaiting, 1, &idle, EndpointPaused, StateHeld},
		{DeliveryWaiting, 1, &busy, EndpointReady, StateInFlight},
		{DeliveryWaiting, 1, &busy, EndpointPaused, StateInFlight},
		{DeliveryWaiting, 2, &busy, EndpointReady, StatePending},
		{DeliveryWaiting, 1, &failing, EndpointReady, StateRetryWait},
		{DeliveryWaiting, 2, &failing, EndpointReady, StatePending},
		{DeliveryWaiting, 1, &failing, EndpointBreakerOpen, StateHeld},
		{DeliveryDelivered, 1, &busy, EndpointNoURL, StateDelivered},
		{DeliveryExhausted, 1, nil, EndpointReady, StateExhausted},
		{DeliverySuperseded, 1, &idle, EndpointReady, StateSuperseded},
		{DeliveryCanceled, 1, &idle, EndpointReady, StateCanceled},
	} {
		d := Delivery{State: c.state, Position: c.position}
		if got := d.Stage(c.stream, c.endpoint); got != c.want {
			t.Errorf("%+v is %s, want %s", c, got, c.want)
		}
	}
}

func TestWorkflowCheck(t *testing.T) {
	t.Parallel()
	for field, edit := range map[string]func(*Workflow){
		"":               func(*Workflow) {},
		"name":           func(w *Workflow) { w.Name = " " },
		"timeoutSeconds": func(w *Workflow) { w.TimeoutSeconds = 0 },
		"maxConcurrency": func(w *Workflow) { w.MaxConcurrency = 1_001 },
		"order":          func(w *Workflow) { w.Order = "RANDOM" },
		"retryDelays":    func(w *Workflow) { w.RetryDelays = nil },
		"payloadProgram": func(w *Workflow) { w.PayloadProgram = new(fmt.Sprintf("%070000d", 1)) },
	} {
		w := NewWorkflow(1)
		edit(&w)
		problems := w.Check()
		if field == "" && len(problems) > 0 || field != "" && (len(problems) != 1 || problems[0].Field[0] != field) {
			t.Errorf("%s: %v", field, problems)
		}
	}
	for _, delays := range [][]int{{0}, {-5}, {5, MaxRetrySeconds + 1}, make([]int, 51)} {
		w := NewWorkflow(1)
		w.RetryDelays = delays
		if len(w.Check()) == 0 {
			t.Errorf("%v is accepted", delays)
		}
	}
}
