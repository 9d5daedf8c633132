package billing

import (
	"strings"
	"time"
)

// Contact is a person of an account.
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

// Check returns what is wrong with the contact, nil if nothing is.
func (c *Contact) Check() Problems {
	var p Problems
	p.add(requireText("firstName", c.FirstName, MaxName))
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
