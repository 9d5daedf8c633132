package clock

import (
	"context"
	"errors"
	"testing"
	"time"
)

// machine is a machine whose clocks a test sets.
type machine struct {
	wall, source time.Time
	elapsed      time.Duration
	down         bool
}

var noon = time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)

// clock returns a clock on the machine that looks only when it is told to. shared
// says that the source is another machine's clock.
func (m *machine) clock(t *testing.T, shared bool) *Clock {
	t.Helper()
	o := Options{Wall: func() time.Time { return m.wall }, Elapsed: func() time.Duration { return m.elapsed }}
	if shared {
		o.Source = func(context.Context) (time.Time, error) {
			if m.down {
				return time.Time{}, errors.New("down")
			}
			return m.source, nil
		}
	}
	c, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// pass lets time pass as it should.
func (m *machine) pass(d time.Duration) {
	m.wall, m.source, m.elapsed = m.wall.Add(d), m.source.Add(d), m.elapsed+d
}

// TestClocksThatMove: which clock moved, and what comes of it.
func TestClocksThatMove(t *testing.T) {
	t.Parallel()
	const years = 3 * 365 * 24 * time.Hour
	for name, c := range map[string]struct {
		shared bool
		move   func(*machine)
		// off is how far the clock is from the time that should be afterwards.
		off           time.Duration
		apart, unsure bool
	}{
		"nothing, alone":                           {false, func(*machine) {}, 0, false, false},
		"nothing, shared":                          {true, func(*machine) {}, 0, false, false},
		"a little, alone":                          {false, func(m *machine) { m.wall = m.wall.Add(time.Minute) }, time.Minute, false, false},
		"the source a little":                      {true, func(m *machine) { m.source = m.source.Add(-time.Minute) }, -time.Minute, false, false},
		"the wall clock, alone":                    {false, func(m *machine) { m.wall = m.wall.Add(years) }, 0, true, true},
		"the wall clock back, alone":               {false, func(m *machine) { m.wall = m.wall.Add(-6 * time.Minute) }, 0, true, true},
		"the wall clock, shared":                   {true, func(m *machine) { m.wall = m.wall.Add(years) }, 0, true, false},
		"the source":                               {true, func(m *machine) { m.source = m.source.Add(years) }, years, true, true},
		"both":                                     {true, func(m *machine) { m.wall, m.source = m.wall.Add(years), m.source.Add(years) }, years, true, true},
		"the wall clock while the source is down":  {true, func(m *machine) { m.wall, m.down = m.wall.Add(years), true }, 0, true, false},
		"nothing while the source is down":         {true, func(m *machine) { m.down = true }, 0, false, false},
		"a suspended machine, alone":               {false, func(m *machine) { m.wall = m.wall.Add(time.Hour) }, 0, true, true},
		"a machine that slept and counted, alone":  {false, func(m *machine) { m.wall, m.elapsed = m.wall.Add(time.Hour), m.elapsed+time.Hour }, time.Hour, false, false},
		"a machine that slept and counted, shared": {true, func(m *machine) { m.pass(time.Hour) }, time.Hour, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &machine{wall: noon, source: noon}
			clock := m.clock(t, c.shared)
			before := *m
			c.move(m)
			if err := clock.look(t.Context()); (err != nil) != m.down {
				t.Fatal(err)
			}
			near(t, "the clock", clock.Now(), noon.Add(c.off))
			if apart := clock.Apart(); (apart != nil) != c.apart || clock.Unsure() != c.unsure {
				t.Errorf("apart is %+v, unsure %t", apart, clock.Unsure())
			}
			*m = before
			m.pass(time.Minute)
			if err := clock.look(t.Context()); err != nil {
				t.Fatal(err)
			}
			if c.unsure || c.off == 0 { // and back again
				near(t, "the clock when all is well", clock.Now(), noon.Add(time.Minute))
				if apart := clock.Apart(); apart != nil || clock.Unsure() {
					t.Errorf("still apart: %+v", apart)
				}
			}
		})
	}
}

// near compares times, but for what passes while a test runs.
func near(t *testing.T, what string, have, want time.Time) {
	t.Helper()
	if have.Sub(want).Abs() > 30*time.Second {
		t.Errorf("%s shows %s, want %s", what, have, want)
	}
}

