package node

import (
	"context"
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/store"
)

// Number is none while the invoice is a draft.
func (i *Invoice) Number() *string { return textOrNone(i.Invoice.Number) }

// State is where the invoice is in its life, today.
func (i *Invoice) State(ctx context.Context) (document.InvoiceState, error) {
	if i.ID == 0 { // in a preview
		return i.Invoice.StateForetold(), nil
	}
	today, err := together(i.group, "today", func(rows []document.Invoice) (func(*billing.TestClockID) billing.Date, error) {
		clocks := keys(rows, maybe(func(i *document.Invoice) *billing.TestClockID { return i.TestClockID }))
		return i.group.reader.Service.Calendar.Today(ctx, clocks)
	})
	if err != nil {
		return "", err
	}
	return i.Invoice.State(today(i.TestClockID)), nil
}

// CurrencyID is that of all amounts.
func (i *Invoice) CurrencyID() string { return i.Currency.Code }

// IssuedAt is none while the invoice is a draft.
func (i *Invoice) IssuedAt() *billing.Date { return dateOrNone(i.Invoice.IssuedAt) }

// DueAt is none while the invoice is a draft.
func (i *Invoice) DueAt() *billing.Date { return dateOrNone(i.Invoice.DueAt) }

// PeriodStart is the first day of its items.
func (i *Invoice) PeriodStart() *billing.Date { return dateOrNone(i.Invoice.PeriodStart) }

// PeriodEnd is the last day of its items.
func (i *Invoice) PeriodEnd() *billing.Date { return dateOrNone(i.Invoice.PeriodEnd) }

// Subtotal is the net amount.
func (i *Invoice) Subtotal() string { return i.Currency.Format(i.Invoice.Subtotal) }

// TaxAmount is the tax.
func (i *Invoice) TaxAmount() string { return i.Currency.Format(i.Invoice.TaxAmount) }

// Amount is the gross amount.
func (i *Invoice) Amount() string { return i.Currency.Format(i.Invoice.Amount) }

// Credits is what credit notes pay of it.
func (i *Invoice) Credits() string { return i.Currency.Format(i.Invoice.Credits) }

// AmountPaid is what payments pay of it.
func (i *Invoice) AmountPaid() string { return i.Currency.Format(i.Invoice.AmountPaid) }

// AmountDue is what is left to pay.
func (i *Invoice) AmountDue() string { return i.Currency.Format(i.Invoice.AmountDue()) }

// Taxes are its tax groups.
func (i *Invoice) Taxes() []TaxGroup { return taxGroups(i.Currency, i.Invoice.Taxes) }

// Seller is the entity as it was at issue.
func (i *Invoice) Seller() any { return jsonOrNone(i.Invoice.Seller) }

// Buyer is the account as it was at issue.
func (i *Invoice) Buyer() any { return jsonOrNone(i.Invoice.Buyer) }

// Notes is text that is printed on the invoice.
func (i *Invoice) Notes() *string { return textOrNone(i.Invoice.Notes) }

// PoNumber is the customer's purchase order number.
func (i *Invoice) PoNumber() *string { return textOrNone(i.PONumber) }

// BuyerReference is what the customer wants to find on its invoices.
func (i *Invoice) BuyerReference() *string { return textOrNone(i.Invoice.BuyerReference) }

// Test says whether the invoice is only a test.
func (i *Invoice) Test() bool { return i.TestClockID != nil }

// Hash is none while the invoice is a draft, and if it was imported.
func (i *Invoice) Hash() *string { return hashOf(i.chained(), i.Invoice.Hash) }

// PreviousHash is none while the invoice is a draft, and if it was imported.
func (i *Invoice) PreviousHash() *string { return hashOf(i.chained(), i.Previous) }

// chained is the number of the invoice if that is one of a series.
func (i *Invoice) chained() string {
	if i.Kind == document.ImportedInvoice {
		return ""
	}
	return i.Invoice.Number
}

// hashOf is the hash of a document, if that has a number.
func hashOf(number string, hash document.Hash) *string {
	if number == "" {
		return nil
	}
	text := hash.String()
	return &text
}

