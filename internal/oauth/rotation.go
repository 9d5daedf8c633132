package oauth

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// rotateAfter is how old the newest key gets before another is made.
	rotateAfter = 30 * 24 * time.Hour
	// publishedBefore is how long a key is published before it signs; longer
	// than anybody may keep a copy of the public keys.
	publishedBefore = time.Hour
	keysMaxAge      = 10 * time.Minute
	// retireMargin is how much longer than its last token a key stays, for a
	// replica that slept and signs with it too late.
	retireMargin = 24 * time.Hour
)

// rotation is what there is to do with the keys.
type rotation struct {
	makeKey    bool
	activeFrom time.Time // of the new key
	retire     string    // the key before it, empty if there is none
	retiresAt  time.Time
	sweep      bool // some keys are no longer needed
}

func (r rotation) nothing() bool { return !r.makeKey && !r.sweep }

// planRotation decides what to do with the keys, which are ordered by the time
// they become active.
func planRotation(keys []store.SigningKey, now time.Time) rotation {
	var r rotation
	for _, k := range keys {
		if k.RetiresAt != nil && !k.RetiresAt.After(now) {
			r.sweep = true
		}
	}
	if len(keys) == 0 {
		r.makeKey, r.activeFrom = true, now
		return r
	}
	newest := keys[len(keys)-1]
	if !now.Before(newest.CreatedAt.Add(rotateAfter)) {
		r.makeKey, r.activeFrom = true, now.Add(publishedBefore)
		r.retire = newest.ID
		r.retiresAt = r.activeFrom.Add(billing.MaxTokenSeconds*time.Second + retireMargin)
	}
	return r
}

// tend does what is due on the keys, if anything.
func (k *keyring) tend(ctx context.Context) error {
	if planRotation(k.known.Load().rows, k.now()).nothing() {
		return nil
	}
	return k.rotate(ctx)
}

// rotate decides again under a lock, so that of several replicas one makes the
// new key, and loads the keys as they are then.
func (k *keyring) rotate(ctx context.Context) error {
	var plan rotation
	err := k.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := store.LockSigningKeys(ctx, tx); err != nil {
			return err
		}
		rows, err := store.SigningKeys(ctx, tx.Queries)
		if err != nil {
			return err
		}
		if tx.Unsure && len(rows) > 0 {
			return nil // by a wrong clock keys would be replaced, or be gone, too early
		}
		plan = planRotation(rows, tx.Now)
		return k.apply(ctx, tx, plan)
	})
	if err != nil {
		return err
	}
	if plan.makeKey {
		k.log.Info("made a signing key", "signsFrom", plan.activeFrom)
	}
	return k.refresh(ctx)
}

func (k *keyring) apply(ctx context.Context, tx *store.Tx, r rotation) error {
	if r.sweep {
		if err := store.DeleteRetiredKeys(ctx, tx, tx.Now); err != nil {
			return err
		}
	}
	if r.retire != "" {
		if err := store.RetireSigningKey(ctx, tx, r.retire, r.retiresAt); err != nil {
			return err
		}
	}
	if !r.makeKey {
		return nil
	}
	row, err := makeKey(k.box, tx.Now, r.activeFrom)
	if err != nil {
		return err
	}
	return store.InsertSigningKey(ctx, tx, row)
}
