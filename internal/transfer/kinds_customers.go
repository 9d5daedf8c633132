package transfer

import (
	"github.com/tenantry/tenantry/internal/billing"
)

// rowKinds are the types of lines whose rows fit into memory, in the order in
// which they are written: what others refer to comes first.
var rowKinds []rowKind

// Set here, because kinds refer to each other.
func init() {
	rowKinds = []rowKind{policies, emailTemplates, entities, taxRates, platforms, eventEndpoints, products, features, plans, planFeatures, priceLists, charges}
	for _, k := range rowKinds {
		Kinds = append(Kinds, k.kindName())
	}
	Kinds = append(Kinds, accountKind, contactKind, tenantKind, subscriptionKind, invoiceKind)
}

// Kinds are all types of lines, in their order.
var Kinds []string

// The types of lines of which there can be many.
const (
	accountKind      = "account"
	contactKind      = "contact"
	tenantKind       = "tenant"
	subscriptionKind = "subscription"
	invoiceKind      = "invoice"
)

// lineOf returns an empty line of a type, nil if there is no such type.
func lineOf(kind string) line {
	for _, k := range rowKinds {
		if k.kindName() == kind {
			return k.newLine()
		}
	}
	switch kind {
	case accountKind:
		return &accountLine{row: new(billing.Account)}
	case contactKind:
		return &contactLine{row: new(billing.Contact)}
	case tenantKind:
		return &tenantLine{row: new(billing.Tenant)}
	case subscriptionKind:
		return &subscriptionLine{}
	case invoiceKind:
		return &invoiceLine{}
	}
	return nil
}

// line is a line that was read, or is to be written.
type line interface {
	// fields are all that it can say.
	fields() []field
	// names are the fields that identify it, and key their values.
	names() []string
	key() []string
}

type accountLine struct {
	row *billing.Account
	// catalog has the entities; nil if none are known.
	catalog *knownCatalog
}

func (l *accountLine) names() []string { return []string{"code"} }
func (l *accountLine) key() []string   { return []string{text(l.row.Code)} }
func (l *accountLine) fields() []field {
	return described(billing.AccountFields, l.row, instead{
		"entityId":        {name: "entity", read: l.readEntity, write: l.writeEntity},
		"dunningPolicyId": {name: "dunningPolicy", read: l.readPolicy, write: l.writePolicy},
	})
}

// readPolicy finds the dunning policy that a line names by its code.
func (l *accountLine) readPolicy(value []byte) error {
	var code *string
	if err := (&field{name: "dunningPolicy", at: &code}).set(value); err != nil {
		return err
	}
	if l.row.DunningPolicyID = nil; code == nil || l.catalog == nil {
		return nil
	}
	p := policies.find(l.catalog, *code)
	if p == nil {
		return bare(missing("", "dunning policy", *code))
	}
	l.row.DunningPolicyID = &p.ID
	return nil
}

func (l *accountLine) writePolicy() any {
	if l.row.DunningPolicyID == nil || l.catalog == nil {
		return nil
	}
	return policies.code(l.catalog, *l.row.DunningPolicyID)
}

// readEntity finds the entity that a line names by its code.
func (l *accountLine) readEntity(value []byte) error {
	var code *string
	if err := (&field{name: "entity", at: &code}).set(value); err != nil {
		return err
	}
	if l.row.EntityID = nil; code == nil || l.catalog == nil {
		return nil
	}
	e := entities.find(l.catalog, *code)
	if e == nil {
		return bare(missing("", "entity", *code))
	}
	l.row.EntityID = &e.ID
	return nil
}

func (l *accountLine) writeEntity() any {
	if l.row.EntityID == nil || l.catalog == nil {
		return nil
	}
	return entities.code(l.catalog, *l.row.EntityID)
}

type contactLine struct {
	row     *billing.Contact
	account string
	billing *bool
}

// A contact is told apart within its account by what it has: see
// customers.ContactKey.
func (l *contactLine) names() []string { return []string{"account"} }
func (l *contactLine) key() []string   { return []string{l.account} }
func (l *contactLine) fields() []field {
	return described(billing.ContactFields, l.row, instead{"accountId": {name: "account", at: &l.account}}, field{name: "billing", at: &l.billing})
}

type tenantLine struct {
	row               *billing.Tenant
	platform, account string
	sequence          *int
}

func (l *tenantLine) names() []string { return []string{"platform", "code"} }
func (l *tenantLine) key() []string   { return []string{l.platform, l.row.Code} }
func (l *tenantLine) fields() []field {
	return described(billing.TenantFields, l.row, instead{
		"platformId": {name: "platform", at: &l.platform}, "accountId": {name: "account", at: &l.account},
	}, field{name: "sequence", at: &l.sequence})
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
