package billing

import "time"

// Entity is a legal entity of the operator, which issues invoices. The first one
// is that of all accounts that name none.
type Entity struct {
	ID        EntityID `json:"id"`
	Code      string   `json:"code"`
	Name      string   `json:"name"`
	LegalName *string  `json:"legalName"`

	Street  *string `json:"street"`
	City    *string `json:"city"`
	Zip     *string `json:"zip"`
	State   *string `json:"state"`
	Country string  `json:"country"`

	TaxNumber          *string `json:"taxNumber"`
	RegistrationNumber *string `json:"registrationNumber"`
	// OSS says that it declares sales to consumers in other member states of the
	// EU by the One-Stop Shop.
	OSS                        bool `json:"oss"`
	AcceptsUncheckedTaxNumbers bool `json:"acceptsUncheckedTaxNumbers"`

	Email    *string `json:"email"`
	Phone    *string `json:"phone"`
	Website  *string `json:"website"`
	IBAN     *string `json:"iban"`
	BIC      *string `json:"bic"`
	BankName *string `json:"bankName"`
	// Logo is a picture as a data URL.
	Logo   *string `json:"logo"`
	Footer *string `json:"footer"`

	NetPaymentDays         int    `json:"netPaymentDays"`
	InvoiceNumberFormat    string `json:"invoiceNumberFormat"`
	CreditNoteNumberFormat string `json:"creditNoteNumberFormat"`
	// InvoiceNextNumber and CreditNoteNextNumber are the counts that the two series
	// begin with, nil for 1. They are fixed by the first document.
	InvoiceNextNumber    *int `json:"invoiceNextNumber"`
	CreditNoteNextNumber *int `json:"creditNoteNextNumber"`
	// InvoiceTime is when invoices are issued, as HH:MM in the operator's time zone.
	InvoiceTime string `json:"invoiceTime"`
	// GraceHours is how long an invoice stays a draft.
	GraceHours int `json:"graceHours"`
	// DunningPolicyID is the policy for unpaid invoices of accounts that have none of
	// their own; nil for no dunning. CollectionTime is when its steps are carried out, as
	// HH:MM in the operator's time zone.
	DunningPolicyID *DunningPolicyID `json:"dunningPolicyId"`
	CollectionTime  string           `json:"collectionTime"`
	// InvoicingStartsOn is the first day that is billed; nil if none is.
	InvoicingStartsOn *Date `json:"invoicingStartsOn"`

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// The formats of numbers that a new entity has.
const (
	InvoiceNumberFormat    = "INV-{YYYY}-{000000}"
	CreditNoteNumberFormat = "CN-{YYYY}-{000000}"
)

var checkNextNumber = Between(1, 999_999_999, "A series begins with a number from %d to %d, not %d.")

// NewEntity is an entity before anything is known of it.
func NewEntity() Entity {
	return Entity{NetPaymentDays: 14, InvoiceNumberFormat: InvoiceNumberFormat, CreditNoteNumberFormat: CreditNoteNumberFormat, InvoiceTime: "00:00", CollectionTime: "09:00"}
}

// EntityFields describes the fields of an entity.
var EntityFields = Fields[Entity]{
	{Fields: []Field[Entity]{
		Describe("name", "Name", func(e *Entity) *string { return &e.Name }, NameText).AsRequired(),
		Describe("code", "Code", func(e *Entity) *string { return &e.Code }, CheckCode).AsRequired().WithHelp("Unique."),
		Optional("legalName", "Legal name", func(e *Entity) **string { return &e.LegalName }, ShortText).WithHelp("As it is printed on invoices, if it is another."),
	}},
	{Title: "Address", Fields: []Field[Entity]{
		Optional("street", "Street", func(e *Entity) **string { return &e.Street }, ShortText),
		Optional("city", "City", func(e *Entity) **string { return &e.City }, ShortText),
		Optional("zip", "Postal code", func(e *Entity) **string { return &e.Zip }, ShortText),
		Optional("state", "State", func(e *Entity) **string { return &e.State }, ShortText),
		Describe("country", "Country", func(e *Entity) *string { return &e.Country }, CheckCountry).AsRequired().WithHelp("ISO 3166, such as DE."),
	}},
	{Title: "Tax", Fields: []Field[Entity]{
		Optional("taxNumber", "Tax number", func(e *Entity) **string { return &e.TaxNumber }, ShortText).WithHelp("In the EU, the VAT number with its country, such as DE123456789."),
		Optional("registrationNumber", "Registration number", func(e *Entity) **string { return &e.RegistrationNumber }, ShortText).WithHelp("Such as HRB 12345."),
		Describe("oss", "Declares sales in other EU countries by the One-Stop Shop", func(e *Entity) *bool { return &e.OSS }),
		Describe("acceptsUncheckedTaxNumbers", "Accepts tax numbers of customers that were not checked", func(e *Entity) *bool { return &e.AcceptsUncheckedTaxNumbers }),
	}},
	{Title: "Invoices", Fields: []Field[Entity]{
		Optional("invoicingStartsOn", "Invoicing starts on", func(e *Entity) **Date { return &e.InvoicingStartsOn }).WithHelp("Days before are never billed. Without a date, nothing is."),
		Describe("netPaymentDays", "Payment term in days", func(e *Entity) *int { return &e.NetPaymentDays },
			Between(0, 365, "Payment is due within %d to %d days, not %d.")).WithHelp("An account may have another.").AsRequired(),
		Describe("invoiceNumberFormat", "Numbers of invoices", func(e *Entity) *string { return &e.InvoiceNumberFormat }, ShortText).AsRequired().
			WithHelp("Text with {YYYY} or {YY} for the year and zeros such as {000000} for the count."),
		Describe("creditNoteNumberFormat", "Numbers of credit notes", func(e *Entity) *string { return &e.CreditNoteNumberFormat }, ShortText).AsRequired().
			WithHelp("The same as those of invoices for one series of both."),
		Optional("invoiceNextNumber", "First number of invoices", func(e *Entity) **int { return &e.InvoiceNextNumber }, checkNextNumber).
			WithHelp("To go on from another system, before the first invoice. Without it, 1."),
		Optional("creditNoteNextNumber", "First number of credit notes", func(e *Entity) **int { return &e.CreditNoteNextNumber }, checkNextNumber).
			WithHelp("Before the first credit note."),
		Describe("invoiceTime", "Time of day", func(e *Entity) *string { return &e.InvoiceTime }, checkTimeOfDay).AsRequired().WithHelp("When invoices are issued, such as 06:00."),
		Describe("graceHours", "Hours as a draft", func(e *Entity) *int { return &e.GraceHours },
			Between(0, 720, "An invoice is a draft for %d to %d hours, not %d.")).WithHelp("Before it is issued, an invoice can be looked at for so long.").AsRequired(),
	}},
	{Title: "Unpaid invoices", Folded: true, Fields: []Field[Entity]{
		Reference("dunningPolicyId", func(e *Entity) **DunningPolicyID { return &e.DunningPolicyID }),
		Describe("collectionTime", "Time of day of its steps", func(e *Entity) *string { return &e.CollectionTime }, checkTimeOfDay).AsRequired().WithHelp("When payments are collected and reminders sent, such as 09:00."),
	}},
	{Title: "Printed on documents", Folded: true, Fields: []Field[Entity]{
		Optional("email", "E-mail", func(e *Entity) **string { return &e.Email }, CheckEmail),
		Optional("phone", "Phone", func(e *Entity) **string { return &e.Phone }, ShortText),
		Optional("website", "Website", func(e *Entity) **string { return &e.Website }, ShortText),
		Optional("bankName", "Bank", func(e *Entity) **string { return &e.BankName }, ShortText),
		Optional("iban", "IBAN", func(e *Entity) **string { return &e.IBAN }, checkIBAN),
		Optional("bic", "BIC", func(e *Entity) **string { return &e.BIC }, checkBIC),
		Optional("footer", "Footer", func(e *Entity) **string { return &e.Footer }, LongText).AsLines(),
		Optional("logo", "", func(e *Entity) **string { return &e.Logo }, checkLogo),
	}},
}

// Check returns what is wrong with the entity, nil if nothing is. Formats of
// numbers are checked where all entities are known.
func (e *Entity) Check() Problems {
	p := EntityFields.Check(e)
	if e.TaxNumber != nil {
		p.Add(checkTaxNumber("taxNumber", e.Country, *e.TaxNumber))
	}
	return p
}

// Normalize removes the blanks of the bank account, and turns empty texts that
// have a form into none.
func (e *Entity) Normalize() {
	e.IBAN, e.BIC = tidyCode(e.IBAN), tidyCode(e.BIC)
	e.TaxNumber, e.Email, e.Logo = blankToNil(e.TaxNumber), EmptyToNil(e.Email), EmptyToNil(e.Logo)
}

func checkTimeOfDay(field, value string) *Error {
	if _, err := time.Parse("15:04", value); err != nil || len(value) != len("15:04") {
		return Invalidf(field, "%q is not a time of day. Write hours and minutes as HH:MM, such as 06:00.", Excerpt(value))
	}
	return nil
}

// InvoiceMoment is when the entity issues the invoices of a day.
func (e *Entity) InvoiceMoment(day Date, zone *time.Location) time.Time {
	return timeOfDay(e.InvoiceTime, day, zone)
}

// CollectionMoment is when the entity carries out the steps of a day.
func (e *Entity) CollectionMoment(day Date, zone *time.Location) time.Time {
	return timeOfDay(e.CollectionTime, day, zone)
}

// timeOfDay is a time of day, as HH:MM, on a day.
func timeOfDay(text string, day Date, zone *time.Location) time.Time {
	at, err := time.Parse("15:04", text)
	if err != nil {
		return day.Start(zone)
	}
	moment := time.Date(day.Year, day.Month, day.Day, at.Hour(), at.Minute(), 0, 0, zone)
	if start := day.Start(zone); moment.Before(start) {
		return start
	}
	return moment
}
