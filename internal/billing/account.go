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

// Check returns what is wrong with the account, nil if nothing is.
func (a *Account) Check() Problems {
	var p Problems
	p.add(requireText("name", a.Name, MaxName))
	p.add(optional("code", a.Code, checkCode))
	if a.BillingDay < 1 || a.BillingDay > 31 {
		p.add(invalid("billingDay", "The billing day is a day of the month, 1 to 31, not %d.", a.BillingDay))
	}
	p.add(optional("timezone", a.Timezone, checkTimezone))
	p.add(optional("currencyId", a.CurrencyID, checkCurrency))
	p.add(shortTexts(
		named{"billingStreet", a.BillingStreet}, named{"billingCity", a.BillingCity},
		named{"billingState", a.BillingState}, named{"billingZip", a.BillingZip},
		named{"billingCountry", a.BillingCountry},
		named{"shippingStreet", a.ShippingStreet}, named{"shippingCity", a.ShippingCity},
		named{"shippingState", a.ShippingState}, named{"shippingZip", a.ShippingZip},
		named{"shippingCountry", a.ShippingCountry},
		named{"phone", a.Phone}, named{"fax", a.Fax}, named{"website", a.Website},
		named{"taxNumber", a.TaxNumber}, named{"accountTypeId", a.AccountTypeID},
		named{"duns", a.Duns}, named{"entityUseCode", a.EntityUseCode},
		named{"groupId", a.GroupID}, named{"industryId", a.IndustryID},
		named{"ownerUserId", a.OwnerUserID},
	)...)
	p.add(optional("description", a.Description, longText))
	if d := a.NetPaymentDays; d != nil && (*d < 0 || *d > 365) {
		p.add(invalid("netPaymentDays", "Payment is due within 0 to 365 days, not %d.", *d))
	}
	return p
}

func checkTimezone(field, name string) *Error {
	// "Local" would mean another zone on every machine.
	if _, err := time.LoadLocation(name); err != nil || name == "Local" || name == "" {
		return invalid(field, "There is no time zone %q. Use a name such as Europe/Berlin or UTC.", name)
	}
	return nil
}
