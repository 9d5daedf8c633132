package store

import (
	"context"
	"database/sql/driver"
	"reflect"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// plainKind is the kind of the column for a field without a type of its own.
func plainKind(field any) string {
	if _, custom := field.(driver.Valuer); custom {
		return "TEXT"
	}
	kind := reflect.TypeOf(field)
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind.Kind() {
	case reflect.Bool:
		return "BOOLEAN"
	case reflect.Int, reflect.Int64:
		return "BIGINT"
	}
	return "TEXT"
}

// subscriptionsWords is subscriptionWords for many subscriptions.
func subscriptionsWords(ctx context.Context, q Queries, subscriptions []*subscription.Subscription) ([][]string, error) {
	var accounts []billing.AccountID
	var tenants []billing.TenantID
	for _, s := range subscriptions {
		accounts = append(accounts, s.AccountID)
		if s.TenantID != nil {
			tenants = append(tenants, *s.TenantID)
		}
	}
	ofAccounts, err := namesAndCodes(ctx, q, "account", db.JSONList(accounts))
	if err != nil {
		return nil, err
	}
	ofTenants, err := namesAndCodes(ctx, q, "tenant", db.JSONList(tenants))
	if err != nil {
		return nil, err
	}
	words := make([][]string, len(subscriptions))
	for i, s := range subscriptions {
		a, t := ofAccounts[int64(s.AccountID)], [2]string{}
		if s.TenantID != nil {
			t = ofTenants[int64(*s.TenantID)]
		}
		words[i] = []string{a[0], a[1], t[0], t[1]}
	}
	return words, nil
}

func namesAndCodes(ctx context.Context, q Queries, table, list string) (map[int64][2]string, error) {
	found := map[int64][2]string{}
	text := `SELECT id, name, COALESCE(code, '') FROM ` + table + ` WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT)))`
	err := q.Each(ctx, text, []any{list}, func(rows scanner) error {
		var id int64
		var words [2]string
		err := rows.Scan(&id, &words[0], &words[1])
		found[id] = words
		return err
	})
	return found, err
}

var setAccountSearch = db.Batch{
	Columns:   []db.Column{{"id", "BIGINT"}, {"search", "TEXT"}},
	Statement: `UPDATE account SET search = new.search FROM new WHERE account.id = new.id`,
}

// contactsInserted is reindexAccount for the accounts of many new contacts.
func contactsInserted(ctx context.Context, tx *Tx, contacts []*billing.Contact) error {
	ids := make([]billing.AccountID, len(contacts))
	for i, c := range contacts {
		ids[i] = c.AccountID
	}
	slices.Sort(ids)
	list := db.JSONList(slices.Compact(ids))
	type indexed struct {
		words  []string
		search string
	}
	rows := map[billing.AccountID]*indexed{}
	text := `SELECT id, name, COALESCE(code, ''), search FROM account WHERE id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) ORDER BY id` + tx.Dialect.ForNoKeyUpdate
	err := tx.Each(ctx, text, []any{list}, func(found scanner) error {
		var id billing.AccountID
		row := &indexed{words: make([]string, 2)}
		err := found.Scan(&id, &row.words[0], &row.words[1], &row.search)
		rows[id] = row
		return err
	})
	if err != nil {
		return err
	}
	const emails = `SELECT account_id, email FROM contact WHERE account_id IN (SELECT value FROM json_each(CAST($1 AS TEXT))) AND email IS NOT NULL ORDER BY account_id, id`
	err = tx.Each(ctx, emails, []any{list}, func(found scanner) error {
		var id billing.AccountID
		var email string
		err := found.Scan(&id, &email)
		if row := rows[id]; row != nil && len(row.words) < 2+maxEmails {
			row.words = append(row.words, email)
		}
		return err
	})
	if err != nil {
		return err
	}
	var changed []billing.AccountID
	for _, id := range slices.Compact(ids) {
		row := rows[id]
		if row == nil {
			continue
		}
		for i := range row.words {
			row.words[i] = billing.Fold(row.words[i])
		}
		if search := strings.Join(row.words, separator); search != row.search {
			row.search = search
			changed = append(changed, id)
		}
	}
	return setAccountSearch.Run(ctx, tx, len(changed), func(i int) []any {
		return []any{int64(changed[i]), rows[changed[i]].search}
	}, nil)
}

var insertHistory = db.Batch{
	Columns: []db.Column{
		{"subscription_id", "BIGINT"}, {"at", "BIGINT"}, {"effective_at", "BIGINT"}, {"actor", "TEXT"}, {"kind", "TEXT"},
		{"from_state", "TEXT"}, {"to_state", "TEXT"}, {"detail", "TEXT"},
	},
	Statement: `INSERT INTO subscription_change (subscription_id, at, effective_at, actor, kind, from_state, to_state, detail)
		SELECT subscription_id, at, effective_at, actor, kind, from_state, to_state, detail FROM new`,
}

// InsertHistories records what happened to many subscriptions. It sets no ids.
func InsertHistories(ctx context.Context, tx *Tx, entries []subscription.HistoryEntry) error {
	return insertHistory.Run(ctx, tx, len(entries), func(i int) []any {
		e := &entries[i]
		return []any{int64(e.SubscriptionID), column.Millis(&e.At), column.Millis(&e.EffectiveAt), e.Actor, e.Kind, e.From, e.To, column.JSON(&e.Detail)}
	}, nil)
}

var setBillingContacts = db.Batch{
	Columns:   []db.Column{{"id", "BIGINT"}, {"contact", "BIGINT"}, {"updated_at", "BIGINT"}},
	Statement: `UPDATE account SET billing_contact_id = new.contact, updated_at = new.updated_at FROM new WHERE account.id = new.id`,
}

// SetBillingContacts saves which contacts accounts have as their billing
// contacts. The caller has locked the accounts.
func SetBillingContacts(ctx context.Context, tx *Tx, accounts []*billing.Account) error {
	return setBillingContacts.Run(ctx, tx, len(accounts), func(i int) []any {
		return []any{int64(accounts[i].ID), (*int64)(accounts[i].BillingContactID), tx.Now.UnixMilli()}
	}, nil)
}
