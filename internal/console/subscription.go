package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var subscriptionColumns = []string{"Account", "Plan", "Price", "State", "Tenant", "Term"}

var states = []subscription.State{
	subscription.StateActive, subscription.StateTrial, subscription.StatePending, subscription.StateCanceled, subscription.StateExpired, subscription.StateTrialExpired,
}

func subscriptionHref(id billing.SubscriptionID) string {
	return "/subscriptions/" + strconv.FormatInt(int64(id), 10)
}

func subscriptionID(s *subscription.Subscription) billing.SubscriptionID { return s.ID }

func listSubscriptions(c *call) error {
	data := ui.List{
		Title: "Subscriptions", Path: "/subscriptions", Hint: "acme, product:crm, evergreen:false, created:>=2026-01-01",
		About: "A subscription is an account's contract for a price list. It can have a tenant in your application.",
	}
	if c.may(billing.StandardWrite) {
		data.New = &ui.Link{Text: "New subscription", Href: "/subscriptions/new"}
	}
	_, always := stateTabs(c, &data, states, ui.EnumText[subscription.State])
	always, err := standingTabs(c, &data, always)
	if err != nil {
		return err
	}
	return showList(c, data, store.Subscriptions, subscriptionID, subscriptionColumns, subscriptionCells, always)
}

// subscriptionNames are the names around subscriptions.
type subscriptionNames struct {
	accounts map[billing.AccountID]*billing.Account
	lists    map[billing.PriceListID]*catalog.PriceList
	plans    map[billing.PlanID]*catalog.Plan
	products map[billing.ProductID]*catalog.Product
	tenants  map[billing.TenantID]*billing.Tenant
}

func namesOf(c *call, rows []subscription.Subscription) (n subscriptionNames, err error) {
	if n.accounts, err = byID(c, store.Accounts, accountPages.id, ids(rows, func(s *subscription.Subscription) billing.AccountID { return s.AccountID })); err != nil {
		return n, err
	}
	if n.lists, err = byID(c, store.PriceLists, priceListPages.id, ids(rows, func(s *subscription.Subscription) billing.PriceListID { return s.PriceListID })); err != nil {
		return n, err
	}
	var plans []billing.PlanID
	for _, l := range n.lists {
		plans = append(plans, l.PlanID)
	}
	if n.plans, err = byID(c, store.Plans, planPages.id, plans); err != nil {
		return n, err
	}
	if n.products, err = byID(c, store.Products, productPages.id, ids(rows, func(s *subscription.Subscription) billing.ProductID { return s.ProductID })); err != nil {
		return n, err
	}
	n.tenants, err = byID(c, store.Tenants, tenantPages.id, ids(rows, func(s *subscription.Subscription) billing.TenantID { return ui.Deref(s.TenantID) }))
	return n, err
}

// plan is the plan of a subscription, with its product.
func (n subscriptionNames) plan(s *subscription.Subscription) ui.Cell {
	shown := ui.Muted("price list " + ui.IDText(s.PriceListID))
	if l := n.lists[s.PriceListID]; l != nil {
		shown = ui.Plain(l.Name)
		if p := n.plans[l.PlanID]; p != nil {
			shown = ui.Plain(p.Name)
		}
	}
	if p := n.products[s.ProductID]; p != nil {
		shown = shown.WithSub(p.Name)
	}
	return shown
}

// customer is whose subscription it is.
func (n subscriptionNames) customer(s *subscription.Subscription) string {
	if a := n.accounts[s.AccountID]; a != nil {
		return a.Name
	}
	return "account " + ui.IDText(s.AccountID)
}

// bought is what a subscription is on: "Pro Monthly".
func (n subscriptionNames) bought(s *subscription.Subscription) string {
	l := n.lists[s.PriceListID]
	if l == nil {
		return "price list " + ui.IDText(s.PriceListID)
	}
	if p := n.plans[l.PlanID]; p != nil && !strings.Contains(strings.ToLower(l.Name), strings.ToLower(p.Name)) {
		return p.Name + " " + l.Name
	}
	return l.Name
}

// title is the heading of a subscription: "Acme Inc — Pro Monthly".
func (n subscriptionNames) title(s *subscription.Subscription) string {
	return n.customer(s) + " — " + n.bought(s)
}

// titleOf is the title of one subscription.
func titleOf(c *call, s *subscription.Subscription) (string, error) {
	names, err := namesOf(c, []subscription.Subscription{*s})
	return names.title(s), err
}

func subscriptionCells(c *call, rows []subscription.Subscription) ([][]ui.Cell, error) {
	names, err := namesOf(c, rows)
	if err != nil {
		return nil, err
	}
	zone, err := c.service.Calendar.TimeZone(c.ctx())
	if err != nil {
		return nil, err
	}
	return ui.RowsOf(rows, func(s *subscription.Subscription) []ui.Cell {
		account := accountCell(names.accounts, s.AccountID).WithHref(subscriptionHref(s.ID))
		tenant := ui.Muted("none")
		if s.TenantID != nil && names.tenants[*s.TenantID] != nil {
			tenant = ui.Code(names.tenants[*s.TenantID].Code).WithHref(tenantPages.href(*s.TenantID))
		}
		stateCell := state(s.State)
		if s.State.Live() && s.Standing.Worse(billing.Good) {
			stateCell = ui.Badge(standingWord(s.Standing), "bad")
		}
		if s.Problem != nil {
			stateCell = ui.Badge("set aside", "bad")
		}
		term := termCell(s)
		if what, day := nextOf(s, zone); what != "" {
			term.Sub = what + " " + day
		}
		return []ui.Cell{account, names.plan(s), priceInList(s), stateCell, tenant, term}
	}), nil
}

