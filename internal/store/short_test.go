package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestShortWordBesideATerm looks for a letter among the contacts of one account:
// those of the account are looked at if the letter is in thousands of contacts,
// those with the letter if it is in few.
func TestShortWordBesideATerm(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := db.Open(t)
		var few, many *billing.Account
		write(t, s, func(ctx context.Context, tx *store.Tx) {
			m := maker{ctx, tx}
			few, many = m.account("Few"), m.account("Many")
			m.contact(few.ID, "Ann", nil)
			m.contact(few.ID, "Eve", nil)
			m.contact(many.ID, "Q", nil)
			ann := m.contact(many.ID, "Ann", nil)
			const copies = `INSERT INTO contact (account_id, first_name, created_at, updated_at, search)
				WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 6000)
				SELECT account_id, first_name, created_at, updated_at, search FROM contact, n WHERE id = $1`
			_, err := store.Exec(ctx, tx, copies, int64(ann.ID))
			must(err)
		})
		analyze(t, s)
		const byAccount, byWord = "SEARCH contact USING INDEX contact_account (account_id=?); ! SEARCH contact USING INTEGER PRIMARY KEY", "SEARCH contact USING INTEGER PRIMARY KEY (rowid=?)"
		for _, c := range []struct {
			name             string
			account          billing.AccountID
			word             string
			sqlite, postgres string
			want             int
		}{
			{"a common letter", few.ID, "n", byAccount, "Index Scan using contact_account", 1},
			{"a rare letter", many.ID, "q", byWord, "Bitmap Index Scan on contact_pairs", 1},
			{"a letter of others", few.ID, "q", byWord, "", 0},
			{"a common letter of many", many.ID, "n", byAccount, "", 51},
		} {
			p := plan{name: c.name, sqlite: c.sqlite, postgres: c.postgres, ask: func(ctx context.Context, q store.Queries) error {
				contacts, err := store.Contacts.List(ctx, q, store.Page{Filter: both(words(c.word), byID("account", fmt.Sprint(c.account))), Limit: 51})
				same(t, c.name, len(contacts), c.want)
				return err
			}}
			if problem := p.check(t, s); problem != "" {
				t.Error(problem)
			}
		}
	})
}
