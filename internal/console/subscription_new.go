package console

import (
	"context"
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// newOrder is a subscription that somebody wants made.
type newOrder struct {
	order
	Account   billing.AccountID
	Trial     bool
	Start     string
	Evergreen bool
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
	AccountID string
	Groups    []chooseGroup
}

type chooseGroup struct {
	Product string
	Lists   []link
}

var choosePage = newPage[chooseData]("choose")

func newSubscription(c *call) error {
	list, err := chosenList(c)
	if err != nil {
		return err
	}
	if list == nil {
		lists, _, err := few(c, store.PriceLists, 2, nil)
		if err != nil {
			return err
		}
		if len(lists) != 1 {
			return chooseList(c)
		}
		list = &lists[0]
	}
	return showNewSubscription(c, http.StatusOK, list, nil, nil)
}

// chosenList is the price list that the address or the form names.
func chosenList(c *call) (*billing.PriceList, error) {
	id := queryID[billing.PriceListID](c, "priceListId")
	if id == 0 {
		return nil, nil
	}
	return store.PriceLists.Get(c.ctx(), c.q(), id)
}

func chooseList(c *call) error {
	data := chooseData{AccountID: c.value("accountId")}
	lists, err := store.PriceLists.List(c.ctx(), c.q(), store.Page{Limit: maxOptions})
	if err != nil {
		return err
	}
	plans, err := byID(c, store.Plans, planPages.id, ids(lists, func(l *billing.PriceList) billing.PlanID { return l.PlanID }))
	if err != nil {
		return err
	}
	var productIDs []billing.ProductID
	for _, p := range plans {
		productIDs = append(productIDs, p.ProductID)
	}
	products, err := byID(c, store.Products, productPages.id, productIDs)
	if err != nil {
		return err
	}
	place := map[billing.ProductID]int{}
	for _, l := range lists {
		p := plans[l.PlanID]
		if p == nil || products[p.ProductID] == nil {
			continue
		}
		at, known := place[p.ProductID]
		if !known {
			at = len(data.Groups)
			place[p.ProductID] = at
			data.Groups = append(data.Groups, chooseGroup{Product: products[p.ProductID].Name})
		}
		href := "/subscriptions/new?priceListId=" + idText(l.ID)
		if data.AccountID != "" {
			href += "&accountId=" + data.AccountID
		}
		data.Groups[at].Lists = append(data.Groups[at].Lists, link{p.Name + ": " + l.Name, href})
	}
	return choosePage.show(c, "New subscription", data)
}

func newSubscriptionInputs(c *call, list *billing.PriceList) ([]section[newOrder], error) {
	plan, err := store.Plans.Get(c.ctx(), c.q(), list.PlanID)
	if err != nil {
		return nil, err
	}
	name := list.Name
	if plan != nil {
		name = plan.Name + ": " + list.Name
	}
	quantities, err := chargeQuantityInputs(c, list.ID)
	if err != nil {
		return nil, err
	}
	sections := []section[newOrder]{
		{inputs: []input[newOrder]{
			fixed[newOrder]("Price list", name).wide(),
			accountLookup(c, "accountId", "Account", func(o *newOrder) *billing.AccountID { return &o.Account }).wide(),
		}},
		{title: "Tenant", help: "The customer's instance of your application. It is made if the account has none with that code.", inputs: []input[newOrder]{
			text("tenantCode", "Tenant code", func(o *newOrder) *string { return &o.TenantCode }).help("What your application finds it by. Empty for no tenant, and no webhooks."),
			text("tenantName", "Tenant name", func(o *newOrder) *string { return &o.TenantName }).help("Its code if empty."),
		}},
	}
	term := []input[newOrder]{
		text("startDate", "Start", func(o *newOrder) *string { return &o.Start }).kind(kindDate).help("Today if empty."),
		text("endDate", "Last day", func(o *newOrder) *string { return &o.EndDate }).kind(kindDate).help("After " + plural(list.RenewalTermMonths, "month", "months") + " if empty."),
		check("evergreen", "Renew at the end of the term", func(o *newOrder) *bool { return &o.Evergreen }),
	}
	if list.TrialAllowed && list.TrialLengthDays != nil {
		term = append(term, check("trial", "Begin with a trial of "+plural(*list.TrialLengthDays, "day", "days"), func(o *newOrder) *bool { return &o.Trial }))
	}
	sections = append(sections, section[newOrder]{title: "Term", inputs: term})
	if len(quantities) > 0 {
		s := section[newOrder]{title: "Quantities"}
		for _, in := range quantities {
			s.inputs = append(s.inputs, input[newOrder]{
				fieldView: in.fieldView,
				get:       func(o *newOrder) string { return in.get(&o.order) },
				set:       func(o *newOrder, typed string) *billing.Error { return in.set(&o.order, typed) },
			})
		}
		sections = append(sections, s)
	}
	return sections, nil
}

// beginOrder is what a new subscription is before anything was typed. The first
// one of all is for the only account, with a tenant: without it there would be
// no webhook to see.
func beginOrder(c *call) (newOrder, error) {
	o := newOrder{Account: queryID[billing.AccountID](c, "accountId"), Evergreen: true}
	if any, err := some(c, store.Subscriptions); any || err != nil {
		return o, err
	}
	accounts, _, err := few(c, store.Accounts, 2, nil)
	if err != nil || len(accounts) != 1 || o.Account != 0 && o.Account != accounts[0].ID {
		return o, err
	}
	o.Account, o.TenantName = accounts[0].ID, accounts[0].Name
	if o.TenantCode = deref(accounts[0].Code); o.TenantCode == "" {
		o.TenantCode = "tenant-1"
	}
	return o, nil
}

func showNewSubscription(c *call, status int, list *billing.PriceList, form *formView, problems billing.Problems) error {
	if form == nil {
		sections, err := newSubscriptionInputs(c, list)
		if err != nil {
			return err
		}
		o, err := beginOrder(c)
		if err != nil {
			return err
		}
		fresh := viewOf(sections, &o)
		form = &fresh
	}
	form.complain(renameQuantities(problems))
	form.Action, form.Submit, form.Cancel = "/subscriptions/new?priceListId="+idText(list.ID), "Preview", link{"Cancel", "/subscriptions"}
	return formPage.showStatus(c, status, "New subscription", formData{Title: "New subscription", Crumbs: []link{{"Subscriptions", "/subscriptions"}}, Form: *form})
}

// makeSubscription shows what a new subscription will send, and makes it once
// that was confirmed.
func makeSubscription(c *call) error {
	list, err := chosenList(c)
	if err != nil {
		return err
	}
	if list == nil {
		return missing("price list", link{"New subscription", "/subscriptions/new"})
	}
	sections, err := newSubscriptionInputs(c, list)
	if err != nil {
		return err
	}
	if err := withAccount(c, "accountId"); err != nil {
		return err
	}
	o := newOrder{}
	form := viewOf(sections, &o)
	form.retype(c.r.PostForm)
	var made *billing.Subscription
	do := func(ctx context.Context) error {
		draft, err := o.draft(list)
		if err != nil {
			return err
		}
		made, err = c.service.SubscriptionCreate(ctx, *draft)
		return err
	}
	var planned []service.Planned
	if err = apply(sections, c.r.PostForm, &o); err == nil {
		if c.value("step") == stepConfirm {
			err = do(c.ctx())
		} else {
			planned, err = c.service.PreviewOf(c.ctx(), do)
		}
	}
	if problems, known := billing.AsProblems(err); known {
		return showNewSubscription(c, http.StatusUnprocessableEntity, list, &form, problems)
	}
	if err != nil {
		return err
	}
	if c.value("step") == stepConfirm {
		said, err := whatHappened(c, "new", made, &o.order)
		if err != nil {
			return err
		}
		return c.goTo(subscriptionHref(made.ID), said)
	}
	data := previewData{
		Title: "New subscription", Crumbs: []link{{"Subscriptions", "/subscriptions"}}, Submit: "Create subscription",
		Action: "/subscriptions/new?priceListId=" + idText(list.ID), Back: link{"Start over", "/subscriptions/new?priceListId=" + idText(list.ID)},
	}
	data.Fields, data.Summary = summarize(form)
	if data.Hooks, err = hooksOf(c, planned); err != nil {
		return err
	}
	if len(data.Hooks) == 0 {
		data.Silent = "No webhook is sent: there is no tenant, or the product's platform does not provision."
	}
	return previewPage.show(c, data.Title, data)
}

// draft is the order as the operation takes it.
func (o *newOrder) draft(list *billing.PriceList) (*service.NewSubscription, error) {
	start, err := readDay("startDate", o.Start)
	if err != nil {
		return nil, err
	}
	end, err := readDay("endDate", o.EndDate)
	if err != nil {
		return nil, err
	}
	quantities, err := quantityOrders(o.Quantities)
	if err != nil {
		return nil, err
	}
	n := &service.NewSubscription{
		PriceList: service.PriceListRef{ID: &list.ID},
		Draft:     billing.SubscriptionDraft{Trial: o.Trial, Evergreen: o.Evergreen, StartDate: start, EndDate: end, Quantities: quantities},
	}
	if o.Account == 0 {
		return nil, billing.Fail(billing.Required, "accountId", "Say whose subscription it is.")
	}
	n.AccountID = &o.Account
	if code := strings.TrimSpace(o.TenantCode); code != "" {
		n.Tenant = &service.TenantRef{Code: code, Name: &o.TenantName}
	}
	return n, nil
}
