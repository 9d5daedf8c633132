package admission

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tenantry/tenantry/internal/clock"
)

// world is budgets with clocks that a test moves.
type world struct {
	*Budgets
	passed time.Duration
	cpu    time.Duration
}

func newWorld(defaults Limits) *world {
	w := &world{}
	w.Budgets = NewBudgets(defaults, func() time.Duration { return w.passed })
	w.clock.used = func() time.Duration { return w.cpu }
	return w
}

var robot = Caller{Key: "robot", Label: "robot"}

// take makes a request that takes so much.
func (w *world) take(t *testing.T, c Caller, cpu time.Duration, bytes int64) {
	t.Helper()
	v, no := w.Begin(c)
	if no != nil {
		t.Fatalf("refused: %+v", no)
	}
	v.Run(t.Context())
	w.cpu += cpu
	v.End(bytes)
}

func (w *world) refuses(t *testing.T, c Caller, reason Reason, after time.Duration, message string) {
	t.Helper()
	_, no := w.Begin(c)
	if no == nil || no.Reason != reason || no.After != after || !strings.Contains(no.Message(), message) {
		t.Errorf("%+v, want %s after %v", no, reason, after)
	}
}

// valueOf is what was counted for the robot.
func valueOf(t *testing.T, c prometheus.Collector) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 {
		t.Fatalf("%v, %v", families, err)
	}
	sum := 0.0
	for _, m := range families[0].GetMetric() {
		if m.GetLabel()[0].GetValue() == "robot" {
			sum += m.GetCounter().GetValue()
		}
	}
	return sum
}

func TestRequestsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(Limits{Requests: 2})
	first, _ := w.Begin(robot)
	second, _ := w.Begin(robot)
	w.refuses(t, robot, TooManyRequests, time.Second, "has 2 requests under way, which is its limit. Try again in a second.")
	w.take(t, Caller{Key: "other", Label: "other"}, 0, 0)
	first.End(0)
	w.take(t, robot, 0, 0)
	second.End(0)
	if n := valueOf(t, w.refused); n != 1 {
		t.Errorf("%v refusals are counted", n)
	}
}

// What was taken counts for a minute, and the refusal says when there is enough
// again.
func TestCPUTimeInAWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(Limits{CPU: 10 * time.Second})
	w.take(t, robot, 4*time.Second, 0)
	w.passed += 20 * time.Second
	w.take(t, robot, 7*time.Second, 0)
	w.refuses(t, robot, TooMuchCPU, 40*time.Second, "has used 10 seconds of CPU time in the last minute, which is its limit. Try again in 40 seconds.")
	w.take(t, Caller{Key: "other", Label: "other"}, 0, 0)
	w.passed += 39 * time.Second
	w.refuses(t, robot, TooMuchCPU, time.Second, "in a second")
	w.passed += time.Second
	w.take(t, robot, 3*time.Second, 0)
	w.refuses(t, robot, TooMuchCPU, 20*time.Second, "")
	w.passed += time.Hour
	w.take(t, robot, 0, 0)
	if n := valueOf(t, w.Budgets.cpu); n != 14 {
		t.Errorf("%v seconds are counted", n)
	}
}

// Requests that run together share what was used meanwhile.
func TestCPUTimeIsShared(t *testing.T) {
	t.Parallel()
	w := newWorld(Limits{})
	long, _ := w.Begin(robot)
	short, _ := w.Begin(Caller{Key: "other", Label: "other"})
	long.Run(t.Context())
	w.cpu += 4 * time.Second
	short.Run(t.Context())
	w.cpu += 2 * time.Second
	short.End(0)
	w.cpu += time.Second
	long.End(0)
	w.cpu += time.Hour // nobody runs
	if a, b := w.callers["robot"].cpu.sum, w.callers["other"].cpu.sum; time.Duration(a) != 6*time.Second || time.Duration(b) != time.Second {
		t.Errorf("%v and %v", time.Duration(a), time.Duration(b))
	}
}

// Who waits for others is not charged what they use.
func TestCPUTimeStopsWhilePaused(t *testing.T) {
	t.Parallel()
	w := newWorld(Limits{})
	gate := NewGate(1, 0, patient)
	leave := enter(t, gate, "robot")
	ctx := gate.Hold(t.Context(), "robot")
	waits, _ := w.Begin(robot)
	waits.Run(ctx)
	w.cpu += time.Second
	outer, inner := Pause(ctx), Pause(ctx)
	w.cpu += time.Hour
	inner()
	w.cpu += time.Hour
	outer()
	w.cpu += 2 * time.Second
	last := Pause(ctx)
	w.cpu += time.Hour
	waits.End(0)
	last()
	leave()
	if sum := time.Duration(w.callers["robot"].cpu.sum); sum != 3*time.Second || w.clock.running != 0 {
		t.Errorf("%v, and %d run", sum, w.clock.running)
	}
}

func TestBytesAreCounted(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest("POST", "/?ab=c", struct{ io.Reader }{strings.NewReader("12345")})
	sent := Count(r)
	if _, err := io.ReadAll(r.Body); err != nil || r.ContentLength != -1 || sent.Bytes() != 9 {
		t.Errorf("%d of %d, %v", sent.Bytes(), r.ContentLength, err)
	}
}

func TestBytesAndOwnLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(Limits{Bytes: 1 << 20})
	rich := robot
	rich.Limits.Bytes = 3 << 20
	w.take(t, rich, 0, 2<<20)
	w.take(t, rich, 0, 1<<20)
	w.refuses(t, rich, TooManyBytes, span*time.Second, "has sent and got 3 MiB in the last minute, which is its limit.")
	w.refuses(t, robot, TooManyBytes, span*time.Second, "1 MiB")
}

// Those who took nothing for a minute are forgotten when there are many.
func TestCallersAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(Limits{})
	for n := range 3 * manyCallers {
		w.take(t, Caller{Key: strings.Repeat("x", n), Label: "console"}, time.Second, 1)
		w.passed += time.Second
	}
	if n := len(w.callers); n > manyCallers {
		t.Errorf("%d are remembered", n)
	}
}

func TestProcessCPU(t *testing.T) {
	t.Parallel()
	before, sum := processCPU(), 0
	for n := range 100_000_000 {
		sum += n % 7
	}
	if used := processCPU() - before; used <= 0 || sum == 0 {
		t.Errorf("used %v", used)
	}
}

// TestAMinutePassesThoughTheClockGoesBack: what a caller took is forgotten after a
// minute, wherever the clock was set.
func TestAMinutePassesThoughTheClockGoesBack(t *testing.T) {
	t.Parallel()
	wall, passed := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC), time.Duration(0)
	c, err := clock.New(t.Context(), clock.Options{Wall: func() time.Time { return wall }, Elapsed: func() time.Duration { return passed }})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	w := &world{Budgets: NewBudgets(Limits{Bytes: 1 << 20}, c.Elapsed)}
	w.take(t, robot, 0, 1<<20)
	wall, passed = wall.Add(-4*time.Minute), time.Minute
	if err := c.Accept(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.take(t, robot, 0, 1)
}
