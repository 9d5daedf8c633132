package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/db"
)

// InsertAll adds rows with a few statements, stamps them and sets their ids,
// which ascend as the rows do.
func (t *Table[T, K]) InsertAll(ctx context.Context, tx *Tx, rows []*T) error {
	if len(rows) == 0 {
		return nil
	}
	searches, err := t.searchesOf(ctx, tx, rows)
	if err != nil {
		return err
	}
	return t.insertAll(ctx, tx, rows, searches)
}

// InsertAccounts is InsertAll for accounts whose contacts will have those
// addresses: they are found by them at once, and need not be indexed again when
// the contacts come.
func InsertAccounts(ctx context.Context, tx *Tx, rows []*billing.Account, emails [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	searches, err := Accounts.searchesOf(ctx, tx, rows)
	if err != nil {
		return err
	}
	for i := range rows {
		for _, email := range emails[i][:min(len(emails[i]), maxEmails)] {
			searches[i] += separator + billing.Fold(email)
		}
	}
	return Accounts.insertAll(ctx, tx, rows, searches)
}

func (t *Table[T, K]) insertAll(ctx context.Context, tx *Tx, rows []*T, searches []string) error {
	ids := make([]K, 0, len(rows))
	err := t.insertMany.Run(ctx, tx, len(rows), func(i int) []any {
		if t.stamps != nil {
			created, updated := t.stamps(rows[i])
			*created, *updated = tx.Now, tx.Now
		}
		return append(slices.Clone(t.fields(rows[i])[1:]), searches[i])
	}, func(found scanner) error {
		ids = append(ids, 0)
		return found.Scan(&ids[len(ids)-1])
	})
	if err != nil {
		return err
	}
	if len(ids) != len(rows) {
		return fmt.Errorf("insert %d rows into %s: %d ids came back", len(rows), t.name, len(ids))
	}
	slices.Sort(ids) // neither engine promises to return them in their order
	for i, id := range ids {
		*t.id(rows[i]) = id
	}
	return t.allInserted(ctx, tx, rows)
}

// allInserted lets other tables follow, as changed does for each row.
func (t *Table[T, K]) allInserted(ctx context.Context, tx *Tx, rows []*T) error {
	if t.inserted != nil {
		return t.inserted(ctx, tx, rows)
	}
	if t.changed == nil {
		return nil
	}
	for _, row := range rows {
		if err := t.changed(ctx, tx, nil, row); err != nil {
			return err
		}
	}
	return nil
}

// searchesOf is searchOf for many new rows.
func (t *Table[T, K]) searchesOf(ctx context.Context, tx *Tx, rows []*T) ([]string, error) {
	searches := make([]string, len(rows))
	if t.wordsOfMany == nil {
		for i, row := range rows {
			var err error
			if searches[i], err = t.searchOf(ctx, tx, row); err != nil {
				return nil, err
			}
		}
		return searches, nil
	}
	words, err := t.wordsOfMany(ctx, tx.Queries, rows)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		for j := range words[i] {
			words[i][j] = billing.Fold(words[i][j])
		}
		searches[i] = strings.Join(words[i], separator)
	}
	return searches, nil
}

// manyRows is the statement of InsertAll.
func (t *Table[T, K]) manyRows() *db.Batch {
	b := &db.Batch{}
	for i, field := range t.fields(new(T))[1:] {
		b.Columns = append(b.Columns, db.Column{t.columns[i+1], kindOf(field)})
	}
	b.Columns = append(b.Columns, db.Column{"search", "TEXT"})
	names := strings.Join(t.columns[1:], ", ")
	b.Statement = fmt.Sprintf("INSERT INTO %s (%s, search) SELECT %s, search FROM new RETURNING id", t.name, names, names)
	return b
}

// kindOf is the kind of the column that a field is kept in.
func kindOf(field any) string {
	switch f := field.(type) {
	case *nextPriceListID:
		return "BIGINT"
	case interface{ Kind() string }:
		return f.Kind()
	}
	return plainKind(field)
}

// bySeveral finds rows by texts that identify them, in the order of ids.
type bySeveral struct {
	plain, locking *db.Batch
}

