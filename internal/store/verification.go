package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// BilledSubscription is a subscription that has been billed, and of how many keys.
type BilledSubscription struct {
	ID   billing.SubscriptionID
	Keys int
}

// BilledSubscriptions returns at most limit subscriptions after an id that have been
// billed, or that nothing will ever look at, and were not set aside, in the order of ids.
func BilledSubscriptions(ctx context.Context, q Queries, after billing.SubscriptionID, limit int) (billed []BilledSubscription, err error) {
	err = q.Each(ctx, `SELECT id, (SELECT COUNT(*) FROM ledger_key WHERE subscription_id = subscription.id) FROM subscription
		WHERE id > $1 AND (billed_on IS NOT NULL OR bill_on IS NULL AND dirty_from IS NULL) AND problem IS NULL ORDER BY id LIMIT $2`, []any{int64(after), limit}, func(rows scanner) error {
		var b BilledSubscription
		err := rows.Scan(&b.ID, &b.Keys)
		billed = append(billed, b)
		return err
	})
	return billed, err
}

// LedgersOf returns everything that was billed of subscriptions, in the order of
// their ids and of the ends of periods.
func LedgersOf(ctx context.Context, q Queries, ids []billing.SubscriptionID) (keys []LedgerKey, err error) {
	err = q.Each(ctx, `SELECT `+ledgerColumns+` FROM ledger_key WHERE subscription_id IN (SELECT value FROM json_each($1))
		ORDER BY subscription_id, period_to, charge_id, period_from`, []any{db.JSONList(ids)}, scanKeys(&keys))
	return keys, err
}

// ItemsLeft adds up, by subscription and key, the items on issued invoices less the
// credits on them.
func ItemsLeft(ctx context.Context, q Queries, ids []billing.SubscriptionID) (map[billing.SubscriptionID]map[ledger.Key]money.Amount, error) {
	left := make(map[billing.SubscriptionID]map[ledger.Key]money.Amount, len(ids))
	var subscription billing.SubscriptionID
	var key ledger.Key
	var amount money.Amount
	into := []any{&subscription, &key.Charge, column.Day(&key.Period.From), column.Day(&key.Period.To), &amount}
	err := q.Each(ctx, `SELECT subscription_id, charge_id, period_from, period_to, priced - credited FROM invoice_item
		WHERE subscription_id IN (SELECT value FROM json_each($1)) AND charge_id IS NOT NULL AND period_from IS NOT NULL
		AND EXISTS (SELECT 1 FROM invoice WHERE invoice.id = invoice_item.invoice_id AND number <> '')`, []any{db.JSONList(ids)}, func(rows scanner) error {
		err := rows.Scan(into...)
		if left[subscription] == nil {
			left[subscription] = map[ledger.Key]money.Amount{}
		}
		left[subscription][key] += amount
		return err
	})
	return left, err
}

// BilledBy is the entity that bills an account, nil for the first one. Aside says that it
// cannot, because of a problem.
type BilledBy struct {
	Entity *billing.EntityID
	Aside  bool
}

// EntitiesOf returns who bills those accounts that exist.
func EntitiesOf(ctx context.Context, q Queries, accounts []billing.AccountID) (map[billing.AccountID]BilledBy, error) {
	entities := make(map[billing.AccountID]BilledBy, len(accounts))
	err := q.Each(ctx, `SELECT id, entity_id, billing_problem IS NOT NULL FROM account WHERE id IN (SELECT value FROM json_each($1))`, []any{db.JSONList(accounts)}, func(rows scanner) error {
		var account billing.AccountID
		var by BilledBy
		err := rows.Scan(&account, &by.Entity, &by.Aside)
		entities[account] = by
		return err
	})
	return entities, err
}