func invoiceID(i *document.Invoice) billing.InvoiceID { return i.ID }

// InvoiceItems are the items of the invoice in their order. Those of a preview are
// at hand.
func (i *Invoice) InvoiceItems(ctx context.Context) ([]*InvoiceItem, error) {
	r := i.group.reader
	if i.ID == 0 {
		items := r.InvoiceItems(i.Items)
		for _, item := range items {
			item.own = &i.Currency
		}
		return items, nil
	}
	of, err := together(i.group, "invoiceItems", func(rows []document.Invoice) (map[billing.InvoiceID][]*InvoiceItem, error) {
		found, err := store.ChildrenOf(ctx, r.q(), store.InvoiceItems, "invoiceId", keys(rows, always(invoiceID)), billing.Filter{})
		items := r.InvoiceItems(found)
		if len(items) > 0 {
			_, _ = together(items[0].group, "invoice", func([]document.Item) (map[billing.InvoiceID]*Invoice, error) { return i.known(), nil })
		}
		return gather(items, func(item *InvoiceItem) billing.InvoiceID { return item.InvoiceID }), err
	})
	return of[i.ID], err
}

// known are the invoices of the group, which need not be loaded again for what
// belongs to them.
func (i *Invoice) known() map[billing.InvoiceID]*Invoice {
	byID := make(map[billing.InvoiceID]*Invoice, len(i.group.rows))
	for n := range i.group.rows {
		byID[i.group.rows[n].ID] = &Invoice{&i.group.rows[n], i.group}
	}
	return byID
}

// CreditNotes are the credit notes with a credit on one of its items.
func (i *Invoice) CreditNotes(ctx context.Context) ([]*CreditNote, error) {
	r := i.group.reader
	of, err := together(i.group, "creditNotes", func(rows []document.Invoice) (map[billing.InvoiceID][]*CreditNote, error) {
		items, err := store.ChildrenOf(ctx, r.q(), store.CreditNoteItems, "invoiceId", keys(rows, always(invoiceID)), billing.Filter{})
		if err != nil {
			return nil, err
		}
		notes, err := r.creditNotesByID(ctx, keys(items, always(func(c *document.CreditItem) billing.CreditNoteID { return c.CreditNoteID })))
		of := map[billing.InvoiceID][]*CreditNote{}
		for n := range items {
			note, known := notes[items[n].CreditNoteID], of[items[n].InvoiceID]
			if note != nil && (len(known) == 0 || known[len(known)-1] != note) { // the items of a credit note are together
				of[items[n].InvoiceID] = append(known, note)
			}
		}
		return of, err
	})
	return of[i.ID], err
}

// PaymentApplications are what pays for the invoice.
func (i *Invoice) PaymentApplications(ctx context.Context) ([]*PaymentApplication, error) {
	return applications(ctx, i.group, i.ID, "invoiceId", invoiceID, func(a *PaymentApplication) billing.InvoiceID { return a.InvoiceID })
}

// Invoices are the invoices of the account.
func (a *Account) Invoices(ctx context.Context, filter *string) ([]*Invoice, error) {
	r := a.group.reader
	of, err := together(a.group, "invoices "+text(filter), func(rows []billing.Account) (map[billing.AccountID][]*Invoice, error) {
		parsed, err := billing.ParseFilter(text(filter))
		if err != nil {
			return nil, err
		}
		if parsed, err = r.Service.Invoicing.InvoiceFilter(ctx, parsed); err != nil {
			return nil, err
		}
		found, err := store.ChildrenOf(ctx, r.q(), store.Invoices, "accountId", keys(rows, always(accountID)), parsed)
		return gather(r.Invoices(found), func(i *Invoice) billing.AccountID { return i.AccountID }), err
	})
	return of[a.ID], err
}

func accountID(a *billing.Account) billing.AccountID { return a.ID }

// InvoiceItem is an item of an invoice, in the API.
type InvoiceItem struct {
	*document.Item
	group *group[document.Item]
	own   *money.Currency // of what is on no invoice yet
}

// InvoiceItems makes nodes of rows that were loaded together.
func (r *Reader) InvoiceItems(rows []document.Item) []*InvoiceItem {
	return wrap(r, rows, func(row *document.Item, g *group[document.Item]) InvoiceItem { return InvoiceItem{row, g, nil} })
}

