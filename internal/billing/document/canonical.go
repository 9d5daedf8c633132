package document

import (
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// A document is hashed as compact JSON of everything in it that cannot change, in
// the order of the schema, with amounts as text. States and what is applied
// change, and ids depend on the database; they are left out.

// Canonical is the invoice as it is hashed.
func (i *Invoice) Canonical() ([]byte, error) {
	f := i.Currency.Format
	w := newWriter(len(i.Items))
	w.text("uuid", i.UUID)
	w.text("number", i.Number)
	w.text("kind", string(i.Kind))
	w.integer("entityId", int64(i.EntityID))
	w.integer("accountId", int64(i.AccountID))
	w.text("currencyId", i.Currency.Code)
	w.text("issuedAt", i.IssuedAt.String())
	w.text("dueAt", i.DueAt.String())
	w.text("periodStart", i.PeriodStart.String())
	w.text("periodEnd", i.PeriodEnd.String())
	w.text("subtotal", f(i.Subtotal))
	w.text("taxAmount", f(i.TaxAmount))
	w.text("amount", f(i.Amount))
	w.text("appliedAtIssue", f(i.AppliedAtIssue))
	w.list("invoiceItems", len(i.Items), func(n int) { i.Items[n].write(w, n+1, i.Currency) })
	writeTaxes(w, i.Currency, i.Taxes)
	w.raw("seller", i.Seller)
	w.raw("buyer", i.Buyer)
	w.text("notes", i.Notes)
	w.text("poNumber", i.PONumber)
	w.text("buyerReference", i.BuyerReference)
	w.text("locale", i.Locale)
	return w.end()
}

func (i *Item) write(w *writer, position int, c money.Currency) {
	w.integer("position", int64(position))
	w.text("kind", string(i.Kind))
	optionalInteger(w, "subscriptionId", i.SubscriptionID)
	w.text("tenantCode", i.TenantCode)
	optionalInteger(w, "priceListChargeId", i.ChargeID)
	w.text("code", i.Code)
	w.text("lineText", i.LineText)
	w.text("feature", i.Feature)
	w.text("unitName", i.UnitName)
	w.text("quantity", i.Quantity)
	optionalText(w, "previousQuantity", i.PreviousQuantity)
	optionalText(w, "price", i.Price)
	w.text("startDate", i.StartDate.String())
	w.text("endDate", i.EndDate.String())
	w.integer("days", int64(i.Days))
	w.integer("periodDays", int64(i.PeriodDays))
	w.text("amount", c.Format(i.Amount))
	if i.Inclusive {
		w.text("gross", c.Format(i.Priced))
	}
	w.text("taxCode", i.TaxCode)
	w.text("taxCategory", string(i.Tax.Category))
	w.text("taxRate", string(i.Tax.Percent))
	w.raw("explanation", i.Explanation)
}

// Canonical is the credit note as it is hashed.
func (c *CreditNote) Canonical() ([]byte, error) {
	f := c.Currency.Format
	w := newWriter(len(c.Items))
	w.text("uuid", c.UUID)
	w.text("number", c.Number)
	w.text("kind", string(c.Kind))
	w.text("reason", c.Reason)
	w.integer("entityId", int64(c.EntityID))
	w.integer("accountId", int64(c.AccountID))
	w.text("currencyId", c.Currency.Code)
	w.text("issuedAt", c.IssuedAt.String())
	w.text("subtotal", f(c.Subtotal))
	w.text("taxAmount", f(c.TaxAmount))
	w.text("amount", f(c.Amount))
	w.list("creditNoteItems", len(c.Items), func(n int) { c.Items[n].write(w, c.Currency) })
	writeTaxes(w, c.Currency, c.Taxes)
	w.raw("seller", c.Seller)
	w.raw("buyer", c.Buyer)
	return w.end()
}

func (i *CreditItem) write(w *writer, c money.Currency) {
	w.text("invoiceNumber", i.InvoiceNumber)
	w.integer("itemPosition", int64(i.ItemPosition))
	w.text("lineText", i.LineText)
	w.text("startDate", i.StartDate.String())
	w.text("endDate", i.EndDate.String())
	w.text("amount", c.Format(i.Amount))
	w.text("priced", c.Format(i.Priced))
	w.text("taxCategory", string(i.Tax.Category))
	w.text("taxRate", string(i.Tax.Percent))
	w.raw("explanation", i.Explanation)
}

func writeTaxes(w *writer, c money.Currency, groups []tax.Group) {
	w.list("taxes", len(groups), func(n int) {
		g := &groups[n]
		w.text("taxCategory", string(g.Category))
		w.text("taxRate", string(g.Percent))
		if g.Reason != "" {
			w.text("reason", g.Reason)
		}
		w.text("net", c.Format(g.Net))
		w.text("tax", c.Format(g.Tax))
	})
}
