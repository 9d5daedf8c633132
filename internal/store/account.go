package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// maxEmails is how many addresses of its contacts an account is found by.
const maxEmails = 100

// Accounts keeps billing.Account.
var Accounts = newTable(Table[billing.Account, billing.AccountID]{
	name:      "account",
	id:        func(a *billing.Account) *billing.AccountID { return &a.ID },
	described: billing.AccountFields,
	columns:   []string{"billing_problem", "payment_method_id"},
	fields:    func(a *billing.Account) []any { return []any{&a.BillingProblem, &a.PaymentMethodID} },
	stamps:    func(a *billing.Account) (*time.Time, *time.Time) { return &a.CreatedAt, &a.UpdatedAt },
	words:     func(a *billing.Account) []string { return []string{a.Name, deref(a.Code)} },
	moreWords: func(ctx context.Context, q Queries, a *billing.Account) ([]string, error) {
		if a.ID == 0 {
			return nil, nil // a new account has no contacts yet
		}
		const text = `SELECT email FROM contact WHERE account_id = $1 AND email IS NOT NULL ORDER BY id LIMIT 100` // maxEmails
		var emails []string
		err := q.Each(ctx, text, []any{int64(a.ID)}, func(rows scanner) error {
			emails = append(emails, "")
			return rows.Scan(&emails[len(emails)-1])
		})
		return emails, err
	},
	changed: func(ctx context.Context, tx *Tx, before, after *billing.Account) error {
		if before == nil || after == nil || before.Name == after.Name && deref(before.Code) == deref(after.Code) {
			return nil
		}
		return reindexSubscriptions(ctx, tx, "account_id", int64(after.ID))
	},
	filters: map[string]field{
		"entity": {"entity_id", refer, []string{"entity"}}, "currency": {"currency_id", currency, nil},
		"billingDay": {"billing_day", number, nil},
	},
	indexed: true,
})

// reindexAccount brings what free words match up to date with the account's
// contacts. It locks the account before it looks: of two transactions that
// change contacts of it at once, the second must see what the first did.
func reindexAccount(ctx context.Context, tx *Tx, id billing.AccountID) error {
	a, err := Accounts.first(ctx, tx.Queries, Accounts.byIDText+tx.Dialect.ForNoKeyUpdate, int64(id))
	if err != nil || a == nil {
		return err
	}
	search, err := Accounts.searchOf(ctx, tx, a)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE account SET search = $1 WHERE id = $2`, search, int64(id))
	return err
}

// AccountsWithBillingContact counts the accounts that a contact is the billing
// contact of.
func AccountsWithBillingContact(ctx context.Context, q Queries, a billing.AccountID, c billing.ContactID) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM account WHERE id = $1 AND billing_contact_id = $2`, int64(a), int64(c))
}
