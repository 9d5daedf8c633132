package subscriptions

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/clock"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// MaxDowntime is how long the lifecycle may have stood still, by default,
	// before somebody has to say that it may go on.
	MaxDowntime = 35 * 24 * time.Hour
	// recordPass is how often it is recorded that nothing was left to do.
	recordPass = time.Minute
)

// Hold is why nothing is done that passing time brings.
type Hold struct {
	// Since is when that began, as far as anybody knows.
	Since time.Time
	// Reason says in a sentence what is wrong, and Remedy what ends it.
	Reason, Remedy string
	// Resumable says that somebody can end it by saying that the time is right.
	Resumable bool
}

// passes is how far the lifecycle has come in this process.
type passes struct {
	maxDowntime time.Duration
	hold        atomic.Pointer[Hold]
	changed     func(*Hold)

	mu sync.Mutex
	// begun says that the time was compared with the last pass and believed.
	begun    bool
	recorded time.Time
	// resumed is what somebody had said of the time before clocks came apart.
	resumed *time.Time
}

// SetMaxDowntime says how long the lifecycle may have stood still before somebody
// has to say that it may go on.
func (s *Service) SetMaxDowntime(d time.Duration) { s.passes.maxDowntime = d }

// OnHold has somebody told when a hold begins, and with nil when it has ended.
func (s *Service) OnHold(tell func(*Hold)) { s.passes.changed = tell }

// Hold returns why nothing is done that passing time brings, nil if it is.
func (s *Service) Hold() *Hold { return s.passes.hold.Load() }

// Held decides whether nothing may be done that passing time brings: this is the
// first look and the time is before the last pass or long after it, or clocks
// have come apart. Test clocks are not concerned.
func (s *Service) Held(ctx context.Context, now time.Time) (bool, error) {
	p := &s.passes
	p.mu.Lock()
	defer p.mu.Unlock()
	hold, err := s.judge(ctx, now)
	if err != nil {
		return true, err
	}
	before := p.hold.Load()
	if hold != nil && before != nil {
		hold.Since = before.Since
	}
	p.hold.Store(hold)
	if p.changed != nil && (hold == nil) != (before == nil) {
		p.changed(hold)
	}
	// The clock may have been set since somebody read it.
	return hold != nil || !s.Store.Clock().Shows(now), nil
}

func (s *Service) judge(ctx context.Context, now time.Time) (*Hold, error) {
	if !s.passes.begun {
		hold, err := s.judgeStart(ctx, now)
		if err != nil || hold != nil {
			return hold, err
		}
		s.passes.begun = true
	}
	apart := s.Store.Clock().Apart()
	if apart == nil {
		s.passes.resumed = nil
		return nil, nil
	}
	accepted, err := s.accepted(ctx, apart)
	if err != nil || !accepted {
		return s.clocksApart(apart), err
	}
	if apart = s.Store.Clock().Apart(); apart == nil {
		return nil, nil
	}
	return s.clocksApart(apart), nil
}

// judgeStart compares the time with the last pass.
func (s *Service) judgeStart(ctx context.Context, now time.Time) (*Hold, error) {
	last, found, err := store.LastPass(ctx, s.Read())
	if err != nil {
		return nil, err
	}
	hold := &Hold{Since: now, Resumable: true, Remedy: "Correct the clock, or, if the time is right, resume the lifecycle here or with \"tenantry resume\"."}
	switch {
	case found && now.Before(last.Add(-clock.Tolerance)):
		hold.Reason = fmt.Sprintf("The clock says %s, which is before the last time that subscriptions were renewed and ended: %s.", said(now), said(last))
	case found && now.Sub(last) > s.passes.maxDowntime:
		hold.Reason = fmt.Sprintf("The clock says %s, which is %d days after the last time that subscriptions were renewed and ended: %s.",
			said(now), int(now.Sub(last).Hours()/24), said(last))
	default:
		hold = nil
	}
	s.Store.Clock().Distrust(hold != nil)
	return hold, nil
}