// CurrencyID is that of its amounts.
func (i *InvoiceItem) CurrencyID(ctx context.Context) (string, error) {
	currency, err := i.currency(ctx)
	return currency.Code, err
}

// currency is that of the item's invoice.
func (i *InvoiceItem) currency(ctx context.Context) (money.Currency, error) {
	if i.own != nil {
		return *i.own, nil
	}
	invoice, err := i.Invoice(ctx)
	if err != nil || invoice == nil {
		return money.Currency{}, err
	}
	return invoice.Currency, nil
}

// TenantCode is that of the subscription's tenant when it was billed.
func (i *InvoiceItem) TenantCode() *string { return textOrNone(i.Item.TenantCode) }

// PriceListCharge is what the item is for, if that is still there.
func (i *InvoiceItem) PriceListCharge(ctx context.Context) (*PriceListCharge, error) {
	return oneIfAny(ctx, i.group, "priceListCharge", i.ChargeID, func(row *document.Item) *billing.ChargeID { return row.ChargeID }, (*Reader).priceListChargesByID)
}

func (r *Reader) priceListChargesByID(ctx context.Context, ids []billing.ChargeID) (map[billing.ChargeID]*PriceListCharge, error) {
	found, err := store.Charges.ByIDs(ctx, r.q(), ids)
	return index(r.PriceListCharges(found), func(n *PriceListCharge) billing.ChargeID { return n.ID }), err
}

// Code is that of the charge when it was billed.
func (i *InvoiceItem) Code() *string { return textOrNone(i.Item.Code) }

// Feature is the name of the feature that was priced.
func (i *InvoiceItem) Feature() *string { return textOrNone(i.Item.Feature) }

// UnitName is what one unit is called.
func (i *InvoiceItem) UnitName() *string { return textOrNone(i.Item.UnitName) }

// Price is the price of a unit with the digits of its currency, if there is one.
func (i *InvoiceItem) Price(ctx context.Context) (*string, error) {
	if i.Item.Price == nil {
		return nil, nil
	}
	currency, err := i.currency(ctx)
	text := i.Item.Price.In(currency.Code)
	return &text, err
}

// StartDate is the first day that is billed.
func (i *InvoiceItem) StartDate() *billing.Date { return dateOrNone(i.Item.StartDate) }

// EndDate is the last day that is billed.
func (i *InvoiceItem) EndDate() *billing.Date { return dateOrNone(i.Item.EndDate) }

// Amount is the net amount.
func (i *InvoiceItem) Amount(ctx context.Context) (string, error) {
	currency, err := i.currency(ctx)
	return currency.Format(i.Item.Amount), err
}

// CreditedAmount is how much of it was credited.
func (i *InvoiceItem) CreditedAmount(ctx context.Context) (string, error) {
	currency, err := i.currency(ctx)
	return currency.Format(i.Credited), err
}

// TaxCategory is the category of its tax.
func (i *InvoiceItem) TaxCategory() tax.Category { return i.Tax.Category }

// TaxRate is the rate of its tax in percent.
func (i *InvoiceItem) TaxRate() string { return string(i.Tax.Percent) }

// Explanation is how the amount came about.
func (i *InvoiceItem) Explanation() any { return jsonOrNone(i.Item.Explanation) }

// TaxGroup is what items with the same tax add up to, in the API.
type TaxGroup struct {
	Category       tax.Category
	Rate, Net, Tax string
	Reason         *string
}

func taxGroups(c money.Currency, groups []tax.Group) []TaxGroup {
	shown := make([]TaxGroup, len(groups))
	for n, g := range groups {
		shown[n] = TaxGroup{Category: g.Category, Rate: string(g.Percent), Net: c.Format(g.Net), Tax: c.Format(g.Tax), Reason: textOrNone(g.Reason)}
	}
	return shown
}

func textOrNone(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func dateOrNone(d billing.Date) *billing.Date {
	if d == (billing.Date{}) {
		return nil
	}
	return &d
}

func jsonOrNone(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	return text
}
