package billing

import (
	"strings"
	"time"
)

// Contact is a person of an account, known by a name or an e-mail address at
// least. FirstName is empty when it is not known.
type Contact struct {
	ID        ContactID `json:"id"`
	AccountID AccountID `json:"accountId"`
	FirstName string    `json:"firstName"`
	LastName  *string   `json:"lastName"`
	Email     *string   `json:"email"`
	Code      *string   `json:"code"`

	Title      *string `json:"title"`
	Salutation *string `json:"salutation"`
	Phone      *string `json:"phone"`
	Mobile     *string `json:"mobile"`

	MailingStreet  *string `json:"mailingStreet"`
	MailingCity    *string `json:"mailingCity"`
	MailingState   *string `json:"mailingState"`
	MailingZip     *string `json:"mailingZip"`
	MailingCountry *string `json:"mailingCountry"`

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// FullName is the first and the last name, as far as they are known.
func (c *Contact) FullName() string {
	if c.LastName == nil {
		return c.FirstName
	}
	return strings.TrimSpace(c.FirstName + " " + *c.LastName)
}

// Label is what people see of the contact in one line: its name, or else its
// address.
func (c *Contact) Label() string {
	if name := c.FullName(); name != "" || c.Email == nil {
		return name
	}
	return *c.Email
}

// Empty says that nothing is known of the contact. Clients that know of no
// contact send such an object instead of leaving it out.
func (c *Contact) Empty() bool {
	for f := range ContactFields.All() {
		switch text := f.At(c).(type) {
		case *string:
			if strings.TrimSpace(*text) != "" {
				return false
			}
		case **string:
			if *text != nil && strings.TrimSpace(**text) != "" {
				return false
			}
		}
	}
	return true
}

// ContactFields describes the fields of a contact.
var ContactFields = Fields[Contact]{
	{Fields: []Field[Contact]{
		Reference("accountId", func(c *Contact) *AccountID { return &c.AccountID }),
		Describe("firstName", "First name", func(c *Contact) *string { return &c.FirstName }, ShortText).
			AsNullable().WithHelp("A contact needs a name or an e-mail address."),
		Optional("lastName", "Last name", func(c *Contact) **string { return &c.LastName }, ShortText),
		Optional("email", "E-mail", func(c *Contact) **string { return &c.Email }, CheckEmail),
		Optional("phone", "Phone", func(c *Contact) **string { return &c.Phone }, ShortText),
	}},
	{Title: "More", Folded: true, Fields: []Field[Contact]{
		Optional("code", "Code", func(c *Contact) **string { return &c.Code }, CheckCode),
		Optional("salutation", "Salutation", func(c *Contact) **string { return &c.Salutation }, ShortText),
		Optional("title", "Title", func(c *Contact) **string { return &c.Title }, ShortText),
		Optional("mobile", "Mobile", func(c *Contact) **string { return &c.Mobile }, ShortText),
	}},
	address("Mailing address", "mailing", func(c *Contact) [5]**string {
		return [5]**string{&c.MailingStreet, &c.MailingCity, &c.MailingState, &c.MailingZip, &c.MailingCountry}
	}),
}

// Check returns what is wrong with the contact, nil if nothing is.
func (c *Contact) Check() Problems {
	var p Problems
	if isBlank(c.FirstName) && (c.LastName == nil || isBlank(*c.LastName)) && c.Email == nil {
		p.Add(Requiredf("firstName", "A contact needs a name or an e-mail address: give the first name, the last name or the address."))
	}
	return append(p, ContactFields.Check(c)...)
}

// Normalize turns an empty code and a blank name or address into none.
func (c *Contact) Normalize() {
	if strings.TrimSpace(c.FirstName) == "" {
		c.FirstName = ""
	}
	c.Code, c.LastName, c.Email = EmptyToNil(c.Code), blankToNil(c.LastName), blankToNil(c.Email)
}
