package drifts

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// mostNamed is how many tenants a person can name to be repaired.
const mostNamed = 1_000

// Repaired is what came of a repair that a person asked for.
type Repaired struct {
	Tenants []billing.TenantID
	// Waiting is how many of the tenants that were meant still wait, because no more
	// are repaired in one minute.
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

// all repairs the tenants of a platform.
func (r *Repaired) all(ctx context.Context, tx *store.Tx, id billing.PlatformID) error {
	p, room, err := r.turn(ctx, tx, "platformId", id)
	if err != nil {
		return err
	}
	rows, err := store.ToRepair(ctx, tx.Queries, p.ID, 0, room)
	if err != nil {
		return err
	}
	total, err := store.CountToRepair(ctx, tx.Queries, p.ID)
	if err != nil {
		return err
	}
	r.Waiting = max(0, total-len(rows))
	return r.send(ctx, tx, p, rows)
}

// named repairs tenants that are named, on any platforms.
func (r *Repaired) named(ctx context.Context, tx *store.Tx, ids []billing.TenantID) error {
	tenants, err := store.Tenants.ByIDs(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	exists := map[billing.TenantID]bool{}
	for _, t := range tenants {
		exists[t.ID] = true
	}
	for _, id := range ids {
		if !exists[id] {
			return billing.Missing("tenantIds", "tenant", id)
		}
	}
	known, err := store.DriftOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	byPlatform := map[billing.PlatformID][]*drift.Tenant{}
	for _, t := range tenants {
		if row := known[t.ID]; row != nil && row.Digest != "" {
			byPlatform[t.PlatformID] = append(byPlatform[t.PlatformID], row)
		} else if _, has := byPlatform[t.PlatformID]; !has {
			byPlatform[t.PlatformID] = nil // which is refused if it compares nothing
		}
	}
	platforms := make([]billing.PlatformID, 0, len(byPlatform))
	for id := range byPlatform {
		platforms = append(platforms, id)
	}
	slices.SortFunc(platforms, func(a, b billing.PlatformID) int { return cmp.Compare(a, b) })
	for _, id := range platforms {
		p, room, err := r.turn(ctx, tx, "tenantIds", id)
		if err != nil {
			return err
		}
		rows := byPlatform[id]
		now := rows[:min(len(rows), room)]
		r.Waiting += len(rows) - len(now)
		if err := r.send(ctx, tx, p, now); err != nil {
			return err
		}
	}
	return nil
}

// turn returns a platform and how many of its tenants can be repaired now.
func (r *Repaired) turn(ctx context.Context, tx *store.Tx, field string, id billing.PlatformID) (*webhook.Platform, int, error) {
	p, err := operation.Find(ctx, tx, store.Platforms, field, "platform", id)
	if err != nil {
		return nil, 0, err
	}
	if err := platformToCompare(p, field); err != nil {
		return nil, 0, err
	}
	room, err := takeTurn(ctx, tx, p)
	return p, room, err
}

// send repairs those tenants of a platform.
func (r *Repaired) send(ctx context.Context, tx *store.Tx, p *webhook.Platform, rows []*drift.Tenant) error {
	done, err := sendRepairs(ctx, tx, rows)
	if err != nil || len(done) == 0 {
		return err
	}
	ids := make([]billing.TenantID, len(done))
	for i, row := range done {
		ids[i] = row.TenantID
	}
	r.Tenants = append(r.Tenants, ids...)
	if err := store.SaveDrift(ctx, tx, done); err != nil {
		return err
	}
	return operation.Audit(ctx, tx, "driftRepair", "platform", int64(p.ID), map[string]billing.Change{
		"tenants": {From: operation.MustJSON(nil), To: operation.MustJSON(ids)},
	})
}
