package doctor

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/clock"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// apart is how far two clocks may differ: leases and signatures allow some
	// seconds, not a minute.
	apart, farApart = 2 * time.Second, time.Minute
	// earliest is a day that lies in the past of every clock that goes right.
	earliest = 2025
)

const setClock = "set the clock of the machine, and keep it right with NTP (timedatectl set-ntp true)"

// checkClock compares the clock of this machine with that of the database.
func checkClock(ctx context.Context, p *Patient) ([]Finding, error) {
	before := p.Now()
	there, err := p.store.DatabaseTime(ctx)
	if err != nil {
		return nil, err
	}
	here := before.Add(p.Now().Sub(before) / 2) // the question took its time
	if here.Year() < earliest {
		return one(problem("clock", setClock, "this machine believes that it is %s", here.UTC().Format(time.RFC3339)))
	}
	off := here.Sub(there).Abs()
	const message = "the clocks of this machine and of the database differ by %s"
	switch {
	case off > farApart:
		return one(problem("clock", setClock, message, off.Round(time.Second)))
	case off > apart:
		return one(warning("clock", setClock, message, off.Round(time.Millisecond)))
	}
	return nil, nil
}

// checkLastWrite finds a clock that was set back, or another server's that is
// ahead: what happened last would be in the future.
func checkLastWrite(ctx context.Context, p *Patient) ([]Finding, error) {
	last, err := store.LastWrite(ctx, p.store.Queries())
	if err != nil || !last.After(p.Now().Add(farApart)) {
		return nil, err
	}
	return one(problem("clock", setClock+", on all machines that run Tenantry",
		"the last change was written at %s, which is still to come", last.UTC().Format(time.RFC3339)))
}

// standstill is how long nothing may have been looked for that is due before that
// is worth a word: servers record a pass every minute.
const standstill = 10 * time.Minute

// checkLifecycle finds out whether servers hold the lifecycle: their clock is far
// from the last time that all was done, or no pass was recorded for a while.
func checkLifecycle(ctx context.Context, p *Patient) ([]Finding, error) {
	last, found, err := store.LastPass(ctx, p.store.Queries())
	if err != nil || !found {
		return nil, err
	}
	now, err := p.store.DatabaseTime(ctx)
	if err != nil {
		return nil, err
	}
	if p.store.Engine() == "sqlite" {
		now = p.Now()
	}
	const resume = "set the clock right, or, if the time is right, run \"tenantry resume\""
	at := last.UTC().Format(time.RFC3339)
	switch off := now.Sub(last); {
	case off < -clock.Tolerance:
		return one(problem("lifecycle", resume, "subscriptions were last renewed and ended at %s, which is still to come: a server that starts now holds all that", at))
	case off > p.MaxDowntime:
		return one(problem("lifecycle", resume, "subscriptions were last renewed and ended at %s, more than %d days ago: a server that starts now holds all that", at, int(p.MaxDowntime.Hours()/24)))
	case off > standstill:
		return one(warning("lifecycle", "look at /readyz of the servers: none runs, or the clock of each cannot be believed", "nothing was renewed or ended since %s", at))
	}
	return nil, nil
}

// checkTimeZone finds a time zone that this machine does not know.
func checkTimeZone(ctx context.Context, p *Patient) ([]Finding, error) {
	name, set, err := store.TimeZone(ctx, p.store.Queries())
	if err != nil || !set {
		return nil, err
	}
	if _, err := time.LoadLocation(name); err != nil {
		return one(problem("time zone", "set it with \"tenantry timezone Europe/Zurich\", or another that exists",
			"this program does not know the time zone %q, in which days begin", name))
	}
	return nil, nil
}
