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
	for _, text := range []*string{
		&c.FirstName, c.LastName, c.Email, c.Code, c.Title, c.Salutation, c.Phone, c.Mobile,
		c.MailingStreet, c.MailingCity, c.MailingState, c.MailingZip, c.MailingCountry,
	} {
		if text != nil && strings.TrimSpace(*text) != "" {
			return false
		}
	}
	return true
}

// Check returns what is wrong with the contact, nil if nothing is.
func (c *Contact) Check() Problems {
	var p Problems
	if isBlank(c.FirstName) && (c.LastName == nil || isBlank(*c.LastName)) && c.Email == nil {
		p.add(required("firstName", "A contact needs a name or an e-mail address: give the first name, the last name or the address."))
	}
	p.add(checkText("firstName", c.FirstName, MaxName))
	p.add(optional("email", c.Email, checkEmail))
	p.add(optional("code", c.Code, checkCode))
	p.add(shortTexts(
		named{"lastName", c.LastName}, named{"title", c.Title}, named{"salutation", c.Salutation},
		named{"phone", c.Phone}, named{"mobile", c.Mobile},
		named{"mailingStreet", c.MailingStreet}, named{"mailingCity", c.MailingCity},
		named{"mailingState", c.MailingState}, named{"mailingZip", c.MailingZip},
		named{"mailingCountry", c.MailingCountry},
	)...)
	return p
}
