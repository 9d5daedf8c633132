package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testIdempotencyKeys(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	now := db.Clock.Now()
	key := store.IdempotencyKey{Client: "c", Key: hard, BodyHash: "h", Claim: "mine", ClaimedUntil: now.Add(time.Minute), CreatedAt: now}
	insert := func(k store.IdempotencyKey, want bool) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			free, err := store.InsertIdempotencyKey(ctx, tx, k)
			must(err)
			same(t, "InsertIdempotencyKey", free, want)
		})
	}
	check := func(what string, want store.IdempotencyKey, wantFound bool) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			k, found, err := store.LockIdempotencyKey(ctx, tx, key.Client, key.Key)
			must(err)
			same(t, what, k, want)
			same(t, what+": found", found, wantFound)
		})
	}
	check("no key", store.IdempotencyKey{}, false)
	insert(key, true)
	check("a key", key, true)

	second := key
	second.BodyHash, second.Claim = "other", "theirs"
	insert(second, false) // the key is taken, and stays as it is
	check("a key that was asked for twice", key, true)
	second.Client = "another client"
	insert(second, true) // whose key is its own

	key.Claim, key.ClaimedUntil = "", now.Add(time.Hour)
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.SetIdempotencyClaim(ctx, tx, key)) })
	check("a key that is done", key, true)
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.DeleteIdempotencyKey(ctx, tx, key.Client, key.Key))
		other, found, err := store.LockIdempotencyKey(ctx, tx, second.Client, second.Key)
		must(err)
		same(t, "the other client's key", other, second)
		same(t, "the other client's key: found", found, true)
	})
	check("a deleted key", store.IdempotencyKey{}, false)
}

func testIdempotencySteps(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	start := db.Clock.Now()
	keys := []string{"oldest", "older", "old", "new"}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for i, key := range keys {
			made := start.Add(time.Duration(i) * time.Hour)
			_, err := store.InsertIdempotencyKey(ctx, tx, store.IdempotencyKey{Client: "c", Key: key, ClaimedUntil: made, CreatedAt: made})
			must(err)
			must(store.InsertIdempotencyStep(ctx, tx, "c", key, "1", key+hard))
			must(store.InsertIdempotencyStep(ctx, tx, "c", key, "2", "second"))
		}
	})
	err := attempt(t, s, func(ctx context.Context, tx *store.Tx) {
		must(store.InsertIdempotencyStep(ctx, tx, "c", "new", "1", "again"))
	})
	if !store.IsDuplicate(err) {
		t.Errorf("a step recorded twice: %v, want a duplicate", err)
	}
	for key, want := range map[string]bool{"new": true, "oldest": false, "never": false} {
		if found, err := store.HasIdempotencySteps(t.Context(), s.Queries(), "c", key, start.Add(3*time.Hour)); err != nil || found != want {
			t.Errorf("HasIdempotencySteps of %s: %v, %v", key, found, err)
		}
	}
	left := func() (steps []string) {
		for _, key := range keys {
			outcome, found, err := store.IdempotencyStep(t.Context(), s.Queries(), "c", key, "1")
			if err != nil || found && outcome != key+hard || !found && outcome != "" {
				t.Errorf("IdempotencyStep of %s: %q, %v, %v", key, outcome, found, err)
			}
			if found {
				steps = append(steps, key)
			}
		}
		return steps
	}
	same(t, "the steps there are", left(), keys)
	forget := func(before time.Time, limit int, want int64) {
		t.Helper()
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			n, err := store.DeleteIdempotencyKeysBefore(ctx, tx, before, limit)
			must(err)
			same(t, "DeleteIdempotencyKeysBefore", n, want)
		})
	}
	forget(start, 10, 0) // made then, and not before
	forget(start.Add(3*time.Hour), 2, 2)
	same(t, "the steps after a batch", left(), keys[2:])
	forget(start.Add(3*time.Hour), 2, 1)
	same(t, "the steps after the last batch", left(), keys[3:])
	write(t, s, func(ctx context.Context, tx *store.Tx) { must(store.DeleteIdempotencyKey(ctx, tx, "c", "new")) })
	same(t, "the steps of a deleted key", left(), []string(nil))
	testForgottenWhileHeld(t, s)
}

// testForgottenWhileHeld forgets old keys while a request that holds one records
// a step: no step is left without its key.
func testForgottenWhileHeld(t *testing.T, s *store.Store) {
	t.Helper()
	start := time.UnixMilli(1_000_000)
	forgotten := make(chan error, 1)
	forget := func() {
		forgotten <- s.Write(context.Background(), func(ctx context.Context, tx *store.Tx) error {
			_, err := store.DeleteIdempotencyKeysBefore(ctx, tx, start.Add(time.Hour), 10)
			return err
		})
	}
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		for _, key := range []string{"held", "free"} {
			_, err := store.InsertIdempotencyKey(ctx, tx, store.IdempotencyKey{Client: "c", Key: key, Claim: "x", ClaimedUntil: start, CreatedAt: start})
			must(err)
		}
	})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		_, _, err := store.LockIdempotencyKey(ctx, tx, "c", "held")
		must(err)
		must(store.InsertIdempotencyStep(ctx, tx, "c", "held", "1", "outcome"))
		if s.Engine() == "sqlite" {
			return
		}
		go forget()
		select {
		case err := <-forgotten:
			forgotten <- err
		case <-time.After(5 * time.Second): // it waits for this transaction
		}
	})
	if s.Engine() == "sqlite" {
		forget()
	}
	must(<-forgotten)
	const orphans = `SELECT count(*) FROM idempotency_step WHERE NOT EXISTS (SELECT 1 FROM idempotency_key AS k
		WHERE k.client = idempotency_step.client AND k.key = idempotency_step.key)`
	same(t, "steps without a key", got[[]string](t)(store.Rows(t.Context(), s.Queries(), orphans)), []string{"0"})
	same(t, "keys that nobody held", got[[]string](t)(store.Rows(t.Context(), s.Queries(), `SELECT count(*) FROM idempotency_key WHERE key = 'free'`)), []string{"0"})
}
