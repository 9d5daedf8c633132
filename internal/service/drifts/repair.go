package drifts

import (
	"context"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// mostNamed is how many tenants a person can name to be repaired.
const mostNamed = 1_000

// Repaired is what came of a repair that a person asked for.
type Repaired struct {
	Tenants []billing.TenantID
	// Waiting is how many of the tenants that were meant still wait, because no more
	// are repaired in one minute. They go on by themselves.
	Waiting int
}

// DriftRepair tells tenants that differ their state again, because a person asks for
// it: all of a platform, or those. Nothing holds it back but the limit per minute: not
// how many there are, and not that it was tried before.
func (s *Service) DriftRepair(ctx context.Context, platform *billing.PlatformID, tenants []billing.TenantID) (*Repaired, error) {
	if platform == nil && len(tenants) == 0 {
		return nil, billing.Requiredf("platformId", "Give the id of a platform, or the ids of tenants.")
	}
	if platform != nil && len(tenants) > 0 {
		return nil, billing.Invalidf("tenantIds", "Give the id of a platform or the ids of tenants, not both.")
	}
	if len(tenants) > mostNamed {
		return nil, billing.Fail(billing.TooMany, "tenantIds", "At most %d tenants can be named at once.", mostNamed)
	}
	done, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*Repaired, error) {
		r := &Repaired{}
		if platform != nil {
			return r, r.all(ctx, tx, *platform)
		}
		return r, r.named(ctx, tx, operation.Unique(tenants))
	})
	return done, err
}

// all repairs the tenants of a platform. Those that there is no room for wait. The person
// has decided on what was held.
func (r *Repaired) all(ctx context.Context, tx *store.Tx, id billing.PlatformID) error {
	t, err := askTurn(ctx, tx, "platformId", id)
	if err != nil {
		return err
	}
	if err := store.ReleaseDriftReports(ctx, tx, id); err != nil {
		return err
	}
	t.AskedAt = &tx.Now
	done, err := t.goOn(ctx, tx)
	if err != nil {
		return err
	}
	if r.Waiting, err = store.CountUntold(ctx, tx.Queries, id); err != nil {
		return err
	}
	return r.note(ctx, tx, id, done)
}

// named repairs tenants that are named, on any platforms. Those that there is no room for
// wait.
func (r *Repaired) named(ctx context.Context, tx *store.Tx, ids []billing.TenantID) error {
	tenants, err := store.Tenants.ByIDs(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	platforms := map[billing.TenantID]billing.PlatformID{}
	turns := map[billing.PlatformID]*turn{}
	for _, t := range tenants {
		platforms[t.ID], turns[t.PlatformID] = t.PlatformID, nil
	}
	for _, id := range ids {
		if platforms[id] == 0 {
			return billing.Missing("tenantIds", "tenant", id)
		}
	}
	// All turns before anything is read that others change.
	order := slices.Sorted(maps.Keys(turns))
	for _, id := range order {
		if turns[id], err = askTurn(ctx, tx, "tenantIds", id); err != nil {
			return err
		}
	}
	known, err := store.LockDrift(ctx, tx, ids)
	if err != nil {
		return err
	}
	differing := map[billing.PlatformID][]*drift.Tenant{}
	for _, id := range slices.Sorted(slices.Values(ids)) {
		row := known[id]
		if row == nil || row.Digest == "" {
			continue
		}
		// In the order in which everybody locks several streams, whatever their platforms.
		if err := outbox.LockStream(ctx, tx, id); err != nil {
			return err
		}
		differing[platforms[id]] = append(differing[platforms[id]], row)
	}
	for _, id := range order {
		if err := r.some(ctx, tx, turns[id], differing[id]); err != nil {
			return err
		}
	}
	return nil
}

// some repairs tenants of a platform that are named.
func (r *Repaired) some(ctx context.Context, tx *store.Tx, t *turn, rows []*drift.Tenant) error {
	now := rows[:min(len(rows), t.room)]
	done, err := t.send(ctx, tx, now)
	if err != nil {
		return err
	}
	later := rows[len(now):]
	for _, row := range later {
		row.Queue(drift.Person)
	}
	r.Waiting += len(later)
	if err := store.SaveDrift(ctx, tx, slices.Clone(rows)); err != nil {
		return err
	}
	if len(later) > 0 && t.NextAt == nil {
		if err := t.end(ctx, tx, true); err != nil {
			return err
		}
	}
	return r.note(ctx, tx, t.platform.ID, done)
}

// askTurn takes the turn of a platform for a person.
func askTurn(ctx context.Context, tx *store.Tx, field string, id billing.PlatformID) (*turn, error) {
	p, err := operation.Find(ctx, tx, store.Platforms, field, "platform", id)
	if err != nil {
		return nil, err
	}
	if err := platformToCompare(p, field); err != nil {
		return nil, err
	}
	return takeTurn(ctx, tx, p)
}

// note notes which tenants of a platform were told their state again.
func (r *Repaired) note(ctx context.Context, tx *store.Tx, id billing.PlatformID, done []*drift.Tenant) error {
	if len(done) == 0 {
		return nil
	}
	ids := idsOf(done)
	r.Tenants = append(r.Tenants, ids...)
	return auditRepairs(ctx, tx, id, ids)
}
