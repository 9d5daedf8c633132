package document

import (
	"encoding/json"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// A document is hashed as compact JSON of everything in it that cannot change, in
// the order of the schema, with amounts as text. States and what is applied
// change, and ids depend on the database; they are left out.
type canonicalInvoice struct {
	UUID           string            `json:"uuid"`
	Number         string            `json:"number"`
	Kind           InvoiceKind       `json:"kind"`
	Entity         billing.EntityID  `json:"entityId"`
	Account        billing.AccountID `json:"accountId"`
	Currency       string            `json:"currencyId"`
	IssuedAt       billing.Date      `json:"issuedAt"`
	DueAt          billing.Date      `json:"dueAt"`
	PeriodStart    billing.Date      `json:"periodStart"`
	PeriodEnd      billing.Date      `json:"periodEnd"`
	Subtotal       string            `json:"subtotal"`
	TaxAmount      string            `json:"taxAmount"`
	Amount         string            `json:"amount"`
	Applied        string            `json:"appliedAtIssue"`
	Items          []canonicalItem   `json:"invoiceItems"`
	Taxes          []canonicalTax    `json:"taxes"`
	Seller         json.RawMessage   `json:"seller"`
	Buyer          json.RawMessage   `json:"buyer"`
	Notes          string            `json:"notes"`
	PONumber       string            `json:"poNumber"`
	BuyerReference string            `json:"buyerReference"`
	Locale         string            `json:"locale"`
}

type canonicalItem struct {
	Position         int                     `json:"position"`
	Kind             ItemKind                `json:"kind"`
	Subscription     *billing.SubscriptionID `json:"subscriptionId"`
	TenantCode       string                  `json:"tenantCode"`
	Charge           *billing.ChargeID       `json:"priceListChargeId"`
	Code             string                  `json:"code"`
	LineText         string                  `json:"lineText"`
	Feature          string                  `json:"feature"`
	UnitName         string                  `json:"unitName"`
	Quantity         string                  `json:"quantity"`
	PreviousQuantity *string                 `json:"previousQuantity"`
	Price            *billing.Price          `json:"price"`
	StartDate        billing.Date            `json:"startDate"`
	EndDate          billing.Date            `json:"endDate"`
	Days             int                     `json:"days"`
	PeriodDays       int                     `json:"periodDays"`
	Amount           string                  `json:"amount"`
	Gross            string                  `json:"gross,omitempty"` // if prices include tax
	TaxCode          string                  `json:"taxCode"`
	TaxCategory      tax.Category            `json:"taxCategory"`
	TaxRate          tax.Percent             `json:"taxRate"`
	Explanation      json.RawMessage         `json:"explanation"`
}

type canonicalTax struct {
	Category tax.Category `json:"taxCategory"`
	Rate     tax.Percent  `json:"taxRate"`
	Reason   string       `json:"reason,omitempty"`
	Net      string       `json:"net"`
	Tax      string       `json:"tax"`
}

type canonicalCreditNote struct {
	UUID      string                `json:"uuid"`
	Number    string                `json:"number"`
	Kind      CreditKind            `json:"kind"`
	Reason    string                `json:"reason"`
	Entity    billing.EntityID      `json:"entityId"`
	Account   billing.AccountID     `json:"accountId"`
	Currency  string                `json:"currencyId"`
	IssuedAt  billing.Date          `json:"issuedAt"`
	Subtotal  string                `json:"subtotal"`
	TaxAmount string                `json:"taxAmount"`
	Amount    string                `json:"amount"`
	Items     []canonicalCreditItem `json:"creditNoteItems"`
	Taxes     []canonicalTax        `json:"taxes"`
	Seller    json.RawMessage       `json:"seller"`
	Buyer     json.RawMessage       `json:"buyer"`
}

type canonicalCreditItem struct {
	Invoice     string          `json:"invoiceNumber"`
	Item        int             `json:"itemPosition"`
	LineText    string          `json:"lineText"`
	StartDate   billing.Date    `json:"startDate"`
	EndDate     billing.Date    `json:"endDate"`
	Amount      string          `json:"amount"`
	Priced      string          `json:"priced"`
	TaxCategory tax.Category    `json:"taxCategory"`
	TaxRate     tax.Percent     `json:"taxRate"`
	Explanation json.RawMessage `json:"explanation"`
}

// Canonical is the invoice as it is hashed.
func (i *Invoice) Canonical() ([]byte, error) {
	f := i.Currency.Format
	c := canonicalInvoice{
		i.UUID, i.Number, i.Kind, i.EntityID, i.AccountID, i.Currency.Code, i.IssuedAt, i.DueAt, i.PeriodStart, i.PeriodEnd,
		f(i.Subtotal), f(i.TaxAmount), f(i.Amount), f(i.AppliedAtIssue), make([]canonicalItem, len(i.Items)), canonicalTaxes(i.Currency, i.Taxes),
		i.Seller, i.Buyer, i.Notes, i.PONumber, i.BuyerReference, i.Locale,
	}
	for n := range i.Items {
		item := &i.Items[n]
		gross := ""
		if item.Inclusive {
			gross = f(item.Priced)
		}
		c.Items[n] = canonicalItem{
			n + 1, item.Kind, item.SubscriptionID, item.TenantCode, item.ChargeID, item.Code, item.LineText, item.Feature, item.UnitName,
			item.Quantity, item.PreviousQuantity, item.Price, item.StartDate, item.EndDate, item.Days, item.PeriodDays, f(item.Amount), gross,
			item.TaxCode, item.Tax.Category, item.Tax.Percent, item.Explanation,
		}
	}
	return compact(c)
}

// Canonical is the credit note as it is hashed.
func (c *CreditNote) Canonical() ([]byte, error) {
	f := c.Currency.Format
	note := canonicalCreditNote{
		c.UUID, c.Number, c.Kind, c.Reason, c.EntityID, c.AccountID, c.Currency.Code, c.IssuedAt,
		f(c.Subtotal), f(c.TaxAmount), f(c.Amount), make([]canonicalCreditItem, len(c.Items)), canonicalTaxes(c.Currency, c.Taxes), c.Seller, c.Buyer,
	}
	for n := range c.Items {
		item := &c.Items[n]
		note.Items[n] = canonicalCreditItem{
			item.InvoiceNumber, item.ItemPosition, item.LineText, item.StartDate, item.EndDate, f(item.Amount), f(item.Priced),
			item.Tax.Category, item.Tax.Percent, item.Explanation,
		}
	}
	return compact(note)
}

func canonicalTaxes(c money.Currency, groups []tax.Group) []canonicalTax {
	taxes := make([]canonicalTax, len(groups))
	for n, g := range groups {
		taxes[n] = canonicalTax{g.Category, g.Percent, g.Reason, c.Format(g.Net), c.Format(g.Tax)}
	}
	return taxes
}
