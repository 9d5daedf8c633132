package console

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/impact"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// newOrder is a subscription that somebody wants made.
type newOrder struct {
	order
	Account    billing.AccountID
	Trial      bool
	TrialAgain bool
	Start      string
	Evergreen  bool
	AlignTo    subscription.Alignment
}

func newSubscriptionRoutes() []route {
	return []route{
		{pattern: "GET /subscriptions/new", scope: billing.StandardWrite, do: newSubscription},
		{pattern: "POST /subscriptions/new", scope: billing.StandardWrite, do: makeSubscription},
	}
}

// chooseData is what the page shows that asks for the price list first, because
// the rest of the form depends on it.
type chooseData struct {
	Title     string
	AccountID string
	Groups    []chooseGroup
}

type chooseGroup struct {
	Product string
	Lists   []pricedLink
}

// pricedLink is a price list with what it costs, in a sentence.
type pricedLink struct {
	ui.Link
	Price string
}

var choosePage = newPage[chooseData]("choose")

func newSubscription(c *call) error {
	offer, err := chosenOffer(c)
	if err != nil {
		return err
	}
	if offer == nil {
		lists, _, err := few(c, store.PriceLists, 2, nil)
		if err != nil {
			return err
		}
		if len(lists) == 1 {
			if offer, err = offerOf(c, lists[0].ID); err != nil {
				return err
			}
		}
		if offer == nil {
			return chooseList(c)
		}
	}
	return showNewSubscription(c, http.StatusOK, offer, nil)
}

// chosenOffer is what the price list offers that the address or the form names.
func chosenOffer(c *call) (*subscription.Offer, error) {
	return offerOf(c, queryID[billing.PriceListID](c, "priceListId"))
}

// listGroups are all price lists, by their products.
func listGroups(c *call) ([]listGroup, error) {
	lists, _, err := store.PriceLists.ListSorted(c.ctx(), c.q(), store.SortedPage{Limit: maxOptions})
	if err != nil {
		return nil, err
	}
	sold, err := soldByOf(c, lists)
	if err != nil {
		return nil, err
	}
	var groups []listGroup
	place := map[billing.ProductID]int{}
	for _, l := range lists {
		p := sold.plans[l.PlanID]
		if p == nil || sold.products[p.ProductID] == nil {
			continue
		}
		at, known := place[p.ProductID]
		if !known {
			at = len(groups)
			place[p.ProductID] = at
			groups = append(groups, listGroup{product: sold.products[p.ProductID].Name})
		}
		groups[at].lists = append(groups[at].lists, ui.Option{Value: ui.IDText(l.ID), Text: planAndList(p.Name, l.Name)})
		groups[at].rows = append(groups[at].rows, l)
	}
	return groups, nil
}

// listGroup is the price lists of a product.
type listGroup struct {
	product string
	lists   []ui.Option
	rows    []catalog.PriceList // the same
}

func chooseList(c *call) error {
	title, err := newSubscriptionTitle(c, queryID[billing.AccountID](c, "accountId"))
	if err != nil {
		return err
	}
	data := chooseData{Title: title, AccountID: c.value("accountId")}
	groups, err := listGroups(c)
	if err != nil {
		return err
	}
	for _, g := range groups {
		shown := chooseGroup{Product: g.product}
		prices, err := priceSentences(c, g.rows)
		if err != nil {
			return err
		}
		for i, l := range g.lists {
			href := "/subscriptions/new?priceListId=" + l.Value
			if data.AccountID != "" {
				href += "&accountId=" + data.AccountID
			}
			shown.Lists = append(shown.Lists, pricedLink{ui.Link{Text: l.Text, Href: href}, prices[g.rows[i].ID]})
		}
		data.Groups = append(data.Groups, shown)
	}
	return choosePage.show(c, title, data)
}

// newSubscriptionTitle names the customer, if it is known already.
func newSubscriptionTitle(c *call, id billing.AccountID) (string, error) {
	a, err := store.Accounts.Get(c.ctx(), c.q(), id)
	if a == nil || err != nil {
		return "New subscription", err
	}
	return "New subscription: " + a.Name, nil
}

