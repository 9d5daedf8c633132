package billing

import (
	"cmp"
	"strings"
	"time"
	_ "time/tzdata" // zones are checked and used on machines without a zone database too
)

const defaultLocale = "en"

// Collection says when an account is billed.
type Collection string

// An account is billed when something is due, or once a month on its billing day.
const (
	CollectAsDue        Collection = "AS_DUE"
	CollectOnBillingDay Collection = "ON_BILLING_DAY"
)

// TaxNumberState is what is known of a tax number.
type TaxNumberState string

// A number was found valid, found invalid, or not looked up.
const (
	TaxNumberValid     TaxNumberState = "VALID"
	TaxNumberInvalid   TaxNumberState = "INVALID"
	TaxNumberUnchecked TaxNumberState = "UNCHECKED"
)

// StandardTaxCode is the tax code that charges have unless they say another.
const StandardTaxCode = "standard"

// Account is a customer of the operator, billed on BillingDay. The fields from
// AccountTypeID on are kept for customer relations and mean nothing here.
type Account struct {
	ID               AccountID  `json:"id"`
	Name             string     `json:"name"`
	Code             *string    `json:"code"`
	BillingDay       int        `json:"billingDay"`
	Timezone         *string    `json:"timezone"`
	CurrencyID       *string    `json:"currencyId"`
	BillingContactID *ContactID `json:"billingContactId"`
	// TestClockID is the clock that the account's dates follow, if not the
	// real one.
	TestClockID *TestClockID `json:"testClockId"`

	BillingStreet   *string `json:"billingStreet"`
	BillingCity     *string `json:"billingCity"`
	BillingState    *string `json:"billingState"`
	BillingZip      *string `json:"billingZip"`
	BillingCountry  *string `json:"billingCountry"`
	ShippingStreet  *string `json:"shippingStreet"`
	ShippingCity    *string `json:"shippingCity"`
	ShippingState   *string `json:"shippingState"`
	ShippingZip     *string `json:"shippingZip"`
	ShippingCountry *string `json:"shippingCountry"`

	Phone          *string `json:"phone"`
	Fax            *string `json:"fax"`
	Website        *string `json:"website"`
	Description    *string `json:"description"`
	TaxNumber      *string `json:"taxNumber"`
	NetPaymentDays *int    `json:"netPaymentDays"`

	// EntityID is the entity that invoices the account; nil stands for the first.
	EntityID         *EntityID  `json:"entityId"`
	InvoiceEmail     *string    `json:"invoiceEmail"`
	Locale           string     `json:"locale"`
	Collection       Collection `json:"collection"`
	DraftInvoices    bool       `json:"draftInvoices"`
	AutoApplyCredits bool       `json:"autoApplyCredits"`
	PONumber         *string    `json:"poNumber"`
	BuyerReference   *string    `json:"buyerReference"`
	// DunningPolicyID is the policy for unpaid invoices; nil for that of the entity.
	// DunningExempt says that there is none.
	DunningPolicyID *DunningPolicyID `json:"dunningPolicyId"`
	DunningExempt   bool             `json:"dunningExempt"`
	TaxNumberState  TaxNumberState   `json:"taxNumberState"`
	TaxExempt       bool             `json:"taxExempt"`
	TaxExemptReason *string          `json:"taxExemptReason"`
	// PaymentMethodID is what invoices are collected with; nil if the customer pays by
	// itself.
	PaymentMethodID *PaymentMethodID `json:"paymentMethodId"`
	// CollectTogether says that all invoices that are due are collected at once.
	CollectTogether bool `json:"collectTogether"`
	// BillingProblem is why the account could not be billed, nil if it could.
	BillingProblem *string `json:"billingProblem"`

	AccountTypeID    *string `json:"accountTypeId"`
	AddressValidated *bool   `json:"addressValidated"`
	AnnualRevenue    *int    `json:"annualRevenue"`
	Duns             *string `json:"duns"`
	Employees        *int    `json:"employees"`
	EntityUseCode    *string `json:"entityUseCode"`
	GroupID          *string `json:"groupId"`
	IndustryID       *string `json:"industryId"`
	OwnerUserID      *string `json:"ownerUserId"`

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// AccountFields describes the fields of an account.
var AccountFields = Fields[Account]{
	{Fields: []Field[Account]{
		Describe("name", "Name", func(a *Account) *string { return &a.Name }, NameText).AsRequired(),
		Optional("code", "Code", func(a *Account) **string { return &a.Code }, CheckCode).WithHelp("What your other systems call it. Unique, if given."),
	}},
	{Title: "Billing", Fields: []Field[Account]{
		Describe("billingDay", "Billing day", func(a *Account) *int { return &a.BillingDay },
			Between(1, 31, "The billing day is a day of the month, %d to %d, not %d.")).WithHelp("Day of the month, 1 to 31.").AsRequired(),
		Optional("currencyId", "Currency", func(a *Account) **string { return &a.CurrencyID }, CheckCurrency).WithHelp("ISO 4217, such as EUR."),
		Optional("timezone", "Time zone", func(a *Account) **string { return &a.Timezone }, checkTimezone).WithHelp("Such as Europe/Berlin."),
		Optional("taxNumber", "Tax number", func(a *Account) **string { return &a.TaxNumber }, ShortText),
		Optional("netPaymentDays", "Payment term in days", func(a *Account) **int { return &a.NetPaymentDays },
			Between(0, 365, "Payment is due within %d to %d days, not %d.")),
		Reference("testClockId", func(a *Account) **TestClockID { return &a.TestClockID }),
		Reference("billingContactId", func(a *Account) **ContactID { return &a.BillingContactID }),
	}},
	{Title: "Invoicing", Folded: true, Fields: []Field[Account]{
		Reference("entityId", func(a *Account) **EntityID { return &a.EntityID }),
		Describe("collection", "", func(a *Account) *Collection { return &a.Collection },
			OneOf("An account is billed AS_DUE or ON_BILLING_DAY, not %q.", CollectAsDue, CollectOnBillingDay)),
		Optional("invoiceEmail", "E-mail for invoices", func(a *Account) **string { return &a.InvoiceEmail }, CheckEmail),
		Describe("locale", "Language", func(a *Account) *string { return &a.Locale }, checkLocale).AsRequired().WithHelp("Of documents, such as en, de or fr-CH."),
		Optional("poNumber", "Purchase order", func(a *Account) **string { return &a.PONumber }, ShortText),
		Optional("buyerReference", "Buyer reference", func(a *Account) **string { return &a.BuyerReference }, ShortText).WithHelp("What the customer wants to find on its invoices, such as a routing id."),
		Describe("draftInvoices", "Keep invoices as drafts", func(a *Account) *bool { return &a.DraftInvoices }),
		Describe("autoApplyCredits", "Apply waiting credit to invoices", func(a *Account) *bool { return &a.AutoApplyCredits }),
		Reference("dunningPolicyId", func(a *Account) **DunningPolicyID { return &a.DunningPolicyID }),
		Describe("dunningExempt", "Exempt from dunning", func(a *Account) *bool { return &a.DunningExempt }).WithHelp("Unpaid invoices have no consequences."),
		Describe("collectTogether", "Collect together", func(a *Account) *bool { return &a.CollectTogether }),
		Describe("taxNumberState", "", func(a *Account) *TaxNumberState { return &a.TaxNumberState },
			OneOf("A tax number is VALID, INVALID or UNCHECKED, not %q.", TaxNumberValid, TaxNumberInvalid, TaxNumberUnchecked)),
		Describe("taxExempt", "Exempt from tax", func(a *Account) *bool { return &a.TaxExempt }),
		Optional("taxExemptReason", "Reason of the exemption", func(a *Account) **string { return &a.TaxExemptReason }, ShortText).WithHelp("Printed on invoices."),
	}},
	address("Billing address", "billing", func(a *Account) [5]**string {
		return [5]**string{&a.BillingStreet, &a.BillingCity, &a.BillingState, &a.BillingZip, &a.BillingCountry}
	}),
	address("Shipping address", "shipping", func(a *Account) [5]**string {
		return [5]**string{&a.ShippingStreet, &a.ShippingCity, &a.ShippingState, &a.ShippingZip, &a.ShippingCountry}
	}),
	{Title: "More", Folded: true, Fields: []Field[Account]{
		Optional("phone", "Phone", func(a *Account) **string { return &a.Phone }, ShortText),
		Optional("fax", "Fax", func(a *Account) **string { return &a.Fax }, ShortText),
		Optional("website", "Website", func(a *Account) **string { return &a.Website }, ShortText),
		Optional("description", "Description", func(a *Account) **string { return &a.Description }, LongText).AsLines(),

		Optional("accountTypeId", "", func(a *Account) **string { return &a.AccountTypeID }, ShortText),
		Optional("addressValidated", "", func(a *Account) **bool { return &a.AddressValidated }),
		Optional("annualRevenue", "", func(a *Account) **int { return &a.AnnualRevenue }),
		Optional("duns", "", func(a *Account) **string { return &a.Duns }, ShortText),
		Optional("employees", "", func(a *Account) **int { return &a.Employees }),
		Optional("entityUseCode", "", func(a *Account) **string { return &a.EntityUseCode }, ShortText),
		Optional("groupId", "", func(a *Account) **string { return &a.GroupID }, ShortText),
		Optional("industryId", "", func(a *Account) **string { return &a.IndustryID }, ShortText),
		Optional("ownerUserId", "", func(a *Account) **string { return &a.OwnerUserID }, ShortText),
	}},
}

// NewAccount is an account before anything but its billing day is known of it.
func NewAccount(billingDay int) Account {
	return Account{BillingDay: billingDay, Locale: defaultLocale, Collection: CollectAsDue, AutoApplyCredits: true, TaxNumberState: TaxNumberUnchecked}
}

// Check returns what is wrong with the account, nil if nothing is.
func (a *Account) Check() Problems { return AccountFields.Check(a) }

// Normalize turns an empty code or address into none, and completes what a new
// account begins with.
func (a *Account) Normalize() {
	a.Code, a.InvoiceEmail = EmptyToNil(a.Code), EmptyToNil(a.InvoiceEmail)
	a.Locale = cmp.Or(a.Locale, defaultLocale)
	a.Collection = cmp.Or(a.Collection, CollectAsDue)
	a.TaxNumberState = cmp.Or(a.TaxNumberState, TaxNumberUnchecked)
}

// KeepTaxNumberState gives an account whose tax number state nobody has given the one
// that it had: what was known of another tax number says nothing about this one.
func (a *Account) KeepTaxNumberState(before *Account) {
	if a.TaxNumberState != "" {
		return
	}
	if a.TaxNumberState = before.TaxNumberState; (before.TaxNumber == nil) != (a.TaxNumber == nil) || a.TaxNumber != nil && *before.TaxNumber != *a.TaxNumber {
		a.TaxNumberState = TaxNumberUnchecked
	}
}

// checkLocale refuses what has not the shape of a language tag (BCP 47).
func checkLocale(field, value string) *Error {
	parts := strings.Split(value, "-")
	ok := len(value) <= 35 && len(parts[0]) >= 2 && len(parts[0]) <= 3 && strings.Trim(parts[0], "abcdefghijklmnopqrstuvwxyz") == ""
	for _, part := range parts[1:] {
		ok = ok && part != "" && len(part) <= 8 && strings.Trim(strings.ToLower(part), "abcdefghijklmnopqrstuvwxyz0123456789") == ""
	}
	if !ok {
		return Invalidf(field, "%q is not a language. Use a tag such as en, de or fr-CH.", Excerpt(value))
	}
	return nil
}

func checkTimezone(field, name string) *Error {
	// "Local" would mean another zone on every machine.
	if _, err := time.LoadLocation(name); err != nil || name == "Local" || name == "" {
		return Invalidf(field, "There is no time zone %q. Use a name such as Europe/Berlin or UTC.", name)
	}
	return nil
}
