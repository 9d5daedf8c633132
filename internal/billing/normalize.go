package billing

import "strings"

// Normalize turns an empty code into none.
func (a *Account) Normalize() { a.Code = emptyToNil(a.Code) }

// Normalize turns an empty code and a blank name or address into none.
func (c *Contact) Normalize() {
	if strings.TrimSpace(c.FirstName) == "" {
		c.FirstName = ""
	}
	c.Code, c.LastName, c.Email = emptyToNil(c.Code), blankToNil(c.LastName), blankToNil(c.Email)
}

// Normalize turns an empty URL or header name into none. A plain signature is
// made with SHA-256 unless something else is said.
func (p *Platform) Normalize() {
	p.WebhookURL, p.PlainSignatureHeader = emptyToNil(p.WebhookURL), emptyToNil(p.PlainSignatureHeader)
	if p.PlainSignatureHeader != nil && p.PlainSignatureAlgorithm == nil {
		usual := SHA256
		p.PlainSignatureAlgorithm = &usual
	}
}

// Normalize turns an empty code into none.
func (p *Plan) Normalize() { p.Code = emptyToNil(p.Code) }
