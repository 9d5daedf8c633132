package node

import (
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// BillingPreview is what an account would be billed on a day, in the API.
type BillingPreview struct {
	preview *invoicing.Preview
	reader  *Reader
}

// BillingPreview makes a node of a preview, nil of none.
func (r *Reader) BillingPreview(p *invoicing.Preview) *BillingPreview {
	if p == nil {
		return nil
	}
	return &BillingPreview{p, r}
}

// On is the day.
func (b *BillingPreview) On() billing.Date { return b.preview.On }

// Invoices are those that would be issued.
func (b *BillingPreview) Invoices() []*Invoice {
	rows := make([]document.Invoice, len(b.preview.Invoices))
	for n, i := range b.preview.Invoices {
		rows[n] = *i
	}
	return b.reader.Invoices(rows)
}

// CreditNotes are those that would be issued.
func (b *BillingPreview) CreditNotes() []*CreditNote {
	return b.reader.CreditNotes(b.preview.CreditNotes)
}

// Totals has one for each currency.
func (b *BillingPreview) Totals() []BillingTotal {
	totals := make([]BillingTotal, len(b.preview.Totals))
	for n := range totals {
		totals[n] = BillingTotal{&b.preview.Totals[n]}
	}
	return totals
}

// only is the total of the only currency, nil if there are several.
func (b *BillingPreview) only(amount func(*BillingTotal) string) *string {
	if len(b.preview.Totals) != 1 {
		return nil
	}
	text := amount(&BillingTotal{&b.preview.Totals[0]})
	return &text
}

// Total is what invoices less credit notes come to.
func (b *BillingPreview) Total() *string { return b.only((*BillingTotal).Total) }

// CreditsApplied is what waiting credit pays.
func (b *BillingPreview) CreditsApplied() *string { return b.only((*BillingTotal).CreditsApplied) }

// AmountDue is what is left to pay.
func (b *BillingPreview) AmountDue() *string { return b.only((*BillingTotal).AmountDue) }

// BillingTotal is what a preview comes to in a currency, in the API.
type BillingTotal struct{ total *invoicing.Total }

// CurrencyID is the currency.
func (t *BillingTotal) CurrencyID() string { return t.total.Currency.Code }

// Total is what invoices less credit notes come to.
func (t *BillingTotal) Total() string { return t.total.Currency.Format(t.total.Amount) }

// CreditsApplied is what waiting credit pays.
func (t *BillingTotal) CreditsApplied() string {
	return t.total.Currency.Format(t.total.CreditsApplied)
}

// AmountDue is what is left to pay.
func (t *BillingTotal) AmountDue() string { return t.total.Currency.Format(t.total.AmountDue) }

// AccruedItems makes nodes of items that are on no document yet.
func (r *Reader) AccruedItems(items []invoicing.AccruedItem) []*InvoiceItem {
	rows := make([]document.Item, len(items))
	for n := range items {
		rows[n] = items[n].Item
	}
	nodes := r.InvoiceItems(rows)
	for n := range nodes {
		nodes[n].own = &items[n].Currency
	}
	return nodes
}

// ChangePreview is what a change of a subscription would bring, in the API.
type ChangePreview struct {
	Webhooks  []any
	Now, Next *BillingPreview
	Problem   *string
}

// ChangePreview makes a node of a preview.
func (r *Reader) ChangePreview(p *invoicing.ChangePreview) *ChangePreview {
	shown := &ChangePreview{Webhooks: []any{}, Now: r.BillingPreview(p.Now), Next: r.BillingPreview(p.Next), Problem: textOrNone(p.Problem)}
	for n := range p.Webhooks {
		shown.Webhooks = append(shown.Webhooks, json.RawMessage(p.Webhooks[n].Body))
	}
	return shown
}

// Verification is what came of recomputing documents, in the API.
type Verification struct{ *invoicing.Verification }
