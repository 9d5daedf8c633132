package console

import (
	"context"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// newMethod adds a payment method to an account.
var newMethod = documentAction[billing.Account]{
	path: "new-payment-method", title: "Add payment method", elsewhere: true, allowed: func(*billing.Account) bool { return true },
	about: "The account's invoices are collected with it from now on, at once if they are overdue. Card numbers never come here: give the name that the payment provider has for it.",
	begin: func(a *billing.Account) billingOrder {
		if a.TestClockID != nil {
			return billingOrder{Provider: string(collect.Test)}
		}
		return billingOrder{Provider: string(collect.Stripe)}
	},
	inputs: func(*call, *billing.Account) ([]ui.Section[billingOrder], error) {
		return []ui.Section[billingOrder]{{Inputs: []ui.Input[billingOrder]{
			ui.Choice("provider", "Payment provider", func(o *billingOrder) *string { return &o.Provider },
				ui.Option{Value: string(collect.Stripe), Text: "Stripe"}, ui.Option{Value: string(collect.Test), Text: "Test, which moves no money"}),
			ui.Text("token", "Token", func(o *billingOrder) *string { return &o.Token }).Wide().
				Help("Stripe: the ids of customer and payment method, such as cus_1/pm_1. Test: what happens, such as ok, declined, stolen, pending:3d:ok or chargeback:10d."),
		}}}, nil
	},
	says: sentences(func(a *billing.Account, _ *billingOrder) []string {
		return []string{"The invoices of " + a.Name + " are collected with this payment method from now on."}
	}),
	do: func(c *call, ctx context.Context, a *billing.Account, o *billingOrder) (*invoicing.Outcome, error) {
		_, err := c.service.Invoicing.PaymentMethodCreate(ctx, a.ID, collect.Provider(o.Provider), o.Token)
		return nil, err
	},
	done: func(a *billing.Account, _ *invoicing.Outcome) (string, string) {
		return accountBillingHref(a.ID), ui.Ended("Added a payment method of " + a.Name)
	},
}

// methodKind is what can be done with a payment method.
var methodKind documentKind[collect.Method]

// Set here, because pages refer to each other.
func init() {
	accounts := ui.Link{Text: "Accounts", Href: "/accounts"}
	active := func(m *collect.Method) bool { return m.State == collect.Active }
	back := func(m *collect.Method, said string) (string, string) { return accountBillingHref(m.AccountID), said }
	methodKind = documentKind[collect.Method]{
		path: "/accounts/{account}/payment-methods", list: accounts, find: findIn(store.PaymentMethods, "payment method", accounts),
		name: func(m *collect.Method) string { return m.Words() }, href: methodHref,
		actions: []documentAction[collect.Method]{
			{
				path: "default", title: "Collect with it", allowed: active, begin: emptyOrder[collect.Method],
				says: sentences(func(m *collect.Method, _ *billingOrder) []string {
					return []string{"Invoices are collected with " + m.Words() + " from now on, at once if they are overdue."}
				}),
				do: func(c *call, ctx context.Context, m *collect.Method, _ *billingOrder) (*invoicing.Outcome, error) {
					_, err := c.service.Invoicing.PaymentMethodMakeDefault(ctx, m.ID)
					return nil, err
				},
				done: func(m *collect.Method, _ *invoicing.Outcome) (string, string) {
					return back(m, "Invoices are collected with "+m.Words()+".")
				},
			},
			{
				path: "delete", title: "Remove", quiet: true, allowed: active, begin: emptyOrder[collect.Method],
				says: sentences(func(m *collect.Method, _ *billingOrder) []string {
					return []string{"Nothing is charged with " + m.Words() + " any more."}
				}),
				do: func(c *call, ctx context.Context, m *collect.Method, _ *billingOrder) (*invoicing.Outcome, error) {
					_, err := c.service.Invoicing.PaymentMethodDelete(ctx, m.ID)
					return nil, err
				},
				done: func(m *collect.Method, _ *invoicing.Outcome) (string, string) {
					return back(m, "Removed "+m.Words()+".")
				},
			},
		},
	}
}

func methodHref(m *collect.Method) string {
	return accountPages.href(m.AccountID) + "/payment-methods/" + ui.IDText(m.ID)
}

func methodState(a *billing.Account, m *collect.Method) ui.Cell {
	switch {
	case m.State == collect.Removed:
		return ui.Badge("removed", "")
	case a != nil && a.PaymentMethodID != nil && *a.PaymentMethodID == m.ID:
		return ui.Badge("in use", "good")
	}
	return ui.Badge("not in use", "info")
}

func showMethod(c *call, m *collect.Method) error {
	customer, err := accountOf(c, m.AccountID)
	if err != nil {
		return err
	}
	a, err := store.Accounts.Get(c.ctx(), c.q(), m.AccountID)
	if err != nil {
		return err
	}
	d := ui.Details{
		Name: m.Words(), Kind: "payment method", Here: methodHref(m), Actions: methodKind.offered(c, m), Badges: []ui.Cell{methodState(a, m)},
		Crumbs: []ui.Link{accountPages.listLink(), {Text: "Billing of " + customer.Text, Href: accountBillingHref(m.AccountID)}},
	}
	d.Fact("Customer", customer)
	d.Fact("Payment provider", ui.Plain(providerWord(m.Provider)))
	d.OptionalFact("Expires", m.Expires)
	d.OptionalFact("Mandate", &m.Mandate)
	d.Fact("Added", ui.Moment(m.CreatedAt))
	d.Fact("Id", ui.Code(ui.IDText(m.ID)))
	return showPage.show(c, d.Name, d)
}

func providerWord(p collect.Provider) string {
	if p == collect.Test {
		return "Test, which moves no money"
	}
	return string(p[:1]) + strings.ToLower(string(p[1:]))
}

// methodBlock has the payment methods of an account.
func methodBlock(c *call, a *billing.Account) (ui.Block, error) {
	b := ui.Block{Title: "Payment methods", Table: ui.Table{Columns: []string{"Payment method", "State", "Expires"}}, Empty: "None: the customer pays by itself."}
	if c.may(billing.BillingWrite) {
		b.Add = &ui.Link{Text: newMethod.title, Href: accountPages.href(a.ID) + "/" + newMethod.path}
	}
	methods, err := store.PaymentMethodsOf(c.ctx(), c.q(), []billing.AccountID{a.ID})
	for n := range methods {
		m := &methods[n]
		expires := ""
		if m.Expires != nil {
			expires = *m.Expires
		}
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Linked(m.Words(), methodHref(m)), methodState(a, m), ui.OrDash(expires)})
	}
	return b, err
}
