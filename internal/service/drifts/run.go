package drifts

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// afterFailure is when a platform is looked at again whose tenants could not be repaired.
const afterFailure = time.Minute

// actor repairs tenants that wait.
const actor = "drift"

// RunRepairs goes on with the tenants of one platform that wait to be repaired, if there
// is room for some. It returns how many platforms it looked at, and if none, when to look
// again: zero if nothing waits.
func (s *Service) RunRepairs(ctx context.Context) (looked int, next time.Time, err error) {
	next, waits, err := store.NextRepairs(ctx, s.Read())
	if err != nil || !waits {
		return 0, time.Time{}, err
	}
	if now := s.Store.Now(); next.After(now) {
		return 0, next, nil
	}
	ctx = operation.As(ctx, operation.Caller{Actor: actor})
	var at billing.PlatformID
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		looked, next = 0, tx.Now.Add(time.Second)
		id, found, err := store.DueRepairs(ctx, tx)
		if err != nil || !found {
			return err // others are at it
		}
		looked, at = 1, id
		p, err := store.Platforms.Get(ctx, tx.Queries, id)
		if err != nil || p == nil {
			return err
		}
		t, err := takeTurn(ctx, tx, p)
		if err != nil {
			return err
		}
		done, err := t.goOn(ctx, tx)
		if err != nil || len(done) == 0 {
			return err
		}
		return auditRepairs(ctx, tx, p.ID, idsOf(done))
	})
	if err != nil && at != 0 && ctx.Err() == nil {
		// The others are not to wait for one that fails.
		err = errors.Join(err, s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			return store.PostponeRepairs(ctx, tx, at, tx.Now.Add(afterFailure))
		}))
	}
	return looked, next, err
}

// auditRepairs writes down which tenants were told their state again.
func auditRepairs(ctx context.Context, tx *store.Tx, platform billing.PlatformID, ids []billing.TenantID) error {
	return operation.Audit(ctx, tx, "driftRepair", "platform", int64(platform), map[string]billing.Change{
		"tenants": {From: operation.MustJSON(nil), To: operation.MustJSON(ids)},
	})
}
