package bill

import (
	"encoding/json"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// Treat decides how something with a tax code is taxed on a day.
func (a *Account) Treat(code string, on billing.Date) (tax.Treatment, error) {
	e := a.Entity
	seller := tax.Seller{Place: tax.Place{Country: e.Country, Region: text(e.State), Zip: text(e.Zip)}, OSS: e.OSS, AcceptsUnchecked: e.AcceptsUncheckedTaxNumbers}
	buyer := tax.Buyer{
		Place:     tax.Place{Country: text(a.BillingCountry), Region: text(a.BillingState), Zip: text(a.BillingZip)},
		TaxExempt: a.TaxExempt, Reason: text(a.TaxExemptReason), TaxNumber: text(a.TaxNumber), NumberState: a.TaxNumberState,
	}
	return tax.Treat(seller, buyer, code, on, a.Rates)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return strings.TrimSpace(*s)
}

// Address writes on an invoice who issues it and for whom.
func (a *Account) Address(i *document.Invoice) {
	i.EntityID, i.Seller, i.Buyer = a.Entity.ID, SellerOf(a.Entity), BuyerOf(a.Account)
	i.Locale, i.BuyerReference, i.TestClockID = a.Locale, text(a.BuyerReference), a.TestClockID
	if i.PONumber = a.commonPO(i); i.PONumber == "" {
		i.PONumber = text(a.PONumber)
	}
}

// commonPO is the purchase order of the subscriptions that an invoice is for, empty
// unless all have the same.
func (a *Account) commonPO(i *document.Invoice) string {
	billed := map[billing.SubscriptionID]bool{}
	for n := range i.Items {
		if id := i.Items[n].SubscriptionID; id != nil {
			billed[*id] = true
		}
	}
	orders := map[string]bool{}
	for _, s := range a.Subscriptions {
		if billed[s.ID] {
			orders[text(s.PONumber)] = true
		}
	}
	for po := range orders {
		if len(orders) == 1 {
			return po
		}
	}
	return ""
}

// DueAt is the day on which what is issued on another is to be paid.
func (a *Account) DueAt(issued billing.Date) billing.Date {
	days := a.Entity.NetPaymentDays
	if a.NetPaymentDays != nil {
		days = *a.NetPaymentDays
	}
	return issued.AddDays(days)
}

// seller is the copy of an entity on a document.
type seller struct {
	Name               string `json:"name"`
	LegalName          string `json:"legalName,omitempty"`
	Street             string `json:"street,omitempty"`
	City               string `json:"city,omitempty"`
	Zip                string `json:"zip,omitempty"`
	State              string `json:"state,omitempty"`
	Country            string `json:"country"`
	TaxNumber          string `json:"taxNumber,omitempty"`
	RegistrationNumber string `json:"registrationNumber,omitempty"`
	Email              string `json:"email,omitempty"`
	Phone              string `json:"phone,omitempty"`
	Website            string `json:"website,omitempty"`
	IBAN               string `json:"iban,omitempty"`
	BIC                string `json:"bic,omitempty"`
	BankName           string `json:"bankName,omitempty"`
	Footer             string `json:"footer,omitempty"`
}

// SellerOf is the copy of an entity on its documents. The logo is not part of it:
// it is only printed.
func SellerOf(e *billing.Entity) json.RawMessage {
	return mustJSON(seller{
		e.Name, text(e.LegalName), text(e.Street), text(e.City), text(e.Zip), text(e.State), e.Country, text(e.TaxNumber), text(e.RegistrationNumber),
		text(e.Email), text(e.Phone), text(e.Website), text(e.IBAN), text(e.BIC), text(e.BankName), text(e.Footer),
	})
}

// buyer is the copy of an account on a document.
type buyer struct {
	Name      string `json:"name"`
	Code      string `json:"code,omitempty"`
	Street    string `json:"street,omitempty"`
	City      string `json:"city,omitempty"`
	Zip       string `json:"zip,omitempty"`
	State     string `json:"state,omitempty"`
	Country   string `json:"country"`
	TaxNumber string `json:"taxNumber,omitempty"`
	Email     string `json:"email,omitempty"`
	Timezone  string `json:"timezone,omitempty"`
	// What the buyer finds the document by.
	PONumber       string `json:"poNumber,omitempty"`
	BuyerReference string `json:"buyerReference,omitempty"`
}

// BuyerOf is the copy of an account on its documents.
func BuyerOf(a *billing.Account) json.RawMessage {
	return mustJSON(buyer{
		a.Name, text(a.Code), text(a.BillingStreet), text(a.BillingCity), text(a.BillingZip), text(a.BillingState), text(a.BillingCountry),
		text(a.TaxNumber), text(a.InvoiceEmail), text(a.Timezone), text(a.PONumber), text(a.BuyerReference),
	})
}

func mustJSON(value any) json.RawMessage {
	written, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts can always be written
	}
	return written
}
