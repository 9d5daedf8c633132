package store_test

import (
	"context"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

func testAccounts(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b *billing.Account
	var c *billing.Contact
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A"), m.account("B")
		c = m.contact(a.ID, "C", nil)
		a.Code, a.BillingContactID = ptr("Ä-1"), &c.ID
		must(store.Accounts.Update(ctx, tx, a))
	})
	same(t, "Accounts.ByCode", got[*billing.Account](t)(store.Accounts.ByCode(ctx, q, "Ä-1")), a)
	// "A" and a separate diaeresis look the same, but codes are compared as they are.
	for _, code := range []string{"ä-1", "A\u0308-1", "Ä-1 ", ""} {
		if found := got[*billing.Account](t)(store.Accounts.ByCode(ctx, q, code)); found != nil {
			t.Errorf("Accounts.ByCode(%q) found account %d", code, found.ID)
		}
	}
	for _, one := range []struct {
		account billing.AccountID
		contact billing.ContactID
		want    int
	}{{a.ID, c.ID, 1}, {b.ID, c.ID, 0}, {a.ID, c.ID + 1, 0}} {
		if n := got[int](t)(store.AccountsWithBillingContact(ctx, q, one.account, one.contact)); n != one.want {
			t.Errorf("AccountsWithBillingContact(%d, %d) is %d, want %d", one.account, one.contact, n, one.want)
		}
	}
}

func testContacts(t *testing.T, db *storetest.Database) {
	s := db.Open(t)
	ctx, q := t.Context(), s.Queries()
	var a, b *billing.Account
	var first, second, other *billing.Contact
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		m := maker{ctx, tx}
		a, b = m.account("A"), m.account("B")
		first, second, other = m.contact(a.ID, "First", nil), m.contact(a.ID, "Second", nil), m.contact(b.ID, "Other", nil)
		for _, c := range []*billing.Contact{second, other} {
			c.Code = ptr("same")
			must(store.Contacts.Update(ctx, tx, c))
		}
	})
	same(t, "Contacts.ByCode", got[*billing.Contact](t)(store.Contacts.ByCode(ctx, q, "same")), second)
	same(t, "Contacts.ByCode", got[*billing.Contact](t)(store.Contacts.ByCode(ctx, q, "none")), (*billing.Contact)(nil))
	contacts := func(accounts ...billing.AccountID) []billing.Contact {
		return got[[]billing.Contact](t)(store.ChildrenOf(ctx, q, store.Contacts, "accountId", accounts, billing.Filter{}))
	}
	same(t, "contacts of a and b", contacts(b.ID, a.ID), []billing.Contact{*first, *second, *other})
	same(t, "contacts of b", contacts(b.ID), []billing.Contact{*other})
	same(t, "contacts of nobody", contacts(), []billing.Contact{})
	write(t, s, func(ctx context.Context, tx *store.Tx) {
		n, err := store.DeleteContactsOf(ctx, tx, a.ID)
		must(err)
		if n != 2 {
			t.Errorf("DeleteContactsOf deleted %d contacts, want 2", n)
		}
	})
	same(t, "contacts after DeleteContactsOf", contacts(a.ID, b.ID), []billing.Contact{*other})
}
