package billing_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/billingtest"
)

func goodAccount() *billing.Account {
	a := billing.NewAccount(15)
	a.Name = "Acme"
	return &a
}
func goodContact() *billing.Contact { return &billing.Contact{AccountID: 1, FirstName: "Ann"} }
func goodTenant() *billing.Tenant   { return &billing.Tenant{Code: "acme", Name: "Acme"} }
func goodClient() *billing.Client {
	return &billing.Client{Name: "Orders", Scopes: []string{billing.StandardRead}, AccessTokenExpiresIn: 7200}
}

func TestCheckAccepts(t *testing.T) {
	billingtest.Accepted(t, map[string]billingtest.Checked{
		"account":                  goodAccount(),
		"contact":                  goodContact(),
		"contact with a last name": &billing.Contact{AccountID: 1, LastName: new("Lee")},
		"contact with an address":  &billing.Contact{AccountID: 1, Email: new("ann@example.com")},
		"tenant":                   goodTenant(),
		"client":                   goodClient(),
		"account with all": billingtest.With(goodAccount(), func(a *billing.Account) {
			a.Name, a.Code, a.Timezone, a.CurrencyID = strings.Repeat("é", billing.MaxName), new("Kundé 7"), new("Europe/Berlin"), new("JPY")
			a.BillingDay, a.NetPaymentDays, a.Description = 31, new(0), new(strings.Repeat("x", billing.MaxDescription))
		}),
		"tenant with all": billingtest.With(goodTenant(), func(x *billing.Tenant) {
			x.Subdomain, x.UserCount, x.UtilizationMetrics = new("acme"), new(0), []byte(`{"a":1}`)
		}),
	})
}

