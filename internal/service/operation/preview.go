package operation

import (
	"context"
	"errors"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// Planned is a webhook that an operation would send.
type Planned struct {
	Tenant billing.Tenant
	// Sequence is the number that the event would have.
	Sequence int
	Reason   string
	// Body is empty unless bodies are kept.
	Body string
	// Features are what the event tells.
	Features []subscription.ProvisionedFeature
}

// Effects is what operations would do, beyond what they answer.
type Effects struct {
	Planned []Planned
	// KeepBodies says that somebody wants to see the bodies of webhooks. An operation on
	// very many tenants would fill the memory with them.
	KeepBodies bool
	// Jobs are those that would be begun.
	Jobs []billing.Job
	// Resends is how many events would be sent again, each to a tenant or an endpoint.
	Resends int
	// Subscriptions are those that would be new or changed.
	Subscriptions []billing.SubscriptionID
	// Accounts are those that would be changed themselves.
	Accounts []billing.AccountID
	// PriceLists are those that would have other charges: whoever is to change to one of
	// them pays something else then.
	PriceLists []billing.PriceListID
}

// preview collects what operations would do.
type preview struct{ Effects }

type previewKey struct{}

// PreviewIn returns the preview that operations in this context are done for, nil
// if they are real.
func PreviewIn(ctx context.Context) *preview {
	p, _ := ctx.Value(previewKey{}).(*preview)
	return p
}

// PreviewOf returns the webhooks that an operation would send, in order. do calls the
// operation with the context it gets, and all that it did is taken back: it is the very
// operation that is previewed, not a copy of its rules.
func (s *Runner) PreviewOf(ctx context.Context, do func(context.Context) error) (planned []Planned, err error) {
	err = s.Rehearse(ctx, func(ctx context.Context, effects *Effects) error {
		effects.KeepBodies = true
		err := do(ctx)
		planned = effects.Planned
		return err
	})
	return planned, err
}

// Rehearse calls do with a context in which operations are done as ever, and nothing
// lasts. Like what is given to a transaction, do may be called more than once. In a
// rehearsal, it is a part of that.
func (s *Runner) Rehearse(ctx context.Context, do func(context.Context, *Effects) error) error {
	if p := PreviewIn(ctx); p != nil {
		return do(ctx, &p.Effects)
	}
	return s.Store.Rehearse(ctx, func(ctx context.Context) error {
		p := &preview{}
		return do(context.WithValue(ctx, previewKey{}, p), &p.Effects)
	})
}

// errTakenBack takes back what was only tried.
var errTakenBack = errors.New("this was only tried")

// TakenBack does something in a transaction and takes it back.
func (s *Runner) TakenBack(ctx context.Context, do func(context.Context, *store.Tx) error) error {
	err := s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		return errTakenBack
	})
	if errors.Is(err, errTakenBack) {
		return nil
	}
	return err
}
