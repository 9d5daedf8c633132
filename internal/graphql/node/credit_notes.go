package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/store"
)

// Reason is why it was issued, if somebody said.
func (c *CreditNote) Reason() *string { return textOrNone(c.CreditNote.Reason) }

// CurrencyID is that of all amounts.
func (c *CreditNote) CurrencyID() string { return c.Currency.Code }

// Subtotal is the net amount.
func (c *CreditNote) Subtotal() string { return c.Currency.Format(c.CreditNote.Subtotal) }

// TaxAmount is the tax.
func (c *CreditNote) TaxAmount() string { return c.Currency.Format(c.CreditNote.TaxAmount) }

// Amount is the gross amount.
func (c *CreditNote) Amount() string { return c.Currency.Format(c.CreditNote.Amount) }

// AmountApplied is how much of it pays for invoices.
func (c *CreditNote) AmountApplied() string { return c.Currency.Format(c.CreditNote.AmountApplied) }

// AmountUnapplied is how much of it waits.
func (c *CreditNote) AmountUnapplied() string {
	return c.Currency.Format(c.CreditNote.AmountUnapplied())
}

// Taxes are its tax groups.
func (c *CreditNote) Taxes() []TaxGroup { return taxGroups(c.Currency, c.CreditNote.Taxes) }

// Seller is the entity as it was at issue.
func (c *CreditNote) Seller() any { return jsonOrNone(c.CreditNote.Seller) }

// Buyer is the account as it was at issue.
func (c *CreditNote) Buyer() any { return jsonOrNone(c.CreditNote.Buyer) }

// Test says whether the credit note is only a test.
func (c *CreditNote) Test() bool { return c.TestClockID != nil }

// Number is none in a preview.
func (c *CreditNote) Number() *string { return textOrNone(c.CreditNote.Number) }

// Hash is none in a preview.
func (c *CreditNote) Hash() *string { return hashOf(c.CreditNote.Number, c.CreditNote.Hash) }

// PreviousHash is none in a preview.
func (c *CreditNote) PreviousHash() *string { return hashOf(c.CreditNote.Number, c.Previous) }

func creditNoteID(c *document.CreditNote) billing.CreditNoteID { return c.ID }

// CreditNoteItem is a credit on an item of an invoice, in the API.
type CreditNoteItem struct {
	*document.CreditItem
	group    *group[document.CreditItem]
	currency money.Currency
}

// CreditNoteItems are the items of the credit note in their order.
func (c *CreditNote) CreditNoteItems(ctx context.Context) ([]*CreditNoteItem, error) {
	if c.ID == 0 { // those of a preview are at hand
		return c.group.reader.creditNoteItems(c.Items, func(*document.CreditItem) money.Currency { return c.Currency }), nil
	}
	of, err := c.items(ctx)
	return of[c.ID], err
}

// items are those of all credit notes of the group.
func (c *CreditNote) items(ctx context.Context) (map[billing.CreditNoteID][]*CreditNoteItem, error) {
	r := c.group.reader
	return together(c.group, "creditNoteItems", func(rows []document.CreditNote) (map[billing.CreditNoteID][]*CreditNoteItem, error) {
		found, err := store.ChildrenOf(ctx, r.q(), store.CreditNoteItems, "creditNoteId", keys(rows, always(creditNoteID)), billing.Filter{})
		currencies := make(map[billing.CreditNoteID]money.Currency, len(rows))
		for n := range rows {
			currencies[rows[n].ID] = rows[n].Currency
		}
		items := r.creditNoteItems(found, func(row *document.CreditItem) money.Currency { return currencies[row.CreditNoteID] })
		return gather(items, func(i *CreditNoteItem) billing.CreditNoteID { return i.CreditNoteID }), err
	})
}

func (r *Reader) creditNoteItems(rows []document.CreditItem, currency func(*document.CreditItem) money.Currency) []*CreditNoteItem {
	return wrap(r, rows, func(row *document.CreditItem, g *group[document.CreditItem]) CreditNoteItem {
		return CreditNoteItem{row, g, currency(row)}
	})
}

// CreditedInvoices are the invoices with an item that it credits.
func (c *CreditNote) CreditedInvoices(ctx context.Context) ([]*Invoice, error) {
	items, err := c.CreditNoteItems(ctx)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	byID, err := together(items[0].group, "invoices", func(rows []document.CreditItem) (map[billing.InvoiceID]*Invoice, error) {
		return c.group.reader.invoicesByID(ctx, keys(rows, always(func(i *document.CreditItem) billing.InvoiceID { return i.InvoiceID })))
	})
	var invoices []*Invoice
	seen := map[billing.InvoiceID]bool{}
	for _, item := range items {
		if i := byID[item.InvoiceID]; i != nil && !seen[i.ID] {
			seen[i.ID], invoices = true, append(invoices, i)
		}
	}
	return invoices, err
}

// PaymentApplications are what the credit note pays for.
func (c *CreditNote) PaymentApplications(ctx context.Context) ([]*PaymentApplication, error) {
	return applications(ctx, c.group, c.ID, "creditNoteId", creditNoteID, func(a *PaymentApplication) billing.CreditNoteID { return *a.CreditNoteID })
}

// CreditedItem is the item that is credited, if it is one.
func (i *CreditNoteItem) CreditedItem(ctx context.Context) (*InvoiceItem, error) {
	return oneIfAny(ctx, i.group, "creditedItem", i.ItemID, func(row *document.CreditItem) *billing.InvoiceItemID { return row.ItemID }, (*Reader).invoiceItemsByID)
}

func (r *Reader) invoiceItemsByID(ctx context.Context, ids []billing.InvoiceItemID) (map[billing.InvoiceItemID]*InvoiceItem, error) {
	found, err := store.InvoiceItems.ByIDs(ctx, r.q(), ids)
	return index(r.InvoiceItems(found), func(n *InvoiceItem) billing.InvoiceItemID { return n.ID }), err
}

// ItemPosition is the place of the item that is credited, if it is one.
func (i *CreditNoteItem) ItemPosition() *int {
	if i.CreditItem.ItemPosition == 0 {
		return nil
	}
	return &i.CreditItem.ItemPosition
}

// StartDate is the first day that is credited.
func (i *CreditNoteItem) StartDate() *billing.Date { return dateOrNone(i.CreditItem.StartDate) }

// EndDate is the last day that is credited.
func (i *CreditNoteItem) EndDate() *billing.Date { return dateOrNone(i.CreditItem.EndDate) }

// Amount is the net amount.
func (i *CreditNoteItem) Amount() string { return i.currency.Format(i.CreditItem.Amount) }

// TaxCategory is the category of its tax.
func (i *CreditNoteItem) TaxCategory() tax.Category { return i.Tax.Category }

// TaxRate is the rate of its tax in percent.
func (i *CreditNoteItem) TaxRate() string { return string(i.Tax.Percent) }

// Explanation is how the amount came about.
func (i *CreditNoteItem) Explanation() any { return jsonOrNone(i.CreditItem.Explanation) }