// priceListChoice is the field for the price list, on which the rest depends.
func priceListChoice(c *call, list *catalog.PriceList) (ui.Input[newOrder], error) {
	groups, err := listGroups(c)
	if err != nil {
		return ui.Input[newOrder]{}, err
	}
	var options []ui.Option
	for _, g := range groups {
		for _, l := range g.lists {
			if len(groups) > 1 {
				l.Text = g.product + ", " + l.Text
			}
			options = append(options, l)
		}
	}
	if !slices.ContainsFunc(options, func(o ui.Option) bool { return o.Value == ui.IDText(list.ID) }) { // one beyond the most
		name, err := listName(c, list)
		if err != nil {
			return ui.Input[newOrder]{}, err
		}
		options = append(options, ui.Option{Value: ui.IDText(list.ID), Text: name})
	}
	in := ui.Choice("priceListId", "Price list", func(*newOrder) *string { return nil }, options...)
	in.Get = func(*newOrder) string { return ui.IDText(list.ID) }
	in.Set = func(*newOrder, string) *billing.Error { return nil } // it was found before
	return in.Refreshes("/subscriptions/new").Wide(), nil
}

func newSubscriptionInputs(c *call, offer *subscription.Offer, again bool) ([]ui.Section[newOrder], error) {
	list := &offer.PriceList
	lists, err := priceListChoice(c, list)
	if err != nil {
		return nil, err
	}
	numbers, err := askSections(c, offer, offer.Asks())
	if err != nil {
		return nil, err
	}
	sections := []ui.Section[newOrder]{
		{Inputs: []ui.Input[newOrder]{
			lists,
			accountLookup(c, "accountId", "Account", func(o *newOrder) *billing.AccountID { return &o.Account }).Wide(),
			inNew(shownInput(list.ID, "")),
		}},
		{Title: "Tenant", Help: "The customer's instance of your application. It is created if the account has none with this code.", Inputs: []ui.Input[newOrder]{
			ui.Text("tenantCode", "Tenant code", func(o *newOrder) *string { return &o.TenantCode }).Help("How your application identifies it. If empty, there is no tenant and no webhooks."),
			ui.Text("tenantName", "Tenant name", func(o *newOrder) *string { return &o.TenantName }).Help("If empty, its code."),
		}},
		{Title: "Term", Inputs: termInputs(list, again)},
	}
	invoicing := ui.Section[newOrder]{Title: "Invoicing", Folded: true, Inputs: []ui.Input[newOrder]{
		ui.Choice("alignTo", "Terms begin", func(o *newOrder) *subscription.Alignment { return &o.AlignTo },
			ui.Option{Value: string(subscription.AlignToStart), Text: "With the start"}, ui.Option{Value: string(subscription.AlignToBillingDay), Text: "On the account's billing day"},
		).Help("On the billing day, the first term is shorter and prorated.").Usually(string(subscription.AlignToStart)),
	}}
	for _, in := range invoicingInputs() {
		invoicing.Inputs = append(invoicing.Inputs, inNew(in))
	}
	entities, err := store.AllEntities(c.ctx(), c.q())
	if err != nil {
		return nil, err
	}
	if c.may(billing.BillingWrite) && slices.ContainsFunc(entities, func(e billing.Entity) bool { return e.InvoicingStartsOn != nil }) {
		invoicing.Inputs = append(invoicing.Inputs, inNew(atOnceInput()))
	}
	for _, s := range numbers {
		shown := ui.Section[newOrder]{Title: s.Title, Help: s.Help, Folded: s.Folded}
		for _, in := range s.Inputs {
			shown.Inputs = append(shown.Inputs, inNew(in))
		}
		sections = append(sections, shown)
	}
	return append(sections, invoicing), nil
}

