package graphql

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
)

func (r query) Invoice(ctx context.Context, id *int64, number *string) (*node.Invoice, error) {
	row, err := byIDOrNumber(ctx, r.resolver, store.Invoices, id, number, store.InvoiceByNumber)
	return one(row, err, r.reader.Invoices)
}

func (r query) CreditNote(ctx context.Context, id *int64, number *string) (*node.CreditNote, error) {
	row, err := byIDOrNumber(ctx, r.resolver, store.CreditNotes, id, number, store.CreditNoteByNumber)
	return one(row, err, r.reader.CreditNotes)
}

// byIDOrNumber finds a document by whichever the caller gave; both must mean the
// same one.
func byIDOrNumber[T any, K ~int64](ctx context.Context, r *resolver, table *store.Table[T, K], id *int64, number *string,
	byNumber func(ctx context.Context, q store.Queries, number string) (*T, error),
) (*T, error) {
	switch {
	case id == nil && number == nil:
		return nil, billing.Fail(billing.Required, "id", "Give an id or a number.")
	case number == nil:
		return table.Get(ctx, r.q(), K(*id))
	}
	row, err := byNumber(ctx, r.q(), *number)
	if err != nil || row == nil || id == nil || table.ID(row) == K(*id) {
		return row, err
	}
	return nil, nil
}

func (r query) Invoices(ctx context.Context, filter *string, limit *int) ([]*node.Invoice, error) {
	page, err := pageOf(filter, "limit", limit)
	if err != nil {
		return nil, err
	}
	rows, err := r.listInvoices(ctx, r.q(), page)
	return r.reader.Invoices(rows), err
}

func (r query) InvoicesConnection(ctx context.Context, first *int, after *string, filter *string) (*node.InvoiceConnection, error) {
	id := func(n *node.Invoice) int64 { return int64(n.ID) }
	count := func(ctx context.Context, q store.Queries, filter billing.Filter) (int, error) {
		filter, err := r.service.Invoicing.InvoiceFilter(ctx, filter)
		if err != nil {
			return 0, err
		}
		return store.Invoices.Count(ctx, q, filter)
	}
	return connectBy(ctx, r.resolver, r.listInvoices, count, r.reader.Invoices, id, first, after, filter)
}

func (r query) listInvoices(ctx context.Context, q store.Queries, page store.Page) (rows []document.Invoice, err error) {
	if page.Filter, err = r.service.Invoicing.InvoiceFilter(ctx, page.Filter); err != nil {
		return nil, err
	}
	return store.Invoices.List(ctx, q, page)
}

func (r query) PendingItem(ctx context.Context, id int64) (*node.PendingItem, error) {
	row, err := store.PendingItems.Get(ctx, r.q(), billing.PendingItemID(id))
	return one(row, err, r.reader.PendingItems)
}

func (r query) BillingEvents(ctx context.Context, after *int64, limit *int) ([]*node.BillingEvent, error) {
	page, err := pageOf(nil, "limit", limit)
	if err != nil {
		return nil, err
	}
	page.After = valueOf(after)
	rows, err := store.BillingEvents.List(ctx, r.q(), page)
	return r.reader.BillingEvents(rows), err
}

func (r query) InvoicePreview(ctx context.Context, accountID int64, on *string) (*node.BillingPreview, error) {
	day, problems := oneDate("on", on)
	preview, err := ifRight(problems, func() (*invoicing.Preview, error) {
		return r.service.Invoicing.InvoicePreview(ctx, billing.AccountID(accountID), day)
	})
	return r.reader.BillingPreview(preview), err
}

func (r query) AccruedItems(ctx context.Context, accountID int64) ([]*node.InvoiceItem, error) {
	items, err := r.service.Invoicing.AccruedItems(ctx, billing.AccountID(accountID))
	return r.reader.AccruedItems(items), err
}

func (r query) DocumentsVerify(ctx context.Context, entityID *int64, from *string) (*node.Verification, error) {
	day, problems := oneDate("from", from)
	found, err := ifRight(problems, func() (*invoicing.Verification, error) {
		var entity *billing.EntityID
		if entityID != nil {
			entity = new(billing.EntityID(*entityID))
		}
		return r.service.Invoicing.DocumentsVerify(ctx, entity, day, nil)
	})
	if err != nil {
		return nil, err
	}
	return &node.Verification{Verification: found}, nil
}
