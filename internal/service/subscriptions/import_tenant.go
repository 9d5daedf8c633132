package subscriptions

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// TenantImport is a tenant as a file has it.
type TenantImport struct {
	store.TenantCode
	AccountCode string
	// Sequence is the number of the newest event that its application knows,
	// from wherever that came; 0 if it knows none.
	Sequence int
	Edit     func(*billing.Tenant) error
}

// ImportTenants makes tenants be as they are in a file, all or nothing. New ones
// count as being in sync: there is nothing yet that their applications would not
// know. If webhooks is false, those that change are not told.
func (s *Service) ImportTenants(ctx context.Context, items []TenantImport, webhooks bool) ([]operation.ImportResult, error) {
	codes, places := make([]string, len(items)), make([]store.TenantCode, len(items))
	for i := range items {
		codes[i], places[i] = items[i].AccountCode, items[i].TenantCode
	}
	return s.ImportAll(ctx, len(items), func(ctx context.Context, tx *store.Tx, b *operation.ImportBatch) error {
		accounts, err := customers.AccountsByCode(ctx, tx, operation.Unique(codes))
		if err != nil {
			return err
		}
		known, err := tenantsByCode(ctx, tx, places)
		if err != nil {
			return err
		}
		var fresh []*billing.Tenant
		var numbers []outbox.TenantSequence
		for i, item := range items {
			account := accounts[item.AccountCode]
			if account == nil {
				return &operation.ItemError{Index: i, Err: billing.Fail(billing.NotFound, "account", "There is no account with the code %q.", item.AccountCode)}
			}
			was := known[item.TenantCode]
			row, result, err := operation.EditImported(was, billing.Tenant{PlatformID: item.Platform, AccountID: account.ID, Name: item.Code}, item.Edit)
			if err == nil && was != nil {
				err = operation.Fixed("account", "A tenant stays with its account", was.AccountID, account.ID).Err()
			}
			if err == nil {
				err = row.Check().Err()
			}
			if err == nil && result == operation.Changed {
				err = s.importTenantChange(ctx, tx, row.ID, item.Edit, webhooks)
			}
			if err != nil {
				return &operation.ItemError{Index: i, Err: err}
			}
			if b.Results[i] = result; result == operation.Created {
				fresh = append(fresh, &row)
				numbers = append(numbers, outbox.TenantSequence{Sequence: item.Sequence})
			}
		}
		if err := store.Tenants.InsertAll(ctx, tx, fresh); err != nil {
			return operation.ImportedMeanwhile(err, "tenants")
		}
		var told []outbox.TenantSequence
		for i, row := range fresh {
			b.Audit(ctx, tx, "tenantCreate", "tenant", int64(row.ID), billing.Changes(nil, row))
			if numbers[i].Sequence > 0 {
				told = append(told, outbox.TenantSequence{TenantID: row.ID, Sequence: numbers[i].Sequence})
			}
		}
		return outbox.StartStreams(ctx, tx, told)
	})
}

func tenantsByCode(ctx context.Context, tx *store.Tx, codes []store.TenantCode) (map[store.TenantCode]*billing.Tenant, error) {
	rows, err := store.TenantsByCode(ctx, tx, codes)
	known := make(map[store.TenantCode]*billing.Tenant, len(rows))
	for i := range rows {
		known[store.TenantCode{Platform: rows[i].PlatformID, Code: rows[i].Code}] = &rows[i]
	}
	return known, err
}

// importTenantChange is TenantUpdate within an import.
func (s *Service) importTenantChange(ctx context.Context, tx *store.Tx, id billing.TenantID, edit operation.Change[billing.Tenant], webhooks bool) error {
	subscriptions, err := lockTenant(ctx, tx, id)
	if err != nil {
		return err
	}
	var before billing.Tenant
	remember := func(t *billing.Tenant) error {
		before = *t
		return edit(t)
	}
	_, err = Tenants.UpdateIn(ctx, tx, id, remember, func(ctx context.Context, tx *store.Tx, t *billing.Tenant) error {
		if !webhooks || subscriptions == 0 || t.Name == before.Name {
			return nil
		}
		return provisioning.RecordEvents(ctx, tx, []billing.TenantID{t.ID}, subscription.KindTenantChanged)
	})
	return err
}