// termInputs ask for the dates and the trial. again says that the account has
// had a trial, so that another one has to be allowed.
func termInputs(list *catalog.PriceList, again bool) []ui.Input[newOrder] {
	term := []ui.Input[newOrder]{
		ui.Text("startDate", "Start", func(o *newOrder) *string { return &o.Start }).Kind(ui.FieldDate).Help("If empty, today."),
		ui.Text("endDate", "Last day", func(o *newOrder) *string { return &o.EndDate }).Kind(ui.FieldDate).Help("If empty, after " + ui.Plural(list.RenewalTermMonths, "month", "months") + "."),
		ui.Checkbox("evergreen", "Renew at the end of the term", func(o *newOrder) *bool { return &o.Evergreen }),
	}
	if list.TrialAllowed && list.TrialLengthDays != nil {
		term = append(term, ui.Checkbox("trial", "Start with a trial of "+ui.Plural(*list.TrialLengthDays, "day", "days"), func(o *newOrder) *bool { return &o.Trial }))
	}
	if again {
		term = append(term, ui.Checkbox("trialAgain", "Allow another trial", func(o *newOrder) *bool { return &o.TrialAgain }).Help("The account has already had one for this product."))
	}
	return term
}

// inNew is an input about an order in the form of a new subscription.
func inNew(in ui.Input[order]) ui.Input[newOrder] {
	out := ui.Input[newOrder]{Field: in.Field}
	if in.Get != nil {
		out.Get = func(o *newOrder) string { return in.Get(&o.order) }
	}
	if in.Set != nil {
		out.Set = func(o *newOrder, typed string) *billing.Error { return in.Set(&o.order, typed) }
	}
	return out
}

// beginOrder is what a new subscription is before anything was typed. The first
// one of all is for the only account, with a tenant: without it there would be
// no webhook to see.
func beginOrder(c *call) (newOrder, error) {
	o := newOrder{Account: queryID[billing.AccountID](c, "accountId"), Evergreen: true}
	if any, err := some(c, store.Subscriptions); any || err != nil {
		if err == nil {
			o.TenantCode, err = likelyTenant(c, o.Account)
		}
		return o, err
	}
	accounts, _, err := few(c, store.Accounts, 2, nil)
	if err != nil || len(accounts) != 1 || o.Account != 0 && o.Account != accounts[0].ID {
		return o, err
	}
	o.Account, o.TenantName = accounts[0].ID, accounts[0].Name
	if o.TenantCode = ui.Deref(accounts[0].Code); o.TenantCode == "" {
		o.TenantCode = "tenant-1"
	}
	return o, nil
}

// likelyTenant is the code of the tenant that a subscription of an account is
// probably for: of the only one it has, or that of the account for its first.
func likelyTenant(c *call, id billing.AccountID) (string, error) {
	account, err := store.Accounts.Get(c.ctx(), c.q(), id)
	if err != nil || account == nil {
		return "", err
	}
	tenants, _, err := few(c, store.Tenants, 2, term("account", id))
	switch len(tenants) {
	case 0:
		return ui.Deref(account.Code), err
	case 1:
		return tenants[0].Code, nil
	}
	return "", nil
}

// showNewSubscription shows the form, with what was typed if it was sent.
func showNewSubscription(c *call, status int, offer *subscription.Offer, problems billing.Problems) error {
	restated(c)
	o, err := beginOrder(c)
	if err != nil {
		return err
	}
	again := asksAgain(c) || slices.ContainsFunc(problems, isTrialAgain)
	sections, err := newSubscriptionInputs(c, offer, again)
	if err != nil {
		return err
	}
	form := ui.NewForm(sections, &o)
	form.Retype(c.r.Form)
	form.AddProblems(problems)
	form.Action, form.Submit, form.Cancel = "/subscriptions/new?priceListId="+ui.IDText(offer.PriceList.ID), "Preview", ui.Link{Text: "Cancel", Href: "/subscriptions"}
	return formPage.showStatus(c, status, "New subscription", ui.FormData{Title: "New subscription", Crumbs: []ui.Link{{Text: "Subscriptions", Href: "/subscriptions"}}, Form: form})
}

// isTrialAgain reports whether a trial was refused because the account has had
// one.
func isTrialAgain(e *billing.Error) bool {
	return e.Code == billing.NotAllowed && slices.Equal(e.Field, []string{"trial"})
}

// asksAgain reports whether the form that was sent could allow another trial.
func asksAgain(c *call) bool {
	return slices.Contains(strings.Fields(c.value("fields")), "trialAgain")
}

