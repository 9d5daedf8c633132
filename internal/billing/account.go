package billing

import (
	"time"
	_ "time/tzdata" // zones are checked and used on machines without a zone database too
)

// Lengths of text, in characters.
const (
	MaxName        = 255
	MaxShortText   = 255
	MaxDescription = 10_000
)

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

// Check returns what is wrong with the account, nil if nothing is.
func (a *Account) Check() Problems { return AccountFields.Check(a) }

// Normalize turns an empty code into none.
func (a *Account) Normalize() { a.Code = EmptyToNil(a.Code) }

func checkTimezone(field, name string) *Error {
	// "Local" would mean another zone on every machine.
	if _, err := time.LoadLocation(name); err != nil || name == "Local" || name == "" {
		return Invalidf(field, "There is no time zone %q. Use a name such as Europe/Berlin or UTC.", name)
	}
	return nil
}
