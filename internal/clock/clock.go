package clock

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Tolerance is how far clocks may be apart before they disagree.
	Tolerance = 5 * time.Minute
	// askEvery is how often the source is asked.
	askEvery = 5 * time.Second
	// slowest is how long an answer may take to be of use: it may be wrong by
	// half of that.
	slowest = time.Second
)

// Options are what a Clock is made of.
type Options struct {
	// Source asks the clock that all processes share; nil if there is none but
	// this machine's.
	Source func(context.Context) (time.Time, error)
	// Wall is this machine's clock; the real one if nil.
	Wall func() time.Time
	// Elapsed is how much time has passed since some moment, whatever the wall
	// clock was set to meanwhile; the machine's own measure if nil.
	Elapsed func() time.Duration
}

// Clock tells the time. It is safe for concurrent use.
type Clock struct {
	Options
	given  func() time.Time // a clock that is believed, whatever it shows
	start  time.Duration    // what Options.Elapsed was when this was made
	anchor atomic.Pointer[anchor]
	// unsure says that somebody has reason not to believe the time.
	unsure atomic.Bool

	mu     sync.Mutex
	steady moment // what time it is if nothing but time has passed
	// adopt says that the next answer is right, however far away.
	adopt bool
	// doubt says that the clocks disagreed at the first look, when nothing tells
	// which of them is wrong, and have not agreed since.
	doubt bool

	stop chan struct{}
	done sync.WaitGroup
}

// moment is a time, and when it was that time.
type moment struct {
	time time.Time
	at   time.Duration // as Elapsed
}

func (m moment) after(elapsed time.Duration) time.Time { return m.time.Add(elapsed - m.at) }

// anchor is what the time is counted from.
type anchor struct {
	time time.Time
	// real is when it was that time, by the monotonic clock, and wall what this
	// machine's clock showed then.
	real, wall time.Time
	// apart is how clocks disagree at that moment, nil if they do not.
	apart *Apart
}

func (a *anchor) now() time.Time { return a.time.Add(real().Sub(a.real)).UTC() }

func (a *anchor) unsure() bool { return a.apart != nil && a.apart.Unsure() }

// Apart is how clocks disagree.
type Apart struct {
	// Since is when that was noticed, in the time that should have been.
	Since time.Time
	// Source and Wall are how far each is from the time that should be: ahead, or
	// behind if negative.
	Source, Wall time.Duration
	// Doubt says that they disagreed from the start: Source is 0 then, though it
	// may be the wrong one.
	Doubt bool
}

// Unsure says that nobody knows what time it is.
func (a *Apart) Unsure() bool { return a.Doubt || a.SourceIsOff() }

// SourceIsOff says that the source itself has moved.
func (a *Apart) SourceIsOff() bool { return a.Source.Abs() > Tolerance }

// Given is a clock that is always believed, such as a test's.
func Given(now func() time.Time) *Clock {
	start := now()
	return &Clock{given: now, Options: Options{Elapsed: func() time.Duration { return now().Sub(start) }}}
}

// New asks the source what time it is, and goes on asking until Close.
func New(ctx context.Context, o Options) (*Clock, error) {
	if o.Wall == nil {
		//house:clock this is where the time comes from
		o.Wall = time.Now
	}
	if o.Elapsed == nil {
		o.Elapsed = sinceBoot()
	}
	c := &Clock{Options: o, start: o.Elapsed(), stop: make(chan struct{}), adopt: true}
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.suspect()
	c.mu.Unlock()
	c.done.Go(c.keepLooking)
	return c, nil
}

// Close stops asking. The clock goes on.
func (c *Clock) Close() error {
	if c.stop != nil {
		close(c.stop)
		c.done.Wait()
	}
	return nil
}

// Now is the time.
func (c *Clock) Now() time.Time {
	if c.given != nil {
		return c.given()
	}
	return c.anchor.Load().now()
}

// Elapsed is how much time has passed since the clock was made, wherever it was
// set meanwhile. Ages and durations within a process are differences of it; those
// of Now are wrong when the source is set.
func (c *Clock) Elapsed() time.Duration { return c.Options.Elapsed() - c.start }

// Read is the time, and whether nobody knows if that is right.
func (c *Clock) Read() (now time.Time, unsure bool) {
	if c.given != nil {
		return c.given(), c.unsure.Load()
	}
	a := c.anchor.Load()
	return a.now(), a.unsure() || c.unsure.Load()
}

// Shows says whether that is about the time that the clock shows: somebody may
// have read it before it was set.
func (c *Clock) Shows(now time.Time) bool {
	return c.given != nil || now.Sub(c.Now()).Abs() <= Tolerance
}

