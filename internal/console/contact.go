package console

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var contactPages *resource[billing.Contact, billing.ContactID]

// Set here, because pages refer to each other.
func init() {
	contactPages = &resource[billing.Contact, billing.ContactID]{
		path: "contacts", one: "contact", many: "Contacts", table: store.Contacts,
		name:      func(p *billing.Contact) string { return p.Label() },
		changedAt: func(p *billing.Contact) time.Time { return p.UpdatedAt },
		about:     "A contact is a person at an account. Webhooks include the account's contacts.",
		hint:      "miller, email:ann@example.com, account:acme",
		columns:   []string{"Name", "E-mail", "Account", "Created"},
		cells:     contactCells,
		show:      showContact,
		inputs:    contactInputs,
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
		remove: func(c *call, ctx context.Context, id billing.ContactID) error {
			_, err := c.service.Customers.ContactDelete(ctx, id)
			return err
		},
		owner: func(p *billing.Contact) string { return accountPages.href(p.AccountID) },
	}
}

func contactCells(c *call, rows []billing.Contact) ([][]ui.Cell, error) {
	owners, err := byID(c, store.Accounts, accountPages.id, ids(rows, func(p *billing.Contact) billing.AccountID { return p.AccountID }))
	if err != nil {
		return nil, err
	}
	table := make([][]ui.Cell, len(rows))
	for i := range rows {
		p := &rows[i]
		table[i] = []ui.Cell{ui.Linked(p.Label(), contactPages.href(p.ID)), ui.OrDash(ui.Deref(p.Email)), accountCell(owners, p.AccountID), ui.Moment(p.CreatedAt)}
	}
	return table, nil
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

func showContact(c *call, p *billing.Contact) (*ui.Details, error) {
	a, err := store.Accounts.Get(c.ctx(), c.q(), p.AccountID)
	if err != nil {
		return nil, err
	}
	data := &ui.Details{}
	if a != nil {
		data.Crumbs = []ui.Link{accountPages.listLink(), {Text: a.Name, Href: accountPages.href(a.ID)}}
		data.Fact("Account", ui.Linked(a.Name, accountPages.href(a.ID)))
	}
	ui.Describe(data, billing.ContactFields, p, "firstName", "lastName")
	data.Fact("Created", ui.Moment(p.CreatedAt))
	data.Fact("Id", ui.Code(ui.IDText(p.ID)))
	return data, nil
}