// termCell is the paid term that a subscription is in, or will be in after its
// trial.
func termCell(s *subscription.Subscription) ui.Cell {
	first, _, paid := s.PaidTerm()
	if !paid && (!s.State.Ended() || s.State == subscription.StateTrialExpired) {
		return ui.Muted("no paid term")
	}
	return ui.Days(first, s.EndDate)
}

// nextOf is what time brings to a subscription, and the day; both are empty if it
// brings nothing.
func nextOf(s *subscription.Subscription, zone *time.Location) (what, day string) {
	if _, due := s.Due(); !due {
		return "", ""
	}
	at, change := subscriptions.NextChange(*s, zone)
	return nextWord(change.Kind, change.To), ui.DayText(billing.DateOf(at, zone))
}

// stateAhead are the states that a subscription comes into, as what happens.
var stateAhead = map[subscription.State]string{
	subscription.StateTrial: "trial starts", subscription.StateTrialExpired: "trial expires", subscription.StateCanceled: "ends", subscription.StateExpired: "expires",
}

// nextWord says what will happen.
func nextWord(kind string, to subscription.State) string {
	switch kind {
	case subscription.KindStateChanged:
		if word := stateAhead[to]; word != "" {
			return word
		}
		return "becomes " + stateWord(to)
	case subscription.KindRenewed:
		return "renews"
	case subscription.KindPlanChanged:
		return "plan changes"
	case subscription.KindQuantityChanged:
		return "quantity changes"
	}
	return changeWord(kind, to)
}

// changeWord says what kind of change it is.
func changeWord(kind string, to subscription.State) string {
	words := map[string]string{
		subscription.KindCreated: "created", subscription.KindRenewed: "renewed", subscription.KindQuantityChanged: "quantity changed",
		subscription.KindQuantityScheduled: "quantity scheduled", subscription.KindPlanChanged: "plan changed", subscription.KindPlanScheduled: "plan change scheduled",
		subscription.KindPlanUnscheduled: "plan change taken back", subscription.KindQuantityUnscheduled: "quantity change taken back", subscription.KindCancelScheduled: "cancellation scheduled",
		subscription.KindCancelUnscheduled: "cancellation taken back", subscription.KindAutoRenewChanged: "renewal changed", subscription.KindTrialExtended: "trial extended",
		subscription.KindUpdated: "changed", subscription.KindInvoicingChanged: "invoicing changed", subscription.KindTenantChanged: "tenant changed",
		subscription.KindStandingChanged: "standing changed", subscription.KindStandingRestricted: "restricted", subscription.KindStandingSuspended: "suspended",
		subscription.KindStandingRestored: "restored",
	}
	if kind == subscription.KindStateChanged {
		return stateWord(to)
	}
	if word := words[kind]; word != "" {
		return word
	}
	return kind
}

// subscriptionBlock is the newest subscriptions of something.
func subscriptionBlock(c *call, field string, owner int64) (ui.Block, error) {
	rows, more, err := few(c, store.Subscriptions, 20, term(field, owner))
	if err != nil {
		return ui.Block{}, err
	}
	b := ui.Block{Title: "Subscriptions", Table: ui.Table{Columns: subscriptionColumns}, Empty: "None yet."}
	if b.Table.Rows, err = subscriptionCells(c, rows); err != nil {
		return ui.Block{}, err
	}
	switch field { // what is the same in all rows is on the page
	case "tenant":
		b.Table = b.Table.Without("Tenant")
	case "account":
		b.Table = b.Table.Without("Account")
		for n := range b.Table.Rows {
			b.Table.Rows[n][0] = b.Table.Rows[n][0].WithHref(subscriptionHref(rows[n].ID))
		}
	}
	if more {
		b.More = &ui.Link{Text: "All of them", Href: fmt.Sprintf("/subscriptions?q=%s%%3A%d", field, owner)}
	}
	return b, nil
}

// findSubscription returns the one in the address.
func findSubscription(c *call) (*subscription.Subscription, error) {
	id, err := c.pathID("id")
	if err != nil {
		return nil, err
	}
	s, err := store.Subscriptions.Get(c.ctx(), c.q(), billing.SubscriptionID(id))
	if err == nil && s == nil {
		err = missing("subscription", ui.Link{Text: "Subscriptions", Href: "/subscriptions"})
	}
	return s, err
}

// today is what day it is for a subscription.
func (c *call) today(clock *billing.TestClockID) (billing.Date, error) {
	zone, err := c.service.Calendar.TimeZone(c.ctx())
	if err != nil {
		return billing.Date{}, err
	}
	now := c.now()
	if clock != nil {
		t, err := store.TestClocks.Get(c.ctx(), c.q(), *clock)
		if err != nil {
			return billing.Date{}, err
		}
		if t != nil {
			now = t.Now
		}
	}
	return billing.DateOf(now, zone), nil
}

// state shows where a subscription is in its life.
func state(s subscription.State) ui.Cell {
	tone := map[subscription.State]string{
		subscription.StateActive: "good", subscription.StateTrial: "info", subscription.StatePending: "warn",
	}[s]
	return ui.Badge(stateWord(s), tone)
}

func stateWord(s subscription.State) string {
	return strings.ReplaceAll(s.Wire(), "_", " ")
}
