package graphql

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

func editAccount(in gen.AccountAttributes, creating bool) func(*billing.Account) error {
	return func(a *billing.Account) error {
		p := &patch{creating: creating}
		need(p, "name", in.Name, &a.Name)
		may(in.Code, &a.Code)
		need(p, "billingDay", in.BillingDay, &a.BillingDay)
		may(in.Timezone, &a.Timezone)
		may(in.CurrencyID, &a.CurrencyID)
		mayID(in.BillingContactID, &a.BillingContactID)
		if contact, set := in.BillingContact.ValueOK(); set && contact == nil && !in.BillingContactID.IsSet() {
			a.BillingContactID = nil
		}
		may(in.BillingStreet, &a.BillingStreet)
		may(in.BillingCity, &a.BillingCity)
		may(in.BillingState, &a.BillingState)
		may(in.BillingZip, &a.BillingZip)
		may(in.BillingCountry, &a.BillingCountry)
		may(in.ShippingStreet, &a.ShippingStreet)
		may(in.ShippingCity, &a.ShippingCity)
		may(in.ShippingState, &a.ShippingState)
		may(in.ShippingZip, &a.ShippingZip)
		may(in.ShippingCountry, &a.ShippingCountry)
		may(in.Phone, &a.Phone)
		may(in.Fax, &a.Fax)
		may(in.Website, &a.Website)
		may(in.Description, &a.Description)
		may(in.TaxNumber, &a.TaxNumber)
		may(in.NetPaymentDays, &a.NetPaymentDays)
		may(in.AccountTypeID, &a.AccountTypeID)
		may(in.AddressValidated, &a.AddressValidated)
		may(in.AnnualRevenue, &a.AnnualRevenue)
		may(in.Duns, &a.Duns)
		may(in.Employees, &a.Employees)
		may(in.EntityUseCode, &a.EntityUseCode)
		may(in.GroupID, &a.GroupID)
		may(in.IndustryID, &a.IndustryID)
		may(in.OwnerUserID, &a.OwnerUserID)
		mayID(in.TestClockID, &a.TestClockID)
		return p.problems.Err()
	}
}

// editBillingContact returns nil when the caller described none.
func editBillingContact(in gen.AccountAttributes) func(*billing.Contact) error {
	contact := in.BillingContact.Value()
	if contact == nil {
		return nil
	}
	return func(c *billing.Contact) error {
		account := c.AccountID
		err := editContact(*contact, c.ID == 0)(c)
		c.AccountID = account // it is the account's own, whatever was sent
		return err
	}
}

func editContact(in gen.ContactAttributes, creating bool) func(*billing.Contact) error {
	return func(c *billing.Contact) error {
		p := &patch{creating: creating}
		needID(p, "accountId", in.AccountID, &c.AccountID)
		mayText(in.FirstName, &c.FirstName)
		may(in.LastName, &c.LastName)
		may(in.Email, &c.Email)
		may(in.Code, &c.Code)
		may(in.Title, &c.Title)
		may(in.Salutation, &c.Salutation)
		may(in.Phone, &c.Phone)
		may(in.Mobile, &c.Mobile)
		may(in.MailingStreet, &c.MailingStreet)
		may(in.MailingCity, &c.MailingCity)
		may(in.MailingState, &c.MailingState)
		may(in.MailingZip, &c.MailingZip)
		may(in.MailingCountry, &c.MailingCountry)
		return p.problems.Err()
	}
}