// Latest is how late it may be: a machine that was suspended may not know yet
// that time has passed, but for its wall clock.
func (c *Clock) Latest() time.Time {
	if c.given != nil {
		return c.given()
	}
	a := c.anchor.Load()
	return a.time.Add(max(real().Sub(a.real), c.Wall().Round(0).Sub(a.wall))).UTC()
}

// Shown is what the source shows, whether it can be believed or not.
func (c *Clock) Shown() time.Time {
	if c.given == nil && c.Source == nil {
		return c.Wall().Round(0).UTC()
	}
	return c.Now()
}

// Apart returns how clocks disagree, nil if they do not.
func (c *Clock) Apart() *Apart {
	if c.given != nil {
		return nil
	}
	return c.anchor.Load().apart
}

// Unsure says whether nobody knows what time it is: the source has moved, the
// clocks never agreed, or Distrust said so.
func (c *Clock) Unsure() bool {
	_, unsure := c.Read()
	return unsure
}

// Distrust says whether there is reason not to believe the time. For as long as
// that is so the clock follows its source wherever it goes.
func (c *Clock) Distrust(unsure bool) { c.unsure.Store(unsure) }

// Accept believes what the source shows from now on, however far that is from
// the time that should be.
func (c *Clock) Accept(ctx context.Context) error {
	if c.given != nil {
		return nil
	}
	c.mu.Lock()
	c.adopt, c.doubt = true, false
	c.mu.Unlock()
	return c.look(ctx)
}

// suspect begins to doubt if the clocks disagree at the first look. For as long as
// that is so the clock follows its source wherever it goes.
func (c *Clock) suspect() {
	first := *c.anchor.Load()
	if first.apart == nil {
		return
	}
	doubtful := *first.apart
	doubtful.Doubt, c.doubt = true, true
	first.apart = &doubtful
	c.anchor.Store(&first)
}

func (c *Clock) keepLooking() {
	ticker := time.NewTicker(askEvery)
	defer ticker.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(context.Background(), askEvery)
		_ = c.look(ctx) // the time goes on without an answer
		cancel()
	}
}

// answer is what the source said.
type answer struct {
	moment
	real, wall time.Time
}

// ask asks the source, which showed its time about halfway through the question.
func (c *Clock) ask(ctx context.Context) (a answer, usable bool, err error) {
	a.real, a.wall, a.at = real(), c.Wall().Round(0), c.Options.Elapsed()
	a.time = a.wall
	if c.Source == nil {
		return a, true, nil
	}
	there, err := c.Source(ctx)
	took := real().Sub(a.real)
	a.time = there.Add(-took / 2)
	return a, took <= slowest, err
}

// look compares the clocks, and sets this one by the source.
func (c *Clock) look(ctx context.Context) error {
	a, usable, err := c.ask(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	set := c.anchor.Load()
	if err != nil {
		if set != nil {
			same := *set
			same.apart = c.judge(a, sourceOff(set), set)
			c.anchor.Store(&same)
		}
		return err
	}
	if c.adopt || c.doubt || c.unsure.Load() || usable && a.time.Sub(c.steady.after(a.at)).Abs() <= Tolerance {
		c.steady, c.adopt = a.moment, false
	}
	should := c.steady.after(a.at)
	next := &anchor{time: a.time, real: a.real, wall: a.wall, apart: c.judge(a, a.time.Sub(should), set)}
	switch {
	case c.Source == nil: // a process that is alone keeps to the time that should be
		next.time = should
	case !usable && set != nil:
		next.time = set.time.Add(a.real.Sub(set.real))
	}
	// One among others goes by the source as they do, wherever it went, or they
	// would not agree on their leases.
	c.anchor.Store(next)
	return nil
}

// sourceOff is how far the source was from the time that should be when it was
// last asked.
func sourceOff(set *anchor) time.Duration {
	if set.apart != nil {
		return set.apart.Source
	}
	return 0
}

// judge returns how the clocks disagree, if they do.
func (c *Clock) judge(a answer, source time.Duration, before *anchor) *Apart {
	should := c.steady.after(a.at)
	now := &Apart{Since: should.UTC(), Source: source, Wall: a.wall.Sub(should), Doubt: c.doubt}
	if now.Source.Abs() <= Tolerance && now.Wall.Abs() <= Tolerance {
		c.doubt = false
		return nil
	}
	if before != nil && before.apart != nil {
		now.Since = before.apart.Since
	}
	return now
}

// real is a moment of the monotonic clock.
func real() time.Time {
	//house:clock only the difference of two such moments counts
	return time.Now()
}