// accepted says whether somebody said since clocks came apart that the time is
// right, and then goes by it.
func (s *Service) accepted(ctx context.Context, apart *clock.Apart) (bool, error) {
	at, _, err := store.Resumed(ctx, s.Read())
	if err != nil {
		return false, err
	}
	off := s.Store.Clock().Shown().Sub(at).Abs()
	var news bool
	if s.passes.resumed != nil {
		news = !at.Equal(*s.passes.resumed)
	} else {
		s.passes.resumed = &at
		// Others may have been quicker to notice, unless that was said of the time
		// before.
		news = apart.Doubt || off < apart.Since.Sub(at).Abs()
	}
	if !news || off > clock.Tolerance {
		return false, nil
	}
	s.passes.resumed = &at
	return true, s.Store.Clock().Accept(ctx)
}

// clocksApart describes clocks that disagree.
func (s *Service) clocksApart(a *clock.Apart) *Hold {
	const byItself = "It goes on by itself when the clocks agree again."
	hold := &Hold{Since: a.Since, Remedy: "Correct the clock. " + byItself}
	whose, off := "This machine's clock", a.Wall
	if a.Unsure() {
		hold.Resumable = true
		hold.Remedy = "Correct the clock, or, if the time is right, resume the lifecycle here or with \"tenantry resume\". " + byItself
	}
	if a.SourceIsOff() {
		off = a.Source
		if s.Store.Engine() == "postgres" {
			whose = "The database's clock"
		}
	}
	way := "ahead of"
	if off < 0 {
		way = "behind"
	}
	than := "the time that should be"
	if a.Doubt {
		than = "the database's, and has been since this server started: either may be wrong"
	}
	hold.Reason = fmt.Sprintf("%s says %s, which is %s %s %s.", whose, said(a.Since.Add(off)), off.Abs().Round(time.Second), way, than)
	return hold
}

// said is how messages tell a time.
func said(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// Passed notes that all is done that was due at a time. did says that there was
// something; otherwise it is recorded now and then.
func (s *Service) Passed(ctx context.Context, now time.Time, did bool) error {
	p := &s.passes
	p.mu.Lock()
	defer p.mu.Unlock()
	if !did && !p.recorded.IsZero() && now.Sub(p.recorded) < recordPass {
		return nil
	}
	err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if tx.Unsure {
			return nil
		}
		return store.RecordPass(ctx, tx, now)
	})
	if err == nil {
		p.recorded = now
	}
	return err
}

// Resumption is what happens when the lifecycle goes on.
type Resumption struct {
	// Now is the time that is taken for right, and Last when all was done that was
	// due; the zero time if it never was.
	Now, Last time.Time
	// Due is how many subscriptions something is due for.
	Due int
}

// PreviewResume says what would happen if somebody resumed the lifecycle.
func (s *Service) PreviewResume(ctx context.Context) (*Resumption, error) {
	r := &Resumption{Now: s.Store.Clock().Shown().Truncate(time.Millisecond)}
	zone, err := calendar.ZoneOf(ctx, s.Read())
	if err != nil {
		return nil, err
	}
	if r.Last, _, err = store.LastPass(ctx, s.Read()); err != nil {
		return nil, err
	}
	r.Due, err = store.CountDue(ctx, s.Read(), billing.DateOf(r.Now, zone))
	return r, err
}

// Resume says, for the caller, that the time is right. The lifecycle goes on from
// there, in every process within seconds.
func (s *Service) Resume(ctx context.Context) (*Resumption, error) {
	r, err := s.PreviewResume(ctx)
	if err != nil {
		return nil, err
	}
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := store.Resume(ctx, tx, r.Now); err != nil {
			return err
		}
		return operation.Audit(ctx, tx, "lifecycleResume", "setting", 0, billing.Changes(
			map[string]any{"lastPass": r.Last.UTC().Format(time.RFC3339)},
			map[string]any{"lastPass": r.Now.UTC().Format(time.RFC3339), "due": r.Due}))
	})
	s.Wake()
	return r, err
}
