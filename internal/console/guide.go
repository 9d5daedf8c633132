package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// step is one step of setting up.
type step struct {
	Number int
	Title  string
	Text   string
	Done   bool
	Now    bool // the first that is not done
	Link   ui.Link
}

// guide leads a new installation to the webhook of its first subscription, and to
// its invoice.
type guide struct {
	steps []step
	// only is the subscription, if there is one.
	only *subscription.Subscription
	// seller is an entity that issues invoices.
	seller *billing.Entity
}

// findSeller finds an entity that issues invoices.
func (g *guide) findSeller(c *call) error {
	entities, err := store.AllEntities(c.ctx(), c.q())
	for n := range entities {
		if entities[n].InvoicingStartsOn != nil {
			g.seller = &entities[n]
		}
	}
	return err
}

// billing is where to see what the only subscription is billed.
func (g *guide) billing() ui.Link {
	if g.only == nil {
		return ui.Link{Text: "Invoices", Href: invoiceList.Href}
	}
	return ui.Link{Text: "See what is owed", Href: accountBillingHref(g.only.AccountID)}
}

// guideOf returns the guide, or nil when there is a second subscription and
// nobody needs it any more.
func guideOf(c *call) (*guide, error) {
	subs, err := store.Subscriptions.List(c.ctx(), c.q(), store.Page{Limit: 2})
	if err != nil || len(subs) > 1 {
		return nil, err
	}
	g := &guide{}
	if len(subs) > 0 {
		g.only = &subs[0]
	}
	provisions, begun, err := firstPlatform(c)
	if err != nil {
		return nil, err
	}
	if err := g.findSeller(c); err != nil {
		return nil, err
	}
	platform := "Your application, with its webhook address."
	if c.receiver != "" {
		platform += " If it has none yet, this server can receive them."
	}
	open := false
	for i, s := range []struct {
		title, text string
		link        ui.Link
		done        func() (bool, error)
	}{
		{"A platform", platform, begun, func() (bool, error) { return provisions, nil }},
		{"A product", "What you sell there.", ui.Link{Text: "New product", Href: "/products/new"}, func() (bool, error) { return some(c, store.Products) }},
		{"Its features", "What a tenant can have. One is enough.", ui.Link{Text: "New feature", Href: "/features/new"}, func() (bool, error) { return some(c, store.Features) }},
		{"A plan", "Features that are sold together.", ui.Link{Text: "New plan", Href: "/plans/new"}, func() (bool, error) { return some(c, store.Plans) }},
		{"A price list", "The plan's price, currency and term.", ui.Link{Text: "New price list", Href: "/price-lists/new"}, func() (bool, error) { return some(c, store.PriceLists) }},
		{"An account", "Your first customer, and its country.", ui.Link{Text: "New account", Href: "/accounts/new"}, func() (bool, error) { return some(c, store.Accounts) }},
		{"A subscription", "The customer buys the plan. Its webhook follows.", ui.Link{Text: "New subscription", Href: "/subscriptions/new"},
			func() (bool, error) { return g.only != nil, nil }},
		{"Your company", "Who issues invoices, and from when.", ui.Link{Text: "New entity", Href: "/entities/new"}, func() (bool, error) { return g.seller != nil, nil }},
		{"An invoice", "Issued by itself.", g.billing(), func() (bool, error) { return some(c, store.Invoices) }},
	} {
		done, err := s.done()
		if err != nil {
			return nil, err
		}
		g.steps = append(g.steps, step{Number: i + 1, Title: s.title, Text: s.text, Done: done, Now: !done && !open && c.may(billing.StandardWrite), Link: s.link})
		open = open || !done
	}
	return g, nil
}

// some reports whether a table has anything.
func some[T any, K ~int64](c *call, table *store.Table[T, K]) (bool, error) {
	rows, err := table.List(c.ctx(), c.q(), store.Page{Limit: 1})
	return len(rows) > 0, err
}

// firstPlatform says whether a platform can get webhooks: it provisions and has
// an address. If none does, next is how to have one.
func firstPlatform(c *call) (provisions bool, next ui.Link, err error) {
	rows, _, err := few(c, store.Platforms, 100, nil)
	next = ui.Link{Text: "New platform", Href: "/platforms/new"}
	for i := range rows {
		provisions = provisions || rows[i].ProvisioningEnabled && rows[i].WebhookURL != nil
		next = ui.Link{Text: "Give it a webhook URL", Href: platformPages.href(rows[i].ID) + "/edit"}
		if !rows[i].ProvisioningEnabled {
			next.Text = "Switch provisioning on"
		}
	}
	return provisions, next, err
}

// nextStep is where the guide goes on from a page that says that something was
// done, nil if it is over or the page is part of it.
func nextStep(c *call) (*ui.Link, error) {
	if !c.may(billing.StandardWrite) || c.r.URL.Path == "/" {
		return nil, nil
	}
	g, err := guideOf(c)
	if err != nil || g == nil {
		return nil, err
	}
	if g.only != nil && c.r.URL.Path == subscriptionHref(g.only.ID) {
		return &ui.Link{Text: "See its webhook", Href: "/#first"}, nil
	}
	if invoice := g.steps[len(g.steps)-1]; g.only != nil && g.seller != nil && !invoice.Done {
		return &ui.Link{Text: "See the first invoice", Href: "/#invoice"}, nil
	}
	for _, s := range g.steps {
		if s.Now {
			return &ui.Link{Text: "Next: " + ui.Uncapitalized(s.Title), Href: s.Link.Href}, nil
		}
	}
	return nil, nil
}

