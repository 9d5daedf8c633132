package customers

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/store"
)

// billAgain has an account looked at by billing after a change that decides when
// it is billed, or that may have removed what kept it from being billed.
func billAgain(ctx context.Context, tx *store.Tx, before, after *billing.Account) error {
	when := before.BillingDay != after.BillingDay || before.Collection != after.Collection
	if !when && after.BillingProblem == nil {
		return nil
	}
	cal, err := calendar.In(ctx, tx, after.TestClockID)
	if err != nil {
		return err
	}
	if when {
		// What waits is collected on the sooner of both billing days.
		day := ledger.NextBillingDay(cal.Today, before.BillingDay)
		if err := store.CollectWaiting(ctx, tx, after, day); err != nil {
			return err
		}
	}
	if after.BillingProblem != nil {
		if err := store.NoteBillingProblem(ctx, tx, after.ID, nil); err != nil {
			return err
		}
		after.BillingProblem = nil
	}
	return store.BillAgain(ctx, tx, []billing.AccountID{after.ID}, cal.Today)
}

// dunAgain has the unpaid invoices of an account looked at if another policy counts for
// them than before.
func dunAgain(ctx context.Context, tx *store.Tx, before, after *billing.Account) error {
	if before.DunningExempt == after.DunningExempt && sameID(before.DunningPolicyID, after.DunningPolicyID) {
		return nil
	}
	cal, err := calendar.In(ctx, tx, after.TestClockID)
	if err != nil {
		return err
	}
	return store.DunAgain(ctx, tx, &after.ID, cal.Today.AddDays(-1))
}

func sameID[K ~int64](a, b *K) bool { return a == b || a != nil && b != nil && *a == *b }
