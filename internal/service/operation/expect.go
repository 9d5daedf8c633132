package operation

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

type expectKey struct{}

// Expecting returns a context in which an action on a subscription is refused
// with a conflict if it is not as it was at that time of its last change: for
// somebody who has looked at it and then decided.
func Expecting(ctx context.Context, changed time.Time) context.Context {
	return context.WithValue(ctx, expectKey{}, changed)
}

// CheckExpected is asked with the subscription locked.
func CheckExpected(ctx context.Context, sub *subscription.Subscription) error {
	expected, some := ctx.Value(expectKey{}).(time.Time)
	if !some || expected.Equal(sub.UpdatedAt) {
		return nil
	}
	return billing.Fail(billing.Conflict, "", "Subscription %d was changed meanwhile. Look at it again.", sub.ID)
}