func TestCheckRefuses(t *testing.T) {
	account := func(how func(*billing.Account)) billingtest.Checked { return billingtest.With(goodAccount(), how) }
	contact := func(how func(*billing.Contact)) billingtest.Checked { return billingtest.With(goodContact(), how) }
	tenant := func(how func(*billing.Tenant)) billingtest.Checked { return billingtest.With(goodTenant(), how) }
	client := func(how func(*billing.Client)) billingtest.Checked { return billingtest.With(goodClient(), how) }
	for _, c := range []struct {
		thing billingtest.Checked
		code  billing.Code
		field string
		says  string
	}{
		{account(func(a *billing.Account) { a.Name = "" }), billing.Required, "name", "name"},
		{account(func(a *billing.Account) { a.Name = " \t" }), billing.Required, "name", "name"},
		{account(func(a *billing.Account) { a.Name = strings.Repeat("x", billing.MaxName+1) }), billing.Invalid, "name", "255"},
		{account(func(a *billing.Account) { a.Name = "a\x00b" }), billing.Invalid, "name", "NUL"},
		{account(func(a *billing.Account) { a.Name = "a\xff" }), billing.Invalid, "name", "UTF-8"},
		{account(func(a *billing.Account) { a.BillingDay = 0 }), billing.Invalid, "billingDay", "1 to 31"},
		{account(func(a *billing.Account) { a.BillingDay = 32 }), billing.Invalid, "billingDay", "1 to 31"},
		{account(func(a *billing.Account) { a.Timezone = new("Mars/Olympus") }), billing.Invalid, "timezone", "Mars/Olympus"},
		{account(func(a *billing.Account) { a.Timezone = new("Local") }), billing.Invalid, "timezone", "Local"},
		{account(func(a *billing.Account) { a.CurrencyID = new("EURO") }), billing.Invalid, "currencyId", "ISO 4217"},
		{account(func(a *billing.Account) { a.Phone = new(strings.Repeat("1", 256)) }), billing.Invalid, "phone", "255"},
		{account(func(a *billing.Account) { a.OwnerUserID = new("\x00") }), billing.Invalid, "ownerUserId", "NUL"},
		{account(func(a *billing.Account) { a.NetPaymentDays = new(-1) }), billing.Invalid, "netPaymentDays", "0 to 365"},
		{account(func(a *billing.Account) { a.Collection = "LATER" }), billing.Invalid, "collection", "AS_DUE or ON_BILLING_DAY"},
		{account(func(a *billing.Account) { a.TaxNumberState = "" }), billing.Invalid, "taxNumberState", "UNCHECKED"},
		{account(func(a *billing.Account) { a.Locale = "German" }), billing.Invalid, "locale", "fr-CH"},
		{account(func(a *billing.Account) { a.Locale = "de-" }), billing.Invalid, "locale", "fr-CH"},
		{account(func(a *billing.Account) { a.InvoiceEmail = new("invoices") }), billing.Invalid, "invoiceEmail", "no @"},
		{contact(func(c *billing.Contact) { c.FirstName = "" }), billing.Required, "firstName", "name or an e-mail address"},
		{contact(func(c *billing.Contact) { c.FirstName, c.LastName, c.Phone = " ", new("\u200b"), new("1") }), billing.Required, "firstName", "name or an e-mail address"},
		{contact(func(c *billing.Contact) { c.Email = new("nobody") }), billing.Invalid, "email", "@"},
		{contact(func(c *billing.Contact) { c.MailingZip = new(strings.Repeat("1", 256)) }), billing.Invalid, "mailingZip", "255"},
		{tenant(func(x *billing.Tenant) { x.Code = "" }), billing.Required, "code", "empty"},
		{tenant(func(x *billing.Tenant) { x.Name = "" }), billing.Required, "name", "empty"},
		{tenant(func(x *billing.Tenant) { x.Subdomain = new(strings.Repeat("x", 256)) }), billing.Invalid, "subdomain", "up to 255"},
		{tenant(func(x *billing.Tenant) { x.UserCount = new(-1) }), billing.Invalid, "userCount", "from 0"},
		{tenant(func(x *billing.Tenant) { x.UserCount = new(billing.MaxQuantity + 1) }), billing.Invalid, "userCount", "to 1000000000"},
		{tenant(func(x *billing.Tenant) { x.UtilizationMetrics = make([]byte, 64<<10+1) }), billing.Invalid, "utilizationMetrics", "64 KiB"},
		{client(func(c *billing.Client) { c.Scopes = nil }), billing.Required, "scopes", "standard:read"},
		{client(func(c *billing.Client) { c.Scopes = []string{"all"} }), billing.Invalid, "scopes", "all"},
		{client(func(c *billing.Client) { c.AccessTokenExpiresIn = 0 }), billing.Invalid, "accessTokenExpiresIn", "2592000"},
		{client(func(c *billing.Client) { c.AccessTokenExpiresIn = billing.MaxTokenSeconds + 1 }), billing.Invalid, "accessTokenExpiresIn", "2592000"},
		{client(func(c *billing.Client) { c.MaxConcurrentRequests = new(0) }), billing.Invalid, "maxConcurrentRequests", "from 1 to 1000000"},
		{client(func(c *billing.Client) { c.MaxCPUSecondsPerMinute = new(-1) }), billing.Invalid, "maxCpuSecondsPerMinute", "from 1 to 1000000"},
		{client(func(c *billing.Client) { c.MaxMegabytesPerMinute = new(billing.MaxClientLimit + 1) }), billing.Invalid, "maxMegabytesPerMinute", "from 1 to 1000000"},
	} {
		billingtest.Refused(t, c.thing, c.code, c.field, c.says)
	}
}

func TestEmptyTextsAreNone(t *testing.T) {
	a := billing.Account{Code: new("")}
	a.Normalize()
	c := billing.Contact{FirstName: " ", LastName: new("\t"), Code: new(""), Email: new(" ")}
	c.Normalize()
	if a.Code != nil || c.Code != nil || c.Email != nil || c.FirstName != "" || c.LastName != nil {
		t.Error("an empty text was kept")
	}
}