// makeSubscription shows what a new subscription will send, and makes it once
// that was confirmed.
func makeSubscription(c *call) error {
	offer, err := chosenOffer(c)
	if err != nil {
		return err
	}
	if offer == nil {
		return missing("price list", ui.Link{Text: "New subscription", Href: "/subscriptions/new"})
	}
	if restated(c) {
		return showNewSubscription(c, http.StatusOK, offer, nil)
	}
	sections, err := newSubscriptionInputs(c, offer, asksAgain(c))
	if err != nil {
		return err
	}
	if err := withAccount(c, "accountId"); err != nil {
		return err
	}
	o := newOrder{}
	var made *subscription.Subscription
	do := func(ctx context.Context) error {
		draft, err := o.draft(offer)
		if err != nil {
			return err
		}
		made, err = c.service.Subscriptions.SubscriptionCreate(ctx, *draft)
		return err
	}
	change, issued := &invoicing.ChangePreview{}, &subscriptions.Issued{}
	var found *impact.Impact
	if err = wrongWith(c, sections, offer, &o); err == nil {
		if c.value("step") == stepConfirm {
			ctx, documents := o.billed(c.ctx())
			err = do(ctx)
			issued = documents
		} else {
			change, found, err = previewChange(c, o.Account, o.AtOnce, do)
		}
	}
	if problems, known := billing.AsProblems(err); known {
		return showNewSubscription(c, http.StatusUnprocessableEntity, offer, forForm(problems, o.sent))
	}
	if err != nil {
		return err
	}
	if c.value("step") == stepConfirm {
		said, err := whatHappened(c, "new", made, &o.order)
		if err != nil {
			return err
		}
		return c.goTo(issuedHref(made.ID, issued), said)
	}
	title, err := newSubscriptionTitle(c, o.Account)
	if err != nil {
		return err
	}
	here := "/subscriptions/new?priceListId=" + ui.IDText(offer.PriceList.ID)
	data := previewData{
		Title: title, Crumbs: []ui.Link{{Text: "Subscriptions", Href: "/subscriptions"}}, Submit: "Create subscription", Action: here, Back: ui.Link{Text: "Start over", Href: here},
	}
	form := ui.NewForm(sections, &newOrder{})
	form.Retype(c.r.PostForm)
	if data.Says, err = newNotes(c, made, offer); err != nil {
		return err
	}
	today, err := c.today(made.TestClockID)
	if err != nil {
		return err
	}
	data.Money = moneyOf(change, nil, made, today)
	for n := range found.Features {
		found.Features[n].Values = nil // which the webhook below has
	}
	if data.Foretold.Says, err = saidBy(c, found.Reach()); err != nil { // the rest is on the page
		return err
	}
	data.Notes = numberNotes(made, o.sent)
	data.Fields, data.Summary = summarize(form)
	if data.Hooks, err = hooksOf(c, change.Webhooks); err != nil {
		return err
	}
	if len(data.Hooks) == 0 {
		data.Silent = "No webhook is sent: there is no tenant, or the product's platform does not provision."
	}
	return previewPage.show(c, data.Title, data)
}

// draft is the order as the operation takes it.
func (o *newOrder) draft(offer *subscription.Offer) (*subscriptions.NewSubscription, error) {
	var problems problemList
	start, end := problems.day("startDate", o.Start), problems.day("endDate", o.EndDate)
	var err error
	o.sent, err = ordersOf(offer.Asks(), o.Quantities, nil)
	problems.add(err)
	n := &subscriptions.NewSubscription{
		PriceList: subscriptions.PriceListRef{ID: &offer.PriceList.ID}, TrialAgain: o.TrialAgain, AccountID: &o.Account,
		Draft: subscription.Draft{Trial: o.Trial, Evergreen: o.Evergreen, StartDate: start, EndDate: end, AlignTo: o.AlignTo, Quantities: o.sent,
			PONumber: &o.PONumber, SeparateInvoice: o.SeparateInvoice},
	}
	if code := strings.TrimSpace(o.TenantCode); code != "" {
		n.Tenant = &subscriptions.TenantRef{Code: code, Name: &o.TenantName}
	}
	return n, billing.Problems(problems).Err()
}
