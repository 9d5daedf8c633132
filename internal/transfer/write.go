package transfer

import (
	"context"
	"errors"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// batchSize is how many lines are written in one transaction: few enough that a
// server beside the import does not wait long, many enough that a transaction
// does not cost more than what is in it.
const batchSize = 500

// write writes the file, kind by kind. Every batch is a transaction of its own,
// so an import that was cut off goes on where it was when it is run again: what
// is there already is left as it is.
func (i *importer) write(ctx context.Context) error {
	for _, kind := range Kinds {
		if len(i.places[kind]) == 0 {
			continue
		}
		// What was written before has its real ids now.
		var err error
		if i.catalog, err = loadCatalog(ctx, i.st.Queries()); err != nil {
			return err
		}
		if err := i.batches(ctx, kind, "writing "+plural(kind), batchSize, func(items []item) error { return i.writeBatch(ctx, kind, items) }); err != nil {
			return err
		}
	}
	return nil
}

// writeBatch writes some lines of one type and lets others work then.
func (i *importer) writeBatch(ctx context.Context, kind string, items []item) error {
	start := i.Now()
	results, err := i.writeItems(ctx, kind, items)
	if err != nil {
		return atLine(err, items)
	}
	for _, result := range results {
		i.result.Tallies[kind].count(result)
	}
	if i.Rest == nil {
		return nil
	}
	return i.Rest(ctx, i.Now().Sub(start))
}

// atLine says at which line an import stopped.
func atLine(err error, items []item) error {
	var one *operation.ItemError
	if errors.As(err, &one) {
		return &StoppedError{int(items[one.Index].line), one.Err}
	}
	if isProblem(err) {
		return &StoppedError{int(items[0].line), err}
	}
	return err
}

func (i *importer) writeItems(ctx context.Context, kind string, items []item) ([]operation.ImportResult, error) {
	switch kind {
	case accountKind:
		return i.writeAccounts(ctx, items)
	case contactKind:
		return i.writeContacts(ctx, items)
	case tenantKind:
		return i.writeTenants(ctx, items)
	case subscriptionKind:
		return i.writeSubscriptions(ctx, items)
	case invoiceKind:
		return i.writeInvoices(ctx, items)
	}
	var results []operation.ImportResult
	k := rowKinds[slices.IndexFunc(rowKinds, func(k rowKind) bool { return k.kindName() == kind })]
	err := i.svc.Catalog.ImportCatalog(ctx, i.Webhooks, func(ctx context.Context, to *catalogs.Import) error {
		results = make([]operation.ImportResult, len(items))
		for n, one := range items {
			var err error
			if results[n], err = k.write(ctx, i, to, one.members); err != nil {
				return &operation.ItemError{Index: n, Err: err}
			}
		}
		return nil
	})
	return results, err
}

// errGone means that what a line refers to was there when it was checked.
func errGone(what string) error {
	return billing.Fail(billing.NotFound, "", "The %s that the line refers to was deleted meanwhile.", what)
}

func (i *importer) writeAccounts(ctx context.Context, items []item) ([]operation.ImportResult, error) {
	imports := make([]customers.AccountImport, len(items))
	for n, one := range items {
		l := accountLine{row: new(billing.Account)}
		if err := readFields(one.members, l.fields()); err != nil {
			return nil, &operation.ItemError{Index: n, Err: err}
		}
		imports[n] = customers.AccountImport{Code: text(l.row.Code), Emails: i.emails[text(l.row.Code)], Edit: accountEdit(i.catalog, one.members)}
	}
	return i.svc.Customers.ImportAccounts(ctx, imports)
}

func (i *importer) writeContacts(ctx context.Context, items []item) ([]operation.ImportResult, error) {
	imports := make([]customers.ContactImport, len(items))
	for n, one := range items {
		l := contactLine{row: new(billing.Contact)}
		if err := readFields(one.members, l.fields()); err != nil {
			return nil, &operation.ItemError{Index: n, Err: err}
		}
		imports[n] = customers.ContactImport{AccountCode: l.account, Nth: i.nth[one.line], Billing: l.billing, Edit: contactEdit(one.members)}
	}
	return i.svc.Customers.ImportContacts(ctx, imports)
}

func (i *importer) writeTenants(ctx context.Context, items []item) ([]operation.ImportResult, error) {
	imports := make([]subscriptions.TenantImport, len(items))
	for n, one := range items {
		l := tenantLine{row: new(billing.Tenant)}
		err := readFields(one.members, l.fields())
		platform := platforms.find(i.catalog, l.platform)
		if err == nil && platform == nil {
			err = errGone("platform")
		}
		if err != nil {
			return nil, &operation.ItemError{Index: n, Err: err}
		}
		imports[n] = subscriptions.TenantImport{
			TenantCode: store.TenantCode{Platform: platform.ID, Code: l.row.Code}, AccountCode: l.account, Edit: tenantEdit(one.members),
		}
		if l.sequence != nil {
			imports[n].Sequence = *l.sequence
		}
	}
	return i.svc.Subscriptions.ImportTenants(ctx, imports, i.Webhooks)
}

func (i *importer) writeSubscriptions(ctx context.Context, items []item) ([]operation.ImportResult, error) {
	imports := make([]subscriptions.SubscriptionImport, len(items))
	for n, one := range items {
		var l subscriptionLine
		err := readFields(one.members, l.fields())
		if err != nil {
			return nil, &operation.ItemError{Index: n, Err: err}
		}
		list, err := i.catalog.resolve(&l)
		if err != nil {
			return nil, &operation.ItemError{Index: n, Err: err}
		}
		imports[n] = subscriptions.SubscriptionImport{Code: l.code, AccountCode: l.account, PriceListID: list.ID, TenantCode: l.tenant, Record: l.record}
	}
	return i.svc.Subscriptions.ImportSubscriptions(ctx, imports, i.Webhooks)
}
