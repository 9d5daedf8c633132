package service

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// codesAtOnce is how many things get their codes in one transaction.
const codesAtOnce = 200

// Codes counts what was given a code.
type Codes struct{ Accounts, Plans, Subscriptions int }

// GiveCodes gives accounts, plans and subscriptions that have none a code, such
// as account-12: files know them by it. What is on a test clock is left alone.
func (s *Service) GiveCodes(ctx context.Context) (given Codes, err error) {
	given.Accounts, err = giveCodes(ctx, s, customers.Accounts, nil, func(a *billing.Account) **string {
		if a.TestClockID != nil {
			return nil
		}
		return &a.Code
	})
	if err != nil {
		return given, err
	}
	given.Plans, err = giveCodes(ctx, s, catalogs.Plans, store.LockCatalog, func(p *catalog.Plan) **string { return &p.Code })
	if err != nil {
		return given, err
	}
	given.Subscriptions, err = giveCodes(ctx, s, subscriptionRows, nil, func(sub *subscription.Subscription) **string {
		if sub.TestClockID != nil || store.Readable(sub) != nil {
			return nil
		}
		return &sub.Code
	})
	return given, err
}

// subscriptionRows is what giving a code needs to know of subscriptions.
var subscriptionRows = operation.Resource[subscription.Subscription, billing.SubscriptionID]{
	Name: "subscription", Words: "subscription", Table: store.Subscriptions,
}

// giveCodes gives the rows of a table codes, many in one transaction. code is
// where a row keeps its own, nil if it is to have none.
func giveCodes[T any, K ~int64](ctx context.Context, s *Service, r operation.Resource[T, K], first func(context.Context, *store.Tx) error, code func(*T) **string) (given int, err error) {
	page := store.Page{Limit: codesAtOnce}
	for {
		rows, err := r.Table.List(ctx, s.Read(), page)
		if err != nil {
			return given, err
		}
		var ids []K
		for i := range rows {
			page.After = int64(r.ID(&rows[i]))
			if at := code(&rows[i]); at != nil && *at == nil {
				ids = append(ids, r.ID(&rows[i]))
			}
		}
		if len(ids) > 0 {
			if err := giveSome(ctx, s, r, first, ids, code); err != nil {
				return given, err
			}
			given += len(ids)
		}
		if len(rows) < page.Limit {
			return given, nil
		}
	}
}

func giveSome[T any, K ~int64](ctx context.Context, s *Service, r operation.Resource[T, K], first func(context.Context, *store.Tx) error, ids []K, code func(*T) **string) error {
	_, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*Codes, error) {
		if first != nil {
			if err := first(ctx, tx); err != nil {
				return nil, err
			}
		}
		for _, id := range ids {
			row, err := r.Table.Lock(ctx, tx, id)
			if err != nil {
				return nil, err
			}
			if row == nil || code(row) == nil || *code(row) != nil {
				continue // somebody else was faster
			}
			before, given := *row, fmt.Sprintf("%s-%d", r.Name, id)
			*code(row) = &given
			if err := r.Table.Update(ctx, tx, row); err != nil {
				if store.IsDuplicate(err) {
					return nil, billing.Fail(billing.Taken, "code", "The %s %d cannot have the code %q, which is taken: give it one of your own.", r.Words, id, given)
				}
				return nil, err
			}
			if err := operation.Audit(ctx, tx, r.UpdateAction(), r.Name, int64(id), billing.Changes(&before, row)); err != nil {
				return nil, err
			}
		}
		return &Codes{}, nil
	})
	return err
}