// fillSteps shows the guide, and the webhook that it leads to.
func fillSteps(c *call, data *homeData) error {
	g, err := guideOf(c)
	if err != nil || g == nil {
		return err
	}
	data.Steps = g.steps
	if g.only == nil {
		return nil
	}
	if data.First, err = firstWebhook(c, g.only); err != nil || g.seller == nil || !c.may(billing.BillingRead) {
		return err
	}
	data.Invoice, err = firstInvoice(c, g.only)
	if data.Invoice != nil && !data.Invoice.Poll {
		// It may have been issued since the steps were looked at, and a page that
		// shows it does not ask again.
		last := &g.steps[len(g.steps)-1]
		last.Done, last.Now = true, false
	}
	return err
}

// firstInvoice shows the invoice of the only subscription, or what keeps it from
// being issued.
func firstInvoice(c *call, s *subscription.Subscription) (*arrival, error) {
	rows, err := store.Invoices.List(c.ctx(), c.q(), store.Page{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		if err := store.WithItems(c.ctx(), c.q(), rows); err != nil {
			return nil, err
		}
		i := &rows[0]
		a := &arrival{
			Text:  invoiceName(i) + " asks for " + amountText(i.Amount, i.Currency) + ", of which " + amountText(i.TaxAmount, i.Currency) + " are tax.",
			State: ui.Badge("draft", ""), Link: ui.Link{Text: "Open the invoice", Href: invoiceHref(i.ID)},
		}
		if i.Number == "" {
			return a, nil
		}
		a.State, a.Then = ui.Badge("verified", "good"), &ui.Link{Text: "As PDF", Href: invoiceHref(i.ID) + "/pdf"}
		if wrong := verified(i.Number, &i.Link, i.Canonical, i.Verify); wrong != nil {
			a.State, a.Why = ui.Badge("not verified", "bad"), wrong.Error()
		}
		return a, nil
	}
	account, err := store.Accounts.Get(c.ctx(), c.q(), s.AccountID)
	if err != nil || account == nil {
		return nil, err
	}
	if account.BillingProblem != nil {
		return &arrival{Text: "It cannot be issued.", State: ui.Badge("set aside", "bad"), Why: *account.BillingProblem, Poll: true,
			Link: ui.Link{Text: "Edit the account", Href: accountPages.href(account.ID) + "/edit"}}, nil
	}
	return &arrival{Text: "It is issued when something is due, within seconds.", State: ui.Badge("not yet", "info"), Poll: true,
		Link: ui.Link{Text: "See what is owed, and when", Href: accountBillingHref(account.ID)}}, nil
}

// arrival is the first webhook or the first invoice of an installation.
type arrival struct {
	Text  string
	State ui.Cell
	Why   string
	Link  ui.Link
	// Then is what to do next, if it went to the server's own receiver.
	Then *ui.Link
	Body string
	Poll bool // it is on its way
}

// firstWebhook shows what became of the webhook of the only subscription.
func firstWebhook(c *call, s *subscription.Subscription) (*arrival, error) {
	events, err := log.ListEvents(c.ctx(), c.q(), store.Page{Limit: 1, Backwards: true})
	if err != nil {
		return nil, err
	}
	if s.TenantID == nil || len(events) == 0 {
		return &arrival{Text: "No webhook was recorded: the subscription has no tenant, or its platform does not provision.", State: ui.Badge("none", "warn"),
			Link: ui.Link{Text: "The subscription", Href: subscriptionHref(s.ID)}}, nil
	}
	e := &events[0]
	names, err := namesOfEvents(c, events)
	if err != nil {
		return nil, err
	}
	bodies, err := log.EventBodies(c.ctx(), c.q(), []billing.EventID{e.ID})
	if err != nil {
		return nil, err
	}
	state := names.state(e)
	a := &arrival{
		Text: "It is on its way.", State: deliveryState(state), Why: whyState(e, state, names), Link: ui.Link{Text: "All details", Href: eventHref(e.ID)},
		Body: ui.PrettyJSON(bodies[e.ID].Body), Poll: state != webhook.StateDelivered,
	}
	switch attempt := names.attempted[e.ID]; {
	case state == webhook.StateDelivered && attempt != nil && c.goesToReceiver(&attempt.URL):
		a.Text = "It arrived at this server's own receiver. This is what your application will be sent:"
		a.Then = &ui.Link{Text: "Is your application ready? Give the platform its address", Href: platformPages.href(e.PlatformID) + "/edit"}
	case state == webhook.StateDelivered:
		a.Text = "It arrived. This is what your application was sent:"
	case attempt != nil && attempt.Error != nil:
		a.Text = "It has not arrived yet: " + *attempt.Error
	}
	return a, nil
}
