package console

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var contactPages *resource[billing.Contact, billing.ContactID]

// Set here, because pages refer to each other.
func init() {
	contactPages = &resource[billing.Contact, billing.ContactID]{
		path: "contacts", one: "contact", many: "Contacts", Resource: customers.Contacts,
		name:   func(p *billing.Contact) string { return p.Label() },
		about:  "A contact is a person at an account. Webhooks include the account's contacts.",
		hint:   "miller, email:ann@example.com, account:acme",
		fields: billing.ContactFields,
		listed: []string{"email", "accountId"},
		parent: "accountId",
		inputs: contactInputs,
		begin: func(c *call) (billing.Contact, error) {
			return billing.Contact{AccountID: queryID[billing.AccountID](c, "accountId")}, nil
		},
		create: func(c *call, ctx context.Context, edit func(*billing.Contact) error) (*billing.Contact, error) {
			if err := withAccount(c, "accountId"); err != nil {
				return nil, err
			}
			return c.service.Customers.ContactCreate(ctx, edit)
		},
		update: func(c *call, ctx context.Context, id billing.ContactID, edit func(*billing.Contact) error) (*billing.Contact, error) {
			return c.service.Customers.ContactUpdate(ctx, id, edit)
		},
		remove: func(c *call, ctx context.Context, id billing.ContactID) (*billing.Contact, error) {
			return c.service.Customers.ContactDelete(ctx, id)
		},
	}
}

// accountCell links to an account that was loaded.
func accountCell(known map[billing.AccountID]*billing.Account, id billing.AccountID) ui.Cell {
	if a := known[id]; a != nil {
		return ui.Linked(a.Name, accountPages.href(id))
	}
	return ui.Muted("account " + ui.IDText(id))
}

func contactInputs(c *call, p *billing.Contact, isNew bool) ([]ui.Section[billing.Contact], error) {
	var owner ui.Input[billing.Contact]
	if isNew {
		owner = accountLookup(c, "accountId", "Account", func(p *billing.Contact) *billing.AccountID { return &p.AccountID })
	} else {
		a, err := store.Accounts.Get(c.ctx(), c.q(), p.AccountID)
		if err != nil {
			return nil, err
		}
		if a != nil {
			owner = ui.Fixed[billing.Contact]("accountId", "Account", a.Name)
		}
	}
	return ui.Sections(billing.ContactFields, owner.Wide(), ui.InputFor(billing.ContactFields, "email").Kind(ui.FieldEmail)), nil
}