// TestAccept: somebody says that the time is right, though clocks moved.
func TestAccept(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		m := &machine{wall: noon, source: noon}
		clock := m.clock(t, shared)
		later := noon.Add(90 * 24 * time.Hour)
		m.wall, m.source = later, later
		if err := clock.look(t.Context()); err != nil || !clock.Unsure() {
			t.Fatal("the jump went unnoticed", err)
		}
		near(t, "what is shown", clock.Shown(), later)
		if err := clock.Accept(t.Context()); err != nil {
			t.Fatal(err)
		}
		if clock.Apart() != nil || clock.Unsure() {
			t.Errorf("still apart: %+v", clock.Apart())
		}
		near(t, "the clock", clock.Now(), later)
	}
}

// TestDistrust: as long as the time is not believed, the clock follows.
func TestDistrust(t *testing.T) {
	t.Parallel()
	m := &machine{wall: noon.Add(1000 * time.Hour)}
	clock := m.clock(t, false)
	clock.Distrust(true)
	m.wall = noon
	if err := clock.look(t.Context()); err != nil || clock.Apart() != nil || !clock.Unsure() {
		t.Fatal(clock.Apart(), err)
	}
	near(t, "the clock", clock.Now(), noon)
	if clock.Distrust(false); clock.Unsure() {
		t.Error("it is believed, but unsure")
	}
}

// TestDoubt: clocks disagree from the start, so nobody knows which is wrong, until
// they agree or somebody says it.
func TestDoubt(t *testing.T) {
	t.Parallel()
	const days = 10 * 24 * time.Hour
	for name, c := range map[string]struct {
		then func(*machine, *Clock) error
		// off is how far the clock is from the time of the source at the start.
		off           time.Duration
		apart, unsure bool
	}{
		"nothing":                  {func(*machine, *Clock) error { return nil }, 0, true, true},
		"the wall clock is right":  {func(m *machine, _ *Clock) error { m.wall = m.source; return nil }, 0, false, false},
		"the source is right":      {func(m *machine, _ *Clock) error { m.source = m.wall; return nil }, days, false, false},
		"somebody says it":         {func(_ *machine, c *Clock) error { return c.Accept(t.Context()) }, 0, true, false},
		"another wrong wall clock": {func(m *machine, _ *Clock) error { m.wall = noon.Add(-time.Hour); return nil }, 0, true, true},
		"the source is down":       {func(m *machine, _ *Clock) error { m.down = true; return nil }, 0, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := &machine{wall: noon.Add(days), source: noon}
			clock := m.clock(t, true)
			if apart := clock.Apart(); apart == nil || !apart.Doubt || !clock.Unsure() {
				t.Fatalf("nobody doubts: %+v", apart)
			}
			if err := c.then(m, clock); err != nil {
				t.Fatal(err)
			}
			if err := clock.look(t.Context()); (err != nil) != m.down {
				t.Fatal(err)
			}
			near(t, "the clock", clock.Now(), noon.Add(c.off))
			if apart := clock.Apart(); (apart != nil) != c.apart || clock.Unsure() != c.unsure {
				t.Errorf("apart is %+v, unsure %t", apart, clock.Unsure())
			}
		})
	}
	// Where agreement is lost later it is known which one moved.
	m := &machine{wall: noon.Add(days), source: noon}
	clock := m.clock(t, true)
	for _, wall := range []time.Time{noon, noon.Add(days)} {
		m.wall = wall
		if err := clock.look(t.Context()); err != nil || clock.Unsure() {
			t.Errorf("unsure when the wall clock shows %s: %v", wall, err)
		}
	}
}

// TestElapsed: clocks are set, and ages stay right.
func TestElapsed(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		m := &machine{wall: noon, source: noon, elapsed: 1000 * time.Hour}
		clock := m.clock(t, shared)
		back := noon.Add(-4 * time.Minute) // which is believed
		m.wall, m.source, m.elapsed = back, back, m.elapsed+time.Minute
		if err := clock.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		near(t, "the clock", clock.Now(), back)
		if passed := clock.Elapsed(); passed != time.Minute {
			t.Errorf("%s passed, want a minute", passed)
		}
	}
	now := noon
	given := Given(func() time.Time { return now })
	if now = noon.Add(time.Hour); given.Elapsed() != time.Hour {
		t.Errorf("%s passed by a clock that is given, want an hour", given.Elapsed())
	}
}

// TestLatest: a machine was suspended, and its wall clock is the first to know.
func TestLatest(t *testing.T) {
	t.Parallel()
	m := &machine{wall: noon, source: noon}
	clock := m.clock(t, true)
	m.wall = noon.Add(time.Hour)
	near(t, "the clock", clock.Now(), noon)
	near(t, "how late it may be", clock.Latest(), noon.Add(time.Hour))
	m.wall = noon.Add(-time.Hour)
	near(t, "how late it may be", clock.Latest(), noon)
}
