package transfer

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// checkSize is how many lines are compared with the database at once.
const checkSize = 500

// check looks at each line with all that it refers to, and at what it would
// change.
func (i *importer) check(ctx context.Context) (err error) {
	if i.catalog, err = loadCatalog(ctx, i.st.Queries()); err != nil {
		return err
	}
	for _, k := range rowKinds {
		kind := k.kindName()
		err := i.batches(ctx, kind, "checking "+plural(kind), checkSize, func(items []item) error {
			for _, one := range items {
				result, err := k.check(ctx, i, one.members)
				if err != nil && !isProblem(err) {
					return err
				}
				i.found(kind, one.line, result, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, c := range []struct {
		kind  string
		check func(context.Context, []item) error
	}{{accountKind, i.checkAccounts}, {contactKind, i.checkContacts}, {tenantKind, i.checkTenants}, {subscriptionKind, i.checkSubscriptions}, {invoiceKind, i.checkInvoices}} {
		err := i.batches(ctx, c.kind, "checking "+plural(c.kind), checkSize, func(items []item) error { return c.check(ctx, items) })
		if err != nil {
			return err
		}
	}
	return nil
}

func plural(kind string) string { return inWordsOf(kind) + "s" }

// found notes what a line would come to.
func (i *importer) found(kind string, line int32, result operation.ImportResult, err error) {
	if i.wrong.add(line, err); err == nil {
		i.result.Tallies[kind].count(result)
	}
}

// edited is a row as a line leaves it, and what that makes of the one that was
// there, nil if none was.
func edited[T any](was *T, initial T, edit func(*T) error, check func(*T) billing.Problems) (row *T, result operation.ImportResult, err error) {
	now, result := initial, operation.Created
	if was != nil {
		now, result = *was, operation.Changed
	}
	if err = edit(&now); err == nil {
		if r, ok := any(&now).(interface{ Normalize() }); ok {
			r.Normalize()
		}
		err = check(&now).Err()
	}
	if was != nil && len(billing.Changes(was, &now)) == 0 {
		result = operation.Unchanged
	}
	return &now, result, err
}

// accounts returns which of those accounts the database has.
func (i *importer) accounts(ctx context.Context, codes []string) (map[string]*billing.Account, error) {
	rows, err := store.AccountsByCode(ctx, i.st.Snapshot(), codes, false)
	known := make(map[string]*billing.Account, len(rows))
	for n := range rows {
		known[*rows[n].Code] = &rows[n]
	}
	return known, err
}

// lacks returns a problem if an account is neither in the file nor in the
// database, or cannot be used.
func (i *importer) lacks(known map[string]*billing.Account, code string) *billing.Error {
	if a := known[code]; a != nil && a.TestClockID != nil {
		return billing.Fail(billing.NotAllowed, "account", "The account %q is on a test clock, and its dates are made up: use another code.", code)
	}
	if _, listed := i.seen[accountKind][code]; listed || known[code] != nil {
		return nil
	}
	return missing("account", "account", code)
}

func (i *importer) checkAccounts(ctx context.Context, items []item) error {
	codes := make([]string, len(items))
	for n, one := range items {
		l := accountLine{row: new(billing.Account)}
		_ = readFields(one.members, l.fields())
		codes[n] = text(l.row.Code)
	}
	known, err := i.accounts(ctx, codes)
	if err != nil {
		return err
	}
	for n, one := range items {
		was := known[codes[n]]
		if was != nil && was.TestClockID != nil {
			i.wrong.add(one.line, billing.Fail(billing.NotAllowed, "code", "The account %q is on a test clock, and its dates are made up: use another code.", codes[n]))
			continue
		}
		row, result, err := edited(was, billing.NewAccount(1), accountEdit(i.catalog, one.members), (*billing.Account).Check)
		if err == nil && was != nil {
			if err = i.checkIssuer(ctx, was, row); err != nil && !isProblem(err) {
				return err
			}
		}
		i.found(accountKind, one.line, result, err)
	}
	return nil
}

// checkIssuer looks at the entity that an account is moved to. The first counts for
// accounts that name none.
func (i *importer) checkIssuer(ctx context.Context, was, row *billing.Account) error {
	if was.EntityID == row.EntityID || was.EntityID != nil && row.EntityID != nil && *was.EntityID == *row.EntityID {
		return nil
	}
	var to *billing.Entity
	for id, e := range entities.in(i.catalog).byID {
		if row.EntityID != nil && id == *row.EntityID || row.EntityID == nil && id > 0 && (to == nil || id < to.ID) {
			to = e
		}
	}
	if to == nil {
		return nil
	}
	problems, err := customers.CheckIssuer(ctx, i.st.Queries(), was.ID, to, i.today)
	if err != nil {
		return err
	}
	return operation.RenameField(problems.Err(), "entityId", "entity")
}

func (i *importer) checkContacts(ctx context.Context, items []item) error {
	lines, codes := make([]contactLine, len(items)), make([]string, len(items))
	for n, one := range items {
		lines[n].row = new(billing.Contact)
		_ = readFields(one.members, lines[n].fields())
		codes[n] = lines[n].account
	}
	known, err := i.accounts(ctx, codes)
	if err != nil {
		return err
	}
	contacts, err := i.contacts(ctx, known)
	if err != nil {
		return err
	}
	for n, one := range items {
		row := lines[n].row
		row.Normalize()
		if e := i.lacks(known, codes[n]); e != nil {
			i.wrong.add(one.line, join(row.Check().Err(), e))
			continue
		}
		was := contacts[contactPlace{codes[n], customers.ContactKey(row), i.nth[one.line]}]
		_, result, err := edited(was, billing.Contact{}, contactEdit(one.members), (*billing.Contact).Check)
		if b := lines[n].billing; result == operation.Unchanged && b != nil {
			account := known[codes[n]]
			if is := account.BillingContactID != nil && *account.BillingContactID == was.ID; is != *b {
				result = operation.Changed
			}
		}
		i.found(contactKind, one.line, result, err)
	}
	return nil
}

// contactPlace is one of the contacts of an account that are alike.
type contactPlace struct {
	account, key string
	nth          int
}

func (i *importer) contacts(ctx context.Context, accounts map[string]*billing.Account) (map[contactPlace]*billing.Contact, error) {
	codes := map[billing.AccountID]string{}
	var ids []billing.AccountID
	for code, a := range accounts {
		codes[a.ID], ids = code, append(ids, a.ID)
	}
	rows, err := store.AllContactsOf(ctx, i.st.Queries(), ids)
	known := make(map[contactPlace]*billing.Contact, len(rows))
	for n := range rows {
		at := contactPlace{codes[rows[n].AccountID], customers.ContactKey(&rows[n]), 0}
		for known[at] != nil {
			at.nth++
		}
		known[at] = &rows[n]
	}
	return known, err
}

func (i *importer) checkTenants(ctx context.Context, items []item) error {
	lines, codes := make([]tenantLine, len(items)), make([]string, len(items))
	var places []store.TenantCode
	for n, one := range items {
		lines[n].row = new(billing.Tenant)
		_ = readFields(one.members, lines[n].fields())
		codes[n] = lines[n].account
		if p := platforms.find(i.catalog, lines[n].platform); p != nil && p.ID > 0 {
			places = append(places, store.TenantCode{Platform: p.ID, Code: lines[n].row.Code})
		}
	}
	known, err := i.accounts(ctx, codes)
	if err != nil {
		return err
	}
	tenants, err := i.tenants(ctx, places)
	if err != nil {
		return err
	}
	for n, one := range items {
		result, err := i.checkTenant(&lines[n], one.members, known, tenants)
		i.found(tenantKind, one.line, result, err)
	}
	return nil
}

func (i *importer) tenants(ctx context.Context, places []store.TenantCode) (map[store.TenantCode]*billing.Tenant, error) {
	rows, err := store.TenantsByCode(ctx, i.st.Snapshot(), places)
	known := make(map[store.TenantCode]*billing.Tenant, len(rows))
	for n := range rows {
		known[store.TenantCode{Platform: rows[n].PlatformID, Code: rows[n].Code}] = &rows[n]
	}
	return known, err
}

func (i *importer) checkTenant(l *tenantLine, members []member, accounts map[string]*billing.Account, tenants map[store.TenantCode]*billing.Tenant) (operation.ImportResult, error) {
	platform := platforms.find(i.catalog, l.platform)
	if platform == nil {
		return 0, join(missing("platform", "platform", l.platform), i.lacks(accounts, l.account))
	}
	if e := i.lacks(accounts, l.account); e != nil {
		return 0, e
	}
	if s := l.sequence; s != nil && (*s < 0 || *s > billing.MaxQuantity) {
		return 0, billing.Fail(billing.Invalid, "sequence", "A number of an event is from 0 to %d, not %d.", billing.MaxQuantity, *s)
	}
	was := tenants[store.TenantCode{Platform: platform.ID, Code: l.row.Code}]
	if was != nil && (accounts[l.account] == nil || accounts[l.account].ID != was.AccountID) {
		return 0, billing.Fail(billing.Immutable, "account", "The tenant %q exists and belongs to another account; it cannot be moved.", l.row.Code)
	}
	_, result, err := edited(was, billing.Tenant{Name: l.row.Code}, tenantEdit(members), (*billing.Tenant).Check)
	return result, err
}
