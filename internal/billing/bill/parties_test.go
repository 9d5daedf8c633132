package bill

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// TestTreat gives tax all that matters of an entity and an account.
func TestTreat(t *testing.T) {
	on := billing.Date{Year: 2026, Month: 3, Day: 1}
	for _, row := range []struct {
		name    string
		edit    func(*billing.Entity, *billing.Account)
		want    tax.Category
		percent tax.Percent
		reason  string
	}{
		{"a consumer in another member state", func(_ *billing.Entity, a *billing.Account) { a.BillingCountry = new("AT") }, tax.Standard, "19", ""},
		{"oss", func(e *billing.Entity, a *billing.Account) { e.OSS, a.BillingCountry = true, new("AT") }, tax.Standard, "20", ""},
		{"a number that was not checked", func(_ *billing.Entity, a *billing.Account) {
			a.BillingCountry, a.TaxNumber, a.TaxNumberState = new("AT"), new("ATU12345678"), billing.TaxNumberUnchecked
		}, tax.Standard, "19", ""},
		{"acceptsUncheckedTaxNumbers", func(e *billing.Entity, a *billing.Account) {
			e.AcceptsUncheckedTaxNumbers = true
			a.BillingCountry, a.TaxNumber, a.TaxNumberState = new("AT"), new("ATU12345678"), billing.TaxNumberUnchecked
		}, tax.ReverseCharge, "0", "Reverse charge"},
		{"taxNumberState", func(_ *billing.Entity, a *billing.Account) {
			a.BillingCountry, a.TaxNumber, a.TaxNumberState = new("AT"), new("ATU12345678"), billing.TaxNumberValid
		}, tax.ReverseCharge, "0", "Reverse charge"},
		{"taxExempt", func(_ *billing.Entity, a *billing.Account) { a.TaxExempt, a.TaxExemptReason = true, new("Embassy") }, tax.Exempt, "0", "Embassy"},
		{"region of the account", func(_ *billing.Entity, a *billing.Account) { a.BillingCountry, a.BillingState = new("ES"), new("CN") }, tax.NotSubject, "0", "Not subject to VAT"},
		{"zip of the account", func(_ *billing.Entity, a *billing.Account) { a.BillingZip = new("27498") }, tax.NotSubject, "0", "Not subject to VAT"},
		{"region of the entity", func(e *billing.Entity, a *billing.Account) {
			e.Country, e.State, a.BillingCountry = "ES", new("CN"), new("FR")
		}, tax.Standard, "20", ""},
		{"zip of the entity", func(e *billing.Entity, a *billing.Account) { e.Zip, a.BillingCountry = new("27498"), new("FR") }, tax.Standard, "20", ""},
	} {
		e, a := billing.Entity{Country: "DE"}, billing.NewAccount(1)
		a.BillingCountry = new("DE")
		row.edit(&e, &a)
		account := Account{Account: &a, Entity: &e, Rates: tax.StandardRates()}
		if got, err := account.Treat(billing.StandardTaxCode, on); err != nil || got != (tax.Treatment{Category: row.want, Percent: row.percent, Reason: row.reason}) {
			t.Errorf("%s: %v, %v", row.name, got, err)
		}
	}
}

// TestAddress writes on an invoice what its buyer finds it by.
func TestAddress(t *testing.T) {
	a := billing.NewAccount(1)
	a.BuyerReference, a.PONumber, a.Locale = new(" 991-01234-56 "), new("PO 7"), "de"
	i := &document.Invoice{}
	(&Account{Account: &a, Entity: &billing.Entity{ID: 3, Name: "GmbH", Country: "DE"}}).Address(i)
	if i.BuyerReference != "991-01234-56" || i.PONumber != "PO 7" || i.Locale != "de" || i.EntityID != 3 {
		t.Errorf("the invoice has %q, %q, %q and entity %d", i.BuyerReference, i.PONumber, i.Locale, i.EntityID)
	}
}
