package console

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var entityPages *resource[billing.Entity, billing.EntityID]

// Set here, because pages refer to each other.
func init() {
	entityPages = &resource[billing.Entity, billing.EntityID]{
		path: "entities", one: "entity", many: "Entities", billing: true, kept: true, Resource: invoicing.Entities,
		name:   func(e *billing.Entity) string { return e.Name },
		about:  "An entity is one of your companies, which issues invoices. The first one is that of all accounts that name none.",
		hint:   "gmbh, country:DE",
		fields: billing.EntityFields,
		listed: []string{"code", "country", "taxNumber", "invoicingStartsOn"},
		show:   showEntity, ownFacts: true,
		begin: beginEntity,
		inputs: func(c *call, e *billing.Entity, _ bool) ([]ui.Section[billing.Entity], error) {
			policies, err := policyOptions(c)
			return ui.Sections(billing.EntityFields,
				ui.OptionalReference("dunningPolicyId", "Dunning policy", "None: unpaid invoices have no consequences",
					func(e *billing.Entity) **billing.DunningPolicyID { return &e.DunningPolicyID }, policies),
				ui.InputFor(billing.EntityFields, "name").Wide(),
				ui.InputFor(billing.EntityFields, "code").Suggested(),
				logoInput(e),
			), err
		},
	}
}

// policyOptions are the dunning policies to choose from.
func policyOptions(c *call) ([]ui.Option, error) {
	return optionsOf(c, store.DunningPolicies, nil, func(p *dunning.Policy) (billing.DunningPolicyID, string) { return p.ID, p.Name })
}

// beginEntity is what a new entity begins with. While the guide leads to the first
// invoice, invoicing starts today; otherwise somebody has to think of a day.
func beginEntity(c *call) (billing.Entity, error) {
	e := billing.NewEntity()
	g, err := guideOf(c)
	if err != nil || g == nil {
		return e, err
	}
	today, err := c.today(nil)
	e.InvoicingStartsOn = &today
	return e, err
}

func showEntity(c *call, e *billing.Entity) (*ui.Details, error) {
	data := &ui.Details{}
	entityFacts(data, e)
	entities, err := store.AllEntities(c.ctx(), c.q())
	if err != nil {
		return nil, err
	}
	isFirst := len(entities) > 0 && entities[0].ID == e.ID
	accounts, err := accountsBlock(c, e, entities)
	if err != nil {
		return nil, err
	}
	data.Blocks = []ui.Block{accounts}
	if e.InvoicingStartsOn != nil {
		return data, nil
	}
	missing, err := withoutCountryBlock(c, e, isFirst)
	if err != nil {
		return nil, err
	}
	data.Blocks = append([]ui.Block{missing}, data.Blocks...)
	unpriced, err := withoutRateBlock(c, e, isFirst)
	if len(unpriced.Table.Rows) > 0 {
		data.Blocks = append([]ui.Block{unpriced}, data.Blocks...)
	}
	return data, err
}

// accountsBlock is the accounts of an entity: all there are if it is the only one, else
// those that name it.
func accountsBlock(c *call, e *billing.Entity, entities []billing.Entity) (ui.Block, error) {
	const title = "Accounts"
	if len(entities) == 1 {
		return related(c, accountPages, title, "", 0, "")
	}
	b, err := related(c, accountPages, title, "entity", int64(e.ID), "")
	b.Empty = "No account names it."
	b.Note = ui.Ended("Accounts that name this entity. Those that name none belong to " + entities[0].Name)
	if entities[0].ID == e.ID {
		b.Note = "Accounts that name this entity. Those that name none belong to it, too."
	}
	return b, err
}

// withoutRateBlock is the subscriptions with a line whose price nobody knows any more: their
// accounts are set aside instead of being billed.
func withoutRateBlock(c *call, e *billing.Entity, isFirst bool) (ui.Block, error) {
	b := ui.Block{
		Title: "Subscriptions with a price that is not known", Table: ui.Table{Columns: subscriptionColumns},
		Note: "A charge was deleted before its price was kept with the subscription. Change their plan or quantities, or end them.",
	}
	subs, err := store.SubscriptionsWithoutRate(c.ctx(), c.q(), e.ID, isFirst, mostMissing)
	if err == nil {
		b.Table.Rows, err = subscriptionCells(c, subs)
	}
	return b, err
}

// mostMissing is how many accounts are listed that cannot be billed yet.
const mostMissing = 20

// withoutCountryBlock is what is missing before invoicing can start: accounts
// without the code of a country are set aside instead of being billed.
func withoutCountryBlock(c *call, e *billing.Entity, isFirst bool) (ui.Block, error) {
	b := ui.Block{Title: "Missing before invoicing starts", Table: ui.Table{Columns: []string{"Account", "Missing"}}, Empty: "All accounts have the code of a country."}
	accounts, err := store.AccountsWithoutCountry(c.ctx(), c.q(), e.ID, isFirst, mostMissing+1)
	if len(accounts) > mostMissing {
		accounts, b.Note = accounts[:mostMissing], "The first "+ui.Grouped(mostMissing)+" accounts that cannot be billed; there are more."
	}
	for n := range accounts {
		a := &accounts[n]
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Linked(a.Name, accountPages.href(a.ID)), ui.Plain(missingCountry(a))})
	}
	return b, err
}

// missingCountry says what an account needs before it can be billed.
func missingCountry(a *billing.Account) string {
	const country = "Country, which decides the tax"
	if a.BillingCountry == nil || strings.TrimSpace(*a.BillingCountry) == "" {
		return country
	}
	return country + ": a code such as DE instead of “" + billing.Excerpt(*a.BillingCountry) + "”"
}
