package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// InvoiceItems keeps document.Item.
var InvoiceItems = newTable(Table[document.Item, billing.InvoiceItemID]{
	name: "invoice_item",
	id:   func(i *document.Item) *billing.InvoiceItemID { return &i.ID },
	columns: []string{
		"invoice_id", "position", "kind", "subscription_id", "charge_id", "period_from", "period_to", "tenant_code", "code", "line_text", "feature",
		"unit_name", "quantity", "previous_quantity", "price", "start_date", "end_date", "days", "period_days", "tax_code", "tax_category", "tax_rate",
		"tax_reason", "priced", "inclusive", "amount", "explanation", "credited", "written_off",
	},
	fields: func(i *document.Item) []any {
		return []any{
			&i.InvoiceID, &i.Position, &i.Kind, &i.SubscriptionID, &i.ChargeID, column.DayOrNone(&i.PeriodFrom), column.DayOrNone(&i.PeriodTo), &i.TenantCode, &i.Code, &i.LineText, &i.Feature,
			&i.UnitName, &i.Quantity, &i.PreviousQuantity, &i.Price, column.DayOrNone(&i.StartDate), column.DayOrNone(&i.EndDate), &i.Days, &i.PeriodDays,
			&i.TaxCode, &i.Tax.Category, &i.Tax.Percent, &i.Tax.Reason, &i.Priced, &i.Inclusive, &i.Amount, column.OptionalJSON(&i.Explanation), &i.Credited, &i.WrittenOff,
		}
	},
	filters: map[string]field{"invoice": {"invoice_id", number, nil}, "subscription": {"subscription_id", number, nil}},
})

// ItemsOf returns the items of invoices, in the order of invoices and positions,
// however many they are.
func ItemsOf(ctx context.Context, q Queries, invoices []billing.InvoiceID) ([]document.Item, error) {
	columns, scan := InvoiceItems.Projection(nil)
	text := `SELECT ` + columns + ` FROM invoice_item WHERE invoice_id IN (SELECT value FROM json_each($1)) ORDER BY invoice_id, position`
	return InvoiceItems.rows(ctx, q, text, []any{db.JSONList(invoices)}, len(invoices), scan)
}

// ItemsAfter returns at most limit items of an invoice after a position, in order.
func ItemsAfter(ctx context.Context, q Queries, id billing.InvoiceID, position, limit int) ([]document.Item, error) {
	columns, scan := InvoiceItems.Projection(nil)
	text := `SELECT ` + columns + ` FROM invoice_item WHERE invoice_id = $1 AND position > $2 ORDER BY position LIMIT $3`
	return InvoiceItems.rows(ctx, q, text, []any{int64(id), position, limit}, 0, scan)
}

// ItemsOfSubscription returns the items on issued invoices that were billed for a
// subscription, oldest first.
func ItemsOfSubscription(ctx context.Context, q Queries, id billing.SubscriptionID) ([]document.Item, error) {
	columns, scan := InvoiceItems.Projection(nil)
	text := `SELECT ` + columns + ` FROM invoice_item WHERE subscription_id = $1
		AND EXISTS (SELECT 1 FROM invoice WHERE invoice.id = invoice_item.invoice_id AND number <> '') ORDER BY id`
	return InvoiceItems.rows(ctx, q, text, []any{int64(id)}, 0, scan)
}

// ItemsOfKeys returns the items on issued invoices that were billed for keys of
// subscriptions, oldest first.
func ItemsOfKeys(ctx context.Context, q Queries, keys []LedgerRef) ([]document.Item, error) {
	var subscriptions []billing.SubscriptionID
	wanted := make(map[LedgerRef]bool, len(keys))
	for _, k := range keys {
		wanted[k] = true
		subscriptions = append(subscriptions, k.SubscriptionID)
	}
	columns, scan := InvoiceItems.Projection(nil)
	text := `SELECT ` + columns + ` FROM invoice_item WHERE subscription_id IN (SELECT value FROM json_each($1))
		AND period_from >= $2 AND EXISTS (SELECT 1 FROM invoice WHERE invoice.id = invoice_item.invoice_id AND number <> '') ORDER BY id`
	first := ""
	for n, k := range keys {
		if from := k.Key.Period.From.String(); n == 0 || from < first {
			first = from
		}
	}
	items, err := InvoiceItems.rows(ctx, q, text, []any{db.JSONList(subscriptions), first}, len(keys), scan)
	var found []document.Item
	for n := range items {
		i := &items[n]
		if key, counted := i.Key(); counted && i.SubscriptionID != nil && wanted[LedgerRef{*i.SubscriptionID, key}] {
			found = append(found, *i)
		}
	}
	return found, err
}