// newBySeveral returns the statements that find rows of a table by a column, and
// by the column of their parent if what identifies them does so within it.
func newBySeveral[T any, K ~int64](t *Table[T, K], column, parent string) bySeveral {
	columns, _ := t.Projection(nil)
	with := func(lock string) *db.Batch {
		b := &db.Batch{Columns: []db.Column{{"text", "TEXT"}}}
		join := fmt.Sprintf("%s.%s = new.text", t.name, column)
		if parent != "" {
			b.Columns = append(b.Columns, db.Column{"parent", "BIGINT"})
			join = fmt.Sprintf("%s.%s = new.parent AND %s", t.name, parent, join)
		}
		b.Statement = fmt.Sprintf("SELECT %s FROM new JOIN %s ON %s ORDER BY %s.id%s", columns, t.name, join, t.name, lock)
		return b
	}
	return bySeveral{with(""), with(" FOR UPDATE OF " + t.name)}
}

func findSeveral[T any, K ~int64](ctx context.Context, tx *Tx, t *Table[T, K], b *db.Batch, rows int, values func(int) []any) ([]T, error) {
	var found []T
	var row, empty T
	into := direct(t.fields(&row))
	err := b.Run(ctx, tx, rows, values, func(rows scanner) error {
		row = empty
		if err := rows.Scan(into...); err != nil {
			return err
		}
		found = append(found, row)
		return nil
	})
	return found, err
}

// on is the statement for a transaction that locks what it finds, or for one
// that only looks.
func (b bySeveral) on(tx *Tx, lock bool) *db.Batch {
	if lock && tx.Dialect.ForUpdate != "" {
		return b.locking
	}
	return b.plain
}

var (
	accountsByCode      = newBySeveral(Accounts, "code", "")
	tenantsByCode       = newBySeveral(Tenants, "code", "platform_id")
	subscriptionsByCode = newBySeveral(Subscriptions, "code", "")
	invoicesByNumber    = newBySeveral(Invoices, "search", "")
)

// possible are the texts that a row can hold.
func possible(texts []string) []string {
	return slices.DeleteFunc(slices.Clone(texts), nobodyHas)
}

// AccountsByCode returns the accounts with those codes. If lock is set, they
// stay as they are until the transaction ends.
func AccountsByCode(ctx context.Context, tx *Tx, codes []string, lock bool) ([]billing.Account, error) {
	codes = possible(codes)
	return findSeveral(ctx, tx, Accounts, accountsByCode.on(tx, lock), len(codes), func(i int) []any { return []any{codes[i]} })
}

// InvoicesByNumber returns the invoices with those numbers, without their items.
// They are found by what they are called, which does not tell upper from lower
// case.
func InvoicesByNumber(ctx context.Context, tx *Tx, numbers []string) ([]document.Invoice, error) {
	numbers = possible(numbers)
	found, err := findSeveral(ctx, tx, Invoices, invoicesByNumber.plain, len(numbers), func(i int) []any { return []any{billing.Fold(numbers[i])} })
	return slices.DeleteFunc(found, func(i document.Invoice) bool { return !slices.Contains(numbers, i.Number) }), err
}

// TenantCode is what a tenant is found by.
type TenantCode struct {
	Platform billing.PlatformID
	Code     string
}

// TenantsByCode returns the tenants that are found by those codes.
func TenantsByCode(ctx context.Context, tx *Tx, codes []TenantCode) ([]billing.Tenant, error) {
	codes = slices.DeleteFunc(slices.Clone(codes), func(c TenantCode) bool { return nobodyHas(c.Code) })
	return findSeveral(ctx, tx, Tenants, tenantsByCode.plain, len(codes), func(i int) []any {
		return []any{codes[i].Code, int64(codes[i].Platform)}
	})
}

// SubscriptionsByCode returns the subscriptions with those codes. If lock is
// set, they stay as they are until the transaction ends.
func SubscriptionsByCode(ctx context.Context, tx *Tx, codes []string, lock bool) ([]subscription.Subscription, error) {
	codes = possible(codes)
	return findSeveral(ctx, tx, Subscriptions, subscriptionsByCode.on(tx, lock), len(codes), func(i int) []any { return []any{codes[i]} })
}

// AllContactsOf returns the contacts of those accounts, however many they are.
func AllContactsOf(ctx context.Context, q Queries, accounts []billing.AccountID) ([]billing.Contact, error) {
	return Contacts.children(ctx, q, "account_id", db.JSONList(accounts), billing.Filter{}, noLimit)
}
