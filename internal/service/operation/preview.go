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
	Body     string
	// Features are what the event tells.
	Features []subscription.ProvisionedFeature
}

// Effects is what operations would do, beyond what they answer.
type Effects struct {
	Planned []Planned
	// Jobs are those that would be begun.
	Jobs []billing.Job
	// Resends is how many events would be sent again, each to a tenant or an endpoint.
	Resends int
	// Subscriptions are those that would be new or changed.
	Subscriptions []billing.SubscriptionID
}

// preview collects what an operation would do.
type preview struct {
	Effects
	// then is done after the operation, before all is taken back; nil if nothing is.
	then func(context.Context, *store.Tx) error
	// rehearsed says that all is taken back later, together with what comes after it.
	rehearsed bool
}

type previewKey struct{}

// PreviewIn returns the preview that operations in this context are done for, nil
// if they are real.
func PreviewIn(ctx context.Context) *preview {
	p, _ := ctx.Value(previewKey{}).(*preview)
	return p
}

// LooksFurther reports whether something is done after the operation, which may need
// more locks.
func (p *preview) LooksFurther() bool { return p != nil && (p.then != nil || p.rehearsed) }

// PreviewOf returns the webhooks that an operation would send, in order. do
// calls the operation with the context it gets, and all that it did is taken
// back: it is the very operation that is previewed, not a copy of its rules. It
// must be an operation of one transaction.
func (s *Runner) PreviewOf(ctx context.Context, do func(context.Context) error) ([]Planned, error) {
	p := &preview{}
	err := do(context.WithValue(ctx, previewKey{}, p))
	return p.Planned, err
}

// PreviewThen is PreviewOf with something that is done after the operation, in its
// transaction, to see what would come of it.
func (s *Runner) PreviewThen(ctx context.Context, do func(context.Context) error, then func(context.Context, *store.Tx) error) ([]Planned, error) {
	p := &preview{then: then}
	err := do(context.WithValue(ctx, previewKey{}, p))
	return p.Planned, err
}

// Rehearse calls do with a context in which operations are done as ever, and nothing
// lasts. Like what is given to a transaction, do may be called more than once.
func (s *Runner) Rehearse(ctx context.Context, do func(context.Context, *Effects) error) error {
	return s.Store.Rehearse(ctx, func(ctx context.Context) error {
		p := &preview{rehearsed: true}
		return do(context.WithValue(ctx, previewKey{}, p), &p.Effects)
	})
}

// ErrPreview takes back what a preview did.
var ErrPreview = errors.New("this was a preview")
