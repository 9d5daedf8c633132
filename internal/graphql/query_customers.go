package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/store"
)

func (r query) Account(ctx context.Context, id *int64, code *string) (*node.Account, error) {
	row, err := byIDOrCode(ctx, r.resolver, store.Accounts, id, code, store.AccountByCode)
	return one(row, err, r.reader.Accounts)
}

func (r query) Accounts(ctx context.Context, filter *string, limit *int) ([]*node.Account, error) {
	return list(ctx, r.resolver, store.Accounts, r.reader.Accounts, filter, limit)
}

func (r query) AccountsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.AccountConnection, error) {
	id := func(n *node.Account) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Accounts, r.reader.Accounts, id, first, after, filter)
}

func (r query) Contact(ctx context.Context, id *int64, code *string) (*node.Contact, error) {
	row, err := byIDOrCode(ctx, r.resolver, store.Contacts, id, code, store.ContactByCode)
	return one(row, err, r.reader.Contacts)
}

func (r query) Contacts(ctx context.Context, filter *string, limit *int) ([]*node.Contact, error) {
	return list(ctx, r.resolver, store.Contacts, r.reader.Contacts, filter, limit)
}

func (r query) ContactsConnection(ctx context.Context, first *int, after *string, filter *string) (*node.ContactConnection, error) {
	id := func(n *node.Contact) int64 { return int64(n.ID) }
	return connect(ctx, r.resolver, store.Contacts, r.reader.Contacts, id, first, after, filter)
}
