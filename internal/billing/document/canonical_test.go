package document

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// TestCanonicalIsJSON compares what is hashed with what encoding/json writes, byte by
// byte.
func TestCanonicalIsJSON(t *testing.T) {
	same := func(t *rapid.T, got []byte, err error, want []byte, wantErr error) {
		if (err == nil) != (wantErr == nil) || err == nil && string(got) != string(want) {
			t.Errorf("%s, %v; want\n%s, %v", got, err, want, wantErr)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		i := anyInvoice(t)
		got, err := i.Canonical()
		want, wantErr := invoiceByReflection(i)
		same(t, got, err, want, wantErr)
		c := anyCreditNote(i)
		got, err = c.Canonical()
		want, wantErr = creditNoteByReflection(c)
		same(t, got, err, want, wantErr)
		i.Buyer = rapid.SampledFrom(noJSON).Draw(t, "none")
		if text, err := i.Canonical(); err == nil {
			t.Errorf("a buyer that is no JSON: %s", text)
		}
	})
}

var (
	anyText = rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "Müller & Söhne <AG>", "a\"b\\c/d", "one\ntwo\x00\x7f", "\xff\xc3(", "\u2028\u2029\ufffd", "日本"}))
	anyRaw  = rapid.SampledFrom([]json.RawMessage{
		nil, json.RawMessage(`null`), json.RawMessage(`{"a":[1,"x & <y>"]}`), json.RawMessage("{ \"a b\" :\n\t[ 1 , \"  \\\" \" ] }"), json.RawMessage("\"\u2028\""),
	})
	noJSON      = []json.RawMessage{json.RawMessage(``), json.RawMessage(`{`), json.RawMessage(`{"a":1}}`)}
	anyAmount   = rapid.Custom(func(t *rapid.T) money.Amount { return money.Amount(rapid.Int64().Draw(t, "amount")) })
	anyDate     = rapid.Custom(func(t *rapid.T) billing.Date { return d("2026-01-01").AddDays(rapid.IntRange(0, 999).Draw(t, "day")) })
	anyCurrency = rapid.SampledFrom([]money.Currency{{Code: "EUR", Digits: 2}, {Code: "JPY"}, {Code: "KWD", Digits: 3}})
	anyTax      = rapid.Custom(func(t *rapid.T) tax.Treatment {
		return tax.Treatment{Category: tax.Category(anyText.Draw(t, "category")), Percent: tax.Percent(anyText.Draw(t, "rate")), Reason: anyText.Draw(t, "reason")}
	})
	anyGroup = rapid.Custom(func(t *rapid.T) tax.Group {
		return tax.Group{Treatment: anyTax.Draw(t, "tax"), Net: anyAmount.Draw(t, "net"), Tax: anyAmount.Draw(t, "tax")}
	})
)

func anyInvoice(t *rapid.T) *Invoice {
	text := func() string { return anyText.Draw(t, "text") }
	amount := func() money.Amount { return anyAmount.Draw(t, "amount") }
	date := func() billing.Date { return anyDate.Draw(t, "date") }
	raw := func() json.RawMessage { return anyRaw.Draw(t, "raw") }
	i := &Invoice{
		UUID: text(), Number: text(), Kind: InvoiceKind(text()), EntityID: billing.EntityID(amount()), AccountID: billing.AccountID(amount()),
		Currency: anyCurrency.Draw(t, "currency"), IssuedAt: date(), PeriodStart: date(), PeriodEnd: date(),
		Subtotal: amount(), TaxAmount: amount(), Amount: amount(), AppliedAtIssue: amount(), Taxes: rapid.SliceOfN(anyGroup, 0, 3).Draw(t, "taxes"),
		Seller: raw(), Buyer: raw(), Notes: text(), PONumber: text(), BuyerReference: text(), Locale: text(),
	}
	for range rapid.IntRange(0, 3).Draw(t, "items") {
		item := Item{
			Kind: ItemKind(text()), TenantCode: text(), Code: text(), LineText: text(), Feature: text(), UnitName: text(), Quantity: text(),
			StartDate: date(), EndDate: date(), Days: int(amount()), PeriodDays: int(amount()), TaxCode: text(), Tax: anyTax.Draw(t, "tax"),
			Priced: amount(), Inclusive: rapid.Bool().Draw(t, "inclusive"), Amount: amount(), Explanation: raw(),
		}
		if rapid.Bool().Draw(t, "billed") {
			subscription, charge, quantity, price := billing.SubscriptionID(amount()), billing.ChargeID(amount()), text(), billing.Price(text())
			item.SubscriptionID, item.ChargeID, item.PreviousQuantity, item.Price = &subscription, &charge, &quantity, &price
		}
		i.Items = append(i.Items, item)
	}
	return i
}

// anyCreditNote is a credit note with the same texts and amounts as an invoice.
func anyCreditNote(i *Invoice) *CreditNote {
	c := &CreditNote{
		UUID: i.UUID, Number: i.Number, Kind: CreditKind(i.Kind), Reason: i.Notes, EntityID: i.EntityID, AccountID: i.AccountID, Currency: i.Currency, IssuedAt: i.IssuedAt,
		Subtotal: i.Subtotal, TaxAmount: i.TaxAmount, Amount: i.Amount, Taxes: i.Taxes, Seller: i.Seller, Buyer: i.Buyer,
	}
	for n := range i.Items {
		item := &i.Items[n]
		c.Items = append(c.Items, CreditItem{
			InvoiceNumber: item.Code, ItemPosition: item.Days, LineText: item.LineText, StartDate: item.StartDate, EndDate: item.EndDate,
			Amount: item.Amount, Priced: item.Priced, Tax: item.Tax, Explanation: item.Explanation,
		})
	}
	return c
}

// The canonical form of documents, as encoding/json writes it.
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

func invoiceByReflection(i *Invoice) ([]byte, error) {
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

func creditNoteByReflection(c *CreditNote) ([]byte, error) {
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
