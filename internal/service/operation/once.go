package operation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// onceRemembered is how long a key is good for.
	onceRemembered = 24 * time.Hour
	// onceClaim is how long a request may take before another one with the
	// same key takes over: its process must have died.
	onceClaim = 90 * time.Second
)

// Once is a claim to run the request that carries an idempotency key.
type Once struct {
	client, key, claim string
}

var errLostClaim = billing.Fail(billing.Conflict, "", "Another request with this Idempotency-Key took over; ask again for its outcome.")

// ErrStillRunning is returned by ClaimOnce while the first request with the
// key runs.
var ErrStillRunning = billing.Fail(billing.Conflict, "", "The first request with this Idempotency-Key is still running; try again in a moment.")

// ErrOtherRequest is returned by ClaimOnce for a key that another request had.
var ErrOtherRequest = billing.Fail(billing.Conflict, "", "This Idempotency-Key was used for another request; use a new key for a new request.")

// ClaimOnce claims a key for a request of a client. bodyHash stands for the
// request: the same key with another one is a conflict. The claim must be
// released when the request is over.
func (s *Runner) ClaimOnce(ctx context.Context, client, key, bodyHash string) (*Once, error) {
	if e := billing.CheckIdempotencyKey(key); e != nil {
		return nil, e
	}
	once := &Once{client: client, key: key, claim: secret.RandomText(16)}
	err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error { return once.take(ctx, tx, bodyHash) })
	if err != nil {
		return nil, err
	}
	return once, nil
}

// HasBegun reports whether something of a request was done under its key, which is still
// remembered for some time.
func (s *Runner) HasBegun(ctx context.Context, client, key string) (bool, error) {
	return store.HasIdempotencySteps(ctx, s.Read(), client, key, s.Store.Now().Add(time.Minute-onceRemembered))
}

func (o *Once) take(ctx context.Context, tx *store.Tx, bodyHash string) error {
	mine := store.IdempotencyKey{
		Client: o.client, Key: o.key, BodyHash: bodyHash, Claim: o.claim,
		ClaimedUntil: tx.Now.Add(onceClaim), CreatedAt: tx.Now,
	}
	free, err := store.InsertIdempotencyKey(ctx, tx, mine)
	if err != nil || free {
		return err
	}
	first, found, err := store.LockIdempotencyKey(ctx, tx, o.client, o.key)
	if err != nil {
		return err
	}
	switch {
	case !found:
		return takeForgotten(ctx, tx, mine)
	case !tx.Now.Before(first.CreatedAt.Add(onceRemembered)):
		if err := store.DeleteIdempotencyKey(ctx, tx, o.client, o.key); err != nil {
			return err
		}
		return takeForgotten(ctx, tx, mine)
	case first.BodyHash != bodyHash:
		return ErrOtherRequest
	case first.Claim != "" && tx.Now.Before(first.ClaimedUntil):
		return ErrStillRunning
	}
	return store.SetIdempotencyClaim(ctx, tx, mine)
}

// takeForgotten claims a key that was forgotten since it was found to be taken, unless
// another request was quicker.
func takeForgotten(ctx context.Context, tx *store.Tx, mine store.IdempotencyKey) error {
	free, err := store.InsertIdempotencyKey(ctx, tx, mine)
	if err == nil && !free {
		err = ErrStillRunning
	}
	return err
}

// Release says that the request is over, whatever came of it.
func (s *Runner) Release(ctx context.Context, o *Once) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		err := o.hold(ctx, tx)
		if errors.Is(err, errLostClaim) {
			return nil // somebody else holds it now
		}
		if err != nil {
			return err
		}
		return store.SetIdempotencyClaim(ctx, tx, store.IdempotencyKey{Client: o.client, Key: o.key, ClaimedUntil: tx.Now})
	})
}

// answerStep is where the answer to a whole request is kept, beside the
// outcomes of its operations.
const answerStep = "answer"

// AnswerTo returns the answer that was recorded for a request, if there is one.
func (s *Runner) AnswerTo(ctx context.Context, o *Once) (answer string, found bool, err error) {
	return store.IdempotencyStep(ctx, s.Read(), o.client, o.key, answerStep)
}

// ReleaseWith is Release that records what was answered. Without an answer, a
// key under which step did nothing is forgotten: whoever is shown a mistake may
// mend it and send the same key again.
func (s *Runner) ReleaseWith(ctx context.Context, o *Once, step, answer string) error {
	return s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		done, err := o.recorded(ctx, tx, step)
		if errors.Is(err, errLostClaim) {
			return nil // somebody else holds it now
		}
		switch {
		case err != nil:
			return err
		case answer != "":
			if err := store.InsertIdempotencyStep(ctx, tx, o.client, o.key, answerStep, answer); err != nil {
				return err
			}
		case done == nil || len(done.Problems) > 0:
			return store.DeleteIdempotencyKey(ctx, tx, o.client, o.key)
		}
		return store.SetIdempotencyClaim(ctx, tx, store.IdempotencyKey{Client: o.client, Key: o.key, ClaimedUntil: tx.Now})
	})
}

// hold keeps others from taking the claim over until the transaction ends.
func (o *Once) hold(ctx context.Context, tx *store.Tx) error {
	now, found, err := store.LockIdempotencyKey(ctx, tx, o.client, o.key)
	if err != nil {
		return err
	}
	if !found || now.Claim != o.claim {
		return errLostClaim
	}
	return nil
}

func (o *Once) recorded(ctx context.Context, tx *store.Tx, step string) (*outcome, error) {
	if err := o.hold(ctx, tx); err != nil {
		return nil, err
	}
	text, found, err := store.IdempotencyStep(ctx, tx.Queries, o.client, o.key, step)
	if err != nil || !found {
		return nil, err
	}
	var out outcome
	return &out, json.Unmarshal([]byte(text), &out)
}

func (o *Once) record(ctx context.Context, tx *store.Tx, step string, out outcome) error {
	if err := o.hold(ctx, tx); err != nil {
		return err
	}
	return store.InsertIdempotencyStep(ctx, tx, o.client, o.key, step, string(MustJSON(out)))
}

// ForgetBatch is how many old keys or jobs one transaction forgets.
const ForgetBatch = 500

// ForgetOldKeys removes idempotency keys that are no longer good, in small
// transactions, unless nobody knows what time it is.
func (s *Runner) ForgetOldKeys(ctx context.Context) error {
	for {
		var n int64
		err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if n = 0; tx.Unsure {
				return nil
			}
			n, err = store.DeleteIdempotencyKeysBefore(ctx, tx, tx.Now.Add(-onceRemembered), ForgetBatch)
			return err
		})
		if err != nil || n < ForgetBatch {
			return err
		}
	}
}
