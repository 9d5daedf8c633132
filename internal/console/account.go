package console

import (
	"context"
	"strconv"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var accountPages *resource[billing.Account, billing.AccountID]

// Set here, because pages refer to each other.
func init() {
	accountPages = &resource[billing.Account, billing.AccountID]{
		path: "accounts", one: "account", many: "Accounts", table: store.Accounts,
		id:        func(a *billing.Account) billing.AccountID { return a.ID },
		name:      func(a *billing.Account) string { return a.Name },
		changedAt: func(a *billing.Account) time.Time { return a.UpdatedAt },
		about:     "An account is one of your customers. It has contacts, and subscriptions to your products.",
		hint:      "acme, code:acme, created:>=2026-01-01",
		columns:   []string{"Name", "Code", "Billing day", "Currency", "Created"},
		cells:     accountCells,
		show:      showAccount,
		inputs:    accountInputs,
		begin: func(c *call) (billing.Account, error) {
			return billing.Account{BillingDay: c.now().UTC().Day()}, nil
		},
		create: func(c *call, ctx context.Context, edit func(*billing.Account) error) (*billing.Account, error) {
			return c.service.Customers.AccountCreate(ctx, edit, nil)
		},
		update: func(c *call, ctx context.Context, id billing.AccountID, edit func(*billing.Account) error) (*billing.Account, error) {
			return c.service.Customers.AccountUpdate(ctx, id, edit, nil)
		},
		remove: func(c *call, ctx context.Context, id billing.AccountID) error {
			_, err := c.service.Customers.AccountDelete(ctx, id)
			return err
		},
		losses: func(*call, *billing.Account) (string, error) {
			return "Its contacts are deleted with it.", nil
		},
	}
}

func accountCells(_ *call, rows []billing.Account) ([][]ui.Cell, error) {
	table := make([][]ui.Cell, len(rows))
	for i := range rows {
		a := &rows[i]
		name := ui.Linked(a.Name, accountPages.href(a.ID))
		if a.TestClockID != nil {
			name = name.WithSub("on test clock " + ui.IDText(*a.TestClockID))
		}
		table[i] = []ui.Cell{name, ui.Code(ui.Deref(a.Code)), ui.Number(a.BillingDay), ui.OrDash(ui.Deref(a.CurrencyID)), ui.Moment(a.CreatedAt)}
	}
	return table, nil
}

func accountInputs(c *call, a *billing.Account, isNew bool) ([]ui.Section[billing.Account], error) {
	clocks, err := optionsOf(c, store.TestClocks, nil, func(t *billing.TestClock) (billing.TestClockID, string) { return t.ID, t.Name })
	if err != nil {
		return nil, err
	}
	billingInputs := []ui.Input[billing.Account]{
		ui.Int("billingDay", "Billing day", func(a *billing.Account) *int { return &a.BillingDay }).Help("Day of the month, 1 to 31.").Required(),
		ui.OptionalText("currencyId", "Currency", func(a *billing.Account) **string { return &a.CurrencyID }).Help("ISO 4217, such as EUR."),
		ui.OptionalText("timezone", "Time zone", func(a *billing.Account) **string { return &a.Timezone }).Help("Such as Europe/Berlin."),
		ui.OptionalText("taxNumber", "Tax number", func(a *billing.Account) **string { return &a.TaxNumber }),
		ui.OptionalInt("netPaymentDays", "Payment term in days", func(a *billing.Account) **int { return &a.NetPaymentDays }),
		ui.OptionalReference("testClockId", "Test clock", "None: real time", func(a *billing.Account) **billing.TestClockID { return &a.TestClockID }, clocks).
			Help("Only while the account has no subscriptions."),
	}
	if !isNew {
		contacts, err := optionsOf(c, store.Contacts, term("account", a.ID), func(p *billing.Contact) (billing.ContactID, string) { return p.ID, p.Label() })
		if err != nil {
			return nil, err
		}
		billingInputs = append(billingInputs, ui.OptionalReference("billingContactId", "Billing contact", "None",
			func(a *billing.Account) **billing.ContactID { return &a.BillingContactID }, contacts))
	}
	return []ui.Section[billing.Account]{
		{Inputs: []ui.Input[billing.Account]{
			ui.Text("name", "Name", func(a *billing.Account) *string { return &a.Name }).Required().Wide(),
			ui.OptionalText("code", "Code", func(a *billing.Account) **string { return &a.Code }).Help("What your other systems call it. Unique, if given."),
		}},
		{Title: "Billing", Inputs: billingInputs},
		{Title: "Billing address", Folded: true, Inputs: addressInputs("billing", func(a *billing.Account) [5]**string {
			return [5]**string{&a.BillingStreet, &a.BillingCity, &a.BillingState, &a.BillingZip, &a.BillingCountry}
		})},
		{Title: "Shipping address", Folded: true, Inputs: addressInputs("shipping", func(a *billing.Account) [5]**string {
			return [5]**string{&a.ShippingStreet, &a.ShippingCity, &a.ShippingState, &a.ShippingZip, &a.ShippingCountry}
		})},
		{Title: "More", Folded: true, Inputs: []ui.Input[billing.Account]{
			ui.OptionalText("phone", "Phone", func(a *billing.Account) **string { return &a.Phone }),
			ui.OptionalText("fax", "Fax", func(a *billing.Account) **string { return &a.Fax }),
			ui.OptionalText("website", "Website", func(a *billing.Account) **string { return &a.Website }),
			ui.TextArea("description", "Description", func(a *billing.Account) **string { return &a.Description }),
		}},
	}, nil
}

// addressInputs are the fields of an address, whose names begin with prefix.
func addressInputs[T any](prefix string, of func(*T) [5]**string) []ui.Input[T] {
	all := make([]ui.Input[T], 5)
	for i, part := range [5][2]string{{"Street", "Street"}, {"City", "City"}, {"State", "State"}, {"Zip", "Postal code"}, {"Country", "Country"}} {
		all[i] = ui.OptionalText(prefix+part[0], part[1], func(row *T) **string { return of(row)[i] })
	}
	return all
}

func showAccount(c *call, a *billing.Account) (*ui.Details, error) {
	data := &ui.Details{}
	data.Fact("Code", ui.Code(ui.Deref(a.Code)))
	data.Fact("Billing day", ui.Number(a.BillingDay))
	data.OptionalFact("Currency", a.CurrencyID)
	data.OptionalFact("Time zone", a.Timezone)
	data.OptionalFact("Tax number", a.TaxNumber)
	data.OptionalFact("Phone", a.Phone)
	data.OptionalFact("Website", a.Website)
	data.OptionalFact("Description", a.Description)
	if a.TestClockID != nil {
		clock, err := clockCell(c, *a.TestClockID)
		if err != nil {
			return nil, err
		}
		data.Fact("Test clock", clock)
	}
	data.Fact("Created", ui.Moment(a.CreatedAt))
	data.Fact("Id", ui.Code(ui.IDText(a.ID)))
	if a.BillingContactID != nil {
		contact, err := store.Contacts.Get(c.ctx(), c.q(), *a.BillingContactID)
		if err != nil {
			return nil, err
		}
		if contact != nil {
			data.Fact("Billing contact", ui.Linked(contact.Label(), contactPages.href(contact.ID)))
		}
	}
	owner := int64(a.ID)
	subs, err := subscriptionBlock(c, "account", owner)
	if err != nil {
		return nil, err
	}
	if c.may(billing.StandardWrite) {
		subs.Add = &ui.Link{Text: "New subscription", Href: "/subscriptions/new?accountId=" + strconv.FormatInt(owner, 10)}
	}
	contacts, err := related(c, contactPages, "Contacts", "account", owner, "accountId")
	if err != nil {
		return nil, err
	}
	tenants, err := related(c, tenantPages, "Tenants", "account", owner, "")
	if err != nil {
		return nil, err
	}
	data.Blocks = []ui.Block{subs, contacts, tenants}
	return data, nil
}
