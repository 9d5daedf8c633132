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

func accountInputs(c *call, a *billing.Account, isNew bool) ([]section[billing.Account], error) {
	clocks, err := optionsOf(c, store.TestClocks, nil, func(t *billing.TestClock) (billing.TestClockID, string) { return t.ID, t.Name })
	if err != nil {
		return nil, err
	}
	billingInputs := []input[billing.Account]{
		whole("billingDay", "Billing day", func(a *billing.Account) *int { return &a.BillingDay }).help("Day of the month, 1 to 31.").required(),
		maybe("currencyId", "Currency", func(a *billing.Account) **string { return &a.CurrencyID }).help("ISO 4217, such as EUR."),
		maybe("timezone", "Time zone", func(a *billing.Account) **string { return &a.Timezone }).help("Such as Europe/Berlin."),
		maybe("taxNumber", "Tax number", func(a *billing.Account) **string { return &a.TaxNumber }),
		maybeWhole("netPaymentDays", "Payment term in days", func(a *billing.Account) **int { return &a.NetPaymentDays }),
		maybeRefer("testClockId", "Test clock", "None: real time", func(a *billing.Account) **billing.TestClockID { return &a.TestClockID }, clocks).
			help("Only while the account has no subscriptions."),
	}
	if !isNew {
		contacts, err := optionsOf(c, store.Contacts, term("account", a.ID), func(p *billing.Contact) (billing.ContactID, string) { return p.ID, p.Label() })
		if err != nil {
			return nil, err
		}
		billingInputs = append(billingInputs, maybeRefer("billingContactId", "Billing contact", "None",
			func(a *billing.Account) **billing.ContactID { return &a.BillingContactID }, contacts))
	}
	return []section[billing.Account]{
		{inputs: []input[billing.Account]{
			text("name", "Name", func(a *billing.Account) *string { return &a.Name }).required().wide(),
			maybe("code", "Code", func(a *billing.Account) **string { return &a.Code }).help("What your other systems call it. Unique, if given."),
		}},
		{title: "Billing", inputs: billingInputs},
		{title: "Billing address", folded: true, inputs: addressInputs("billing", func(a *billing.Account) [5]**string {
			return [5]**string{&a.BillingStreet, &a.BillingCity, &a.BillingState, &a.BillingZip, &a.BillingCountry}
		})},
		{title: "Shipping address", folded: true, inputs: addressInputs("shipping", func(a *billing.Account) [5]**string {
			return [5]**string{&a.ShippingStreet, &a.ShippingCity, &a.ShippingState, &a.ShippingZip, &a.ShippingCountry}
		})},
		{title: "More", folded: true, inputs: []input[billing.Account]{
			maybe("phone", "Phone", func(a *billing.Account) **string { return &a.Phone }),
			maybe("fax", "Fax", func(a *billing.Account) **string { return &a.Fax }),
			maybe("website", "Website", func(a *billing.Account) **string { return &a.Website }),
			area("description", "Description", func(a *billing.Account) **string { return &a.Description }),
		}},
	}, nil
}

// addressInputs are the fields of an address, whose names begin with prefix.
func addressInputs[T any](prefix string, of func(*T) [5]**string) []input[T] {
	all := make([]input[T], 5)
	for i, part := range [5][2]string{{"Street", "Street"}, {"City", "City"}, {"State", "State"}, {"Zip", "Postal code"}, {"Country", "Country"}} {
		all[i] = maybe(prefix+part[0], part[1], func(row *T) **string { return of(row)[i] })
	}
	return all
}

func showAccount(c *call, a *billing.Account) (*showData, error) {
	data := &showData{}
	data.fact("Code", ui.Code(ui.Deref(a.Code)))
	data.fact("Billing day", ui.Number(a.BillingDay))
	data.known("Currency", a.CurrencyID)
	data.known("Time zone", a.Timezone)
	data.known("Tax number", a.TaxNumber)
	data.known("Phone", a.Phone)
	data.known("Website", a.Website)
	data.known("Description", a.Description)
	if a.TestClockID != nil {
		clock, err := clockCell(c, *a.TestClockID)
		if err != nil {
			return nil, err
		}
		data.fact("Test clock", clock)
	}
	data.fact("Created", ui.Moment(a.CreatedAt))
	data.fact("Id", ui.Code(ui.IDText(a.ID)))
	if a.BillingContactID != nil {
		contact, err := store.Contacts.Get(c.ctx(), c.q(), *a.BillingContactID)
		if err != nil {
			return nil, err
		}
		if contact != nil {
			data.fact("Billing contact", ui.Linked(contact.Label(), contactPages.href(contact.ID)))
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
	data.Blocks = []block{subs, contacts, tenants}
	return data, nil
}
