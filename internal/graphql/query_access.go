package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/store"
)

func (r query) CurrentClient(ctx context.Context) (*node.CurrentClient, error) {
	p, _ := oauth.PrincipalOf(ctx)
	return &node.CurrentClient{ClientID: p.ClientID, Name: p.Name, Scopes: p.Scopes}, nil
}

func (r query) APIClient(ctx context.Context, id int64) (*node.ApiClient, error) {
	row, err := store.Clients.Get(ctx, r.q(), billing.ClientID(id))
	if row != nil && row.Deleted {
		row = nil
	}
	return one(row, err, r.reader.ApiClients)
}

func (r query) AuditEntries(ctx context.Context, filter *string, limit *int) ([]*node.AuditEntry, error) {
	page, err := pageOf(filter, "limit", limit)
	if err != nil {
		return nil, err
	}
	rows, err := listAudit(ctx, r.q(), page)
	return r.reader.AuditEntries(rows), err
}

func (r query) AuditEntriesConnection(ctx context.Context, first *int, after *string, filter *string) (*node.AuditEntryConnection, error) {
	id := func(n *node.AuditEntry) int64 { return int64(n.ID) }
	return connectBy(ctx, r.resolver, listAudit, store.CountAudit, r.reader.AuditEntries, id, first, after, filter)
}

// listAudit looks until a page is full.
func listAudit(ctx context.Context, q store.Queries, page store.Page) ([]billing.AuditEntry, error) {
	rows, _, err := store.ListAudit(ctx, q, page, 0)
	return rows, err
}
