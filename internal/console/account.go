package console

import (
	"context"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var accountPages *resource[billing.Account, billing.AccountID]

// Set here, because pages refer to each other.
func init() {
	accountPages = &resource[billing.Account, billing.AccountID]{
		path: "accounts", one: "account", many: "Accounts", Resource: customers.Accounts,
		name:   func(a *billing.Account) string { return a.Name },
		about:  "An account is one of your customers. It has contacts, and subscriptions to your products.",
		hint:   "acme, code:acme, created:>=2026-01-01",
		fields: billing.AccountFields,
		listed: []string{"code", "billingDay", "currencyId"},
		notes:  clocksOfAccounts,
		show:   showAccount, said: []string{"taxNumber", "locale", "draftInvoices", "autoApplyCredits", "taxExempt", "taxExemptReason"},
		inputs: accountInputs,
		begin: func(c *call) (billing.Account, error) {
			return billing.NewAccount(c.now().UTC().Day()), nil
		},
		create: func(c *call, ctx context.Context, edit func(*billing.Account) error) (*billing.Account, error) {
			return c.service.Customers.AccountCreate(ctx, edit, nil)
		},
		update: updateAccount,
		losses: func(*call, *billing.Account) (string, error) {
			return "Its contacts are deleted with it.", nil
		},
	}
}

// clocksOfAccounts name the test clocks that accounts are on.
func clocksOfAccounts(c *call, rows []billing.Account) (map[billing.AccountID]string, error) {
	clocks, err := onClocks(c, ids(rows, func(a *billing.Account) billing.TestClockID { return ui.Deref(a.TestClockID) }))
	notes := map[billing.AccountID]string{}
	for n := range rows {
		notes[rows[n].ID] = clocks[ui.Deref(rows[n].TestClockID)]
	}
	return notes, err
}

// updateAccount saves the form of an account. The form has the state of the tax
// number too: with another number, one that was left as it was is that of the old
// number.
func updateAccount(c *call, ctx context.Context, id billing.AccountID, edit func(*billing.Account) error) (*billing.Account, error) {
	before, err := store.Accounts.Get(ctx, c.service.Read(), id)
	if err != nil {
		return nil, err
	}
	return c.service.Customers.AccountUpdate(ctx, id, func(a *billing.Account) error {
		err := edit(a)
		if before != nil && a.TaxNumberState == before.TaxNumberState {
			a.TaxNumberState = ""
		}
		return err
	}, nil)
}

func accountInputs(c *call, a *billing.Account, isNew bool) ([]ui.Section[billing.Account], error) {
	clocks, err := optionsOf(c, store.TestClocks, nil, func(t *billing.TestClock) (billing.TestClockID, string) { return t.ID, t.Name })
	if err != nil {
		return nil, err
	}
	entities, err := optionsOf(c, store.Entities, nil, func(e *billing.Entity) (billing.EntityID, string) { return e.ID, e.Name })
	if err != nil {
		return nil, err
	}
	policies, err := policyOptions(c)
	if err != nil {
		return nil, err
	}
	special := []ui.Input[billing.Account]{
		ui.OptionalReference("dunningPolicyId", "Dunning policy", "That of the entity", func(a *billing.Account) **billing.DunningPolicyID { return &a.DunningPolicyID }, policies),
		ui.OptionalReference("entityId", "Invoiced by", "The first entity", func(a *billing.Account) **billing.EntityID { return &a.EntityID }, entities),
		ui.Choice("collection", "Invoiced", func(a *billing.Account) *billing.Collection { return &a.Collection },
			ui.Option{Value: string(billing.CollectAsDue), Text: "When something is due"}, ui.Option{Value: string(billing.CollectOnBillingDay), Text: "On the billing day"}),
		ui.Choice("taxNumberState", "Tax number is", func(a *billing.Account) *billing.TaxNumberState { return &a.TaxNumberState },
			ui.Option{Value: string(billing.TaxNumberUnchecked), Text: "Not checked"}, ui.Option{Value: string(billing.TaxNumberValid), Text: "Valid"}, ui.Option{Value: string(billing.TaxNumberInvalid), Text: "Not valid"}),
		ui.InputFor(billing.AccountFields, "name").Wide(),
		ui.OptionalReference("testClockId", "Test clock", "None: real time", func(a *billing.Account) **billing.TestClockID { return &a.TestClockID }, clocks).
			Help("Only while the account has no subscriptions."),
	}
	if !isNew {
		contacts, err := optionsOf(c, store.Contacts, term("account", a.ID), func(p *billing.Contact) (billing.ContactID, string) { return p.ID, p.Label() })
		if err != nil {
			return nil, err
		}
		special = append(special, ui.OptionalReference("billingContactId", "Billing contact", "None",
			func(a *billing.Account) **billing.ContactID { return &a.BillingContactID }, contacts))
	}
	special = append(special, ui.InputFor(billing.AccountFields, "billingCountry").Help("ISO 3166, such as DE. It decides the tax: without it, the account cannot be billed."))
	sections := ui.Sections(billing.AccountFields, special...)
	for n := range sections {
		if sections[n].Title == "Billing address" && a.BillingCountry == nil {
			sections[n].Folded = false
		}
	}
	return sections, nil
}

func showAccount(c *call, a *billing.Account) (*ui.Details, error) {
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
	data := &ui.Details{Blocks: []ui.Block{subs, contacts, tenants}}
	if err := accountStanding(c, data, a); err != nil {
		return nil, err
	}
	accountInvoicing(data, a)
	return data, billingOfAccount(c, a, data)
}
