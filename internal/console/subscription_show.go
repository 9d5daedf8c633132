package console

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// subscriptionData is what the page of a subscription shows.
type subscriptionData struct {
	Name    string
	Crumbs  []ui.Link
	State   ui.Cell
	Problem string
	// Issued are documents that were issued with the last change.
	Issued  []ui.Link
	Actions []ui.Action
	Line    *ui.Timeline
	// Scheduled is what can be taken back at TakeBack, if that is not empty.
	Scheduled []scheduledItem
	TakeBack  string
	Facts     []ui.Fact
	Charges   ui.Block
	// Billing is where to find what it is billed, which the page loads after the
	// rest because it has to be computed; empty if nothing is.
	Billing string
	Blocks  []ui.Block
	// Poll and Here are as in showData.
	Poll int
	Here string
}

var subscriptionPage = newPage[subscriptionData]("subscription")

func showSubscription(c *call, s *subscription.Subscription) error {
	names, err := namesOf(c, []subscription.Subscription{*s})
	if err != nil {
		return err
	}
	today, err := c.today(s.TestClockID)
	if err != nil {
		return err
	}
	scheduled, err := scheduledOf(c, s)
	if err != nil {
		return err
	}
	data := subscriptionData{
		State: state(s.State), Line: lineOf(s, today, scheduled), Name: names.title(s), Here: subscriptionHref(s.ID),
		Scheduled: scheduled,
	}
	data.Crumbs = []ui.Link{{Text: "Subscriptions", Href: "/subscriptions"}}
	if a := names.accounts[s.AccountID]; a != nil {
		data.Crumbs = append(data.Crumbs, ui.Link{Text: a.Name, Href: accountPages.href(a.ID)})
	}
	if s.Problem != nil {
		data.Problem = *s.Problem
	}
	if s.State.Live() && s.Standing.Worse(billing.Good) {
		data.State = ui.Badge(standingWord(s.Standing), "bad")
	}
	if data.Issued, err = issuedLinks(c, s); err != nil {
		return err
	}
	if c.may(billing.StandardWrite) {
		data.Actions, data.TakeBack = actionsFor(s), subscriptionHref(s.ID)+"/take-back"
	}
	if data.Facts, data.Poll, err = subscriptionFacts(c, s, names); err != nil {
		return err
	}
	if data.Charges, err = chargeBlock(c, s, today); err != nil {
		return err
	}
	if data.Billing, err = billingOfSubscription(c, s, names); err != nil {
		return err
	}
	for _, make := range []func(*call, *subscription.Subscription, billing.Date) (ui.Block, error){featureBlock, historyBlock} {
		b, err := make(c, s, today)
		if err != nil {
			return err
		}
		data.Blocks = append(data.Blocks, b)
	}
	return subscriptionPage.show(c, data.Name, data)
}

func subscriptionFacts(c *call, s *subscription.Subscription, names subscriptionNames) (facts []ui.Fact, poll int, err error) {
	var d ui.Details
	d.Fact("Account", accountCell(names.accounts, s.AccountID))
	d.Fact("Product", productCell(names.products, s.ProductID))
	if l := names.lists[s.PriceListID]; l != nil {
		if p := names.plans[l.PlanID]; p != nil {
			d.Fact("Plan", ui.Linked(p.Name, planPages.href(p.ID)))
		}
		d.Fact("Price list", ui.Linked(l.Name, priceListPages.href(l.ID)))
	}
	d.Fact("Price", priceCell(s))
	if s.NextPriceList != nil {
		next, err := store.PriceLists.Get(c.ctx(), c.q(), s.NextPriceList.ID)
		if err != nil {
			return nil, 0, err
		}
		if next != nil {
			d.Fact("Next price list", ui.Linked(next.Name, priceListPages.href(next.ID)).WithSub("from "+ui.DayText(s.NextPriceList.On)))
		}
	}
	tenant := ui.Muted("none")
	if s.TenantID != nil && names.tenants[*s.TenantID] != nil {
		t := names.tenants[*s.TenantID]
		tenant = ui.Linked(t.Name, tenantPages.href(t.ID)).WithSub(t.Code)
	}
	d.Fact("Tenant", tenant)
	if s.TenantID != nil && names.tenants[*s.TenantID] != nil {
		sync, err := syncOf(c, names.tenants[*s.TenantID])
		if err != nil {
			return nil, 0, err
		}
		d.Fact("In the application", sync.worst().WithSub(sync.Why))
		poll = sync.Poll
	}
	if err := standingFact(c, &d, s, []subscription.Subscription{*s}); err != nil {
		return nil, 0, err
	}
	if len(s.Pauses) > 0 && c.may(billing.BillingRead) {
		d.Fact("Not billed", pausesCell(s.Pauses))
	}
	d.Fact("Renewal", ui.Plain(renewalWords(s)))
	if s.TrialEndDate != nil {
		d.Fact("Trial", ui.Days(*s.TrialStartDate, *s.TrialEndDate))
	}
	d.Fact("Term", termCell(s))
	if s.StartDate != s.TermStartDate {
		d.Fact("First paid day", ui.Days(s.StartDate))
	}
	if s.CancellationDate != nil {
		label := "Ends on"
		if s.State == subscription.StateCanceled {
			label = "Ended on"
		}
		d.Fact(label, ui.Days(*s.CancellationDate))
	}
	invoicingFacts(&d, s)
	if s.Code != nil {
		d.Fact("Code", ui.Code(*s.Code))
	}
	if s.TestClockID != nil {
		clock, err := clockCell(c, *s.TestClockID)
		if err != nil {
			return nil, 0, err
		}
		d.Fact("Test clock", clock)
	}
	d.Fact("Created", ui.Moment(s.CreatedAt))
	d.Fact("Id", ui.Code(ui.IDText(s.ID)))
	return d.Facts, poll, nil
}

// renewalWords says what follows the trial or the term.
func renewalWords(s *subscription.Subscription) string {
	_, _, paid := s.PaidTerm()
	switch {
	case s.State.Ended():
		return "None: it has ended"
	case s.CancellationDate != nil:
		return "None: it ends on " + ui.DayText(*s.CancellationDate)
	case !paid:
		return "None: it ends with its trial"
	case s.NextPriceList != nil:
		return "Continues with the next price list"
	case s.Evergreen:
		return "Renews for " + ui.Plural(s.RenewalTermMonths, "month", "months")
	}
	return "Expires at the end of the term"
}

// chargeBlock is the lines of a subscription, those to come first.
func chargeBlock(c *call, s *subscription.Subscription, today billing.Date) (ui.Block, error) {
	b := ui.Block{Title: "Charges", Table: ui.Table{Columns: []string{"Charge", "Code", "Quantity", "Price", "Amount", "From", "To", "State"}}, Empty: "The price list has no charges."}
	lines := slices.DeleteFunc(slices.Clone(s.Charges), func(l subscription.Line) bool { return l.Off })
	slices.SortStableFunc(lines, func(a, b subscription.Line) int { return b.StartDate.Compare(a.StartDate) })
	lines = lines[:min(len(lines), 50)]
	// A line keeps the currency of the list it came from.
	lists, err := byID(c, store.PriceLists, priceListPages.id, ids(lines, func(l *subscription.Line) billing.PriceListID { return l.PriceListID }))
	if err != nil {
		return ui.Block{}, err
	}
	b.Note = totalNote(s, lists[s.PriceListID])
	for _, line := range lines {
		quantity := ui.Cell{Text: "—", Kind: ui.CellMoney}
		if line.Quantity != nil {
			quantity.Text = ui.Grouped(*line.Quantity)
		}
		until := ui.Days(earlier(line.EndDate, finalDay(s)))
		if line.StartDate.After(s.EndDate) || finalDay(s).Before(line.StartDate) {
			until = ui.Muted("—") // its term has no end yet, or it ended before the first day was over
		}
		if line.KeptTo != nil && line.KeptTo.After(line.EndDate) {
			until = until.WithSub("owed to " + ui.DayText(*line.KeptTo))
		}
		price := lineMoney(&line, lists)
		worth := lineAmount(&line)
		if n := s.NextPriceList; n != nil && !line.StartDate.Before(n.On) {
			price, worth = ui.Cell{Text: "set by the next price list", Kind: ui.CellMoney}, ui.Cell{Text: "—", Kind: ui.CellMoney}
		}
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Plain(line.Name), ui.Code(line.Code), quantity, price, worth, ui.Days(line.StartDate), until, lineState(s, &line, today)})
	}
	return b, nil
}

// finalDay is the last day of the term, as far as the subscription gets.
func finalDay(s *subscription.Subscription) billing.Date {
	_, last, paid := s.PaidTerm()
	switch c := s.CancellationDate; {
	case s.State.Ended() || paid:
		return last
	case c != nil:
		return earlier(s.LastTermDay(), c.AddDays(-1))
	}
	return s.LastTermDay()
}

// lineState says whether a line counts.
func lineState(s *subscription.Subscription, line *subscription.Line, today billing.Date) ui.Cell {
	switch {
	case s.State.Ended():
		return ui.Muted("over")
	case s.CancellationDate != nil && !line.StartDate.Before(*s.CancellationDate):
		return ui.Muted("ends first")
	case line.StartDate.After(s.Earliest(today)):
		return ui.Badge("scheduled", "info")
	case line.StartDate.After(today):
		return ui.Muted("from the start")
	case line.Type == catalog.OneTime && line.StartDate.Before(today):
		return ui.Muted("charged once")
	case line.EndDate.Before(today):
		return ui.Muted("over")
	}
	return ui.Badge("current", "good")
}

// featureBlock is what a subscription gives now.
func featureBlock(c *call, s *subscription.Subscription, _ billing.Date) (ui.Block, error) {
	b := ui.Block{Title: "Current features", Empty: "None: only trial and active subscriptions have features."}
	if !s.State.Live() {
		return b, nil
	}
	given, err := c.service.Subscriptions.SubscriptionFeatures(c.ctx(), []subscription.Subscription{*s})
	if err != nil {
		return ui.Block{}, err
	}
	sold, err := soldFeatures(c, s)
	if err != nil {
		return ui.Block{}, err
	}
	b.Table, b.Empty = featureTable(given[s.ID]), "None: its plan includes none."
	if s.IsSuspended() {
		if b.Empty, err = suspendedWords(c, []subscription.Subscription{*s}); err != nil {
			return ui.Block{}, err
		}
	}
	for i, f := range given[s.ID] {
		if f.Quantity != nil && !sold[f.Code] {
			b.Table.Rows[i][2] = b.Table.Rows[i][2].WithSub("included in the plan")
		}
	}
	return b, nil
}

// soldFeatures are the codes of features that the subscription has a number of
// by a charge.
func soldFeatures(c *call, s *subscription.Subscription) (map[string]bool, error) {
	features, err := store.Features.ByIDs(c.ctx(), c.q(), ids(s.Charges, func(l *subscription.Line) billing.FeatureID {
		if l.FeatureID == nil || l.Quantity == nil || l.Type != catalog.Recurring || l.StartDate.After(s.AsOf) || l.EndDate.Before(s.AsOf) {
			return 0
		}
		return *l.FeatureID
	}))
	sold := map[string]bool{}
	for _, f := range features {
		sold[f.Code] = true
	}
	return sold, err
}

func featureTable(features []subscription.ProvisionedFeature) ui.Table {
	t := ui.Table{Columns: []string{"Feature", "Code", "Value"}}
	for _, f := range features {
		value := ui.OrDash(f.Value)
		switch {
		case f.Kind == catalog.Value && strings.TrimSpace(f.Value) == "":
			value = ui.Muted(emptyWords)
		case f.Kind == catalog.Boolean:
			value = ui.Tick()
		case f.Quantity != nil:
			value = ui.Number(*f.Quantity)
		case f.Kind == catalog.Quantity:
			value = ui.Plain(noLimit)
		case len(f.Value) > ui.LongestText:
			value = ui.Sentence(f.Value)
		}
		t.Rows = append(t.Rows, []ui.Cell{ui.Plain(f.Name), ui.Code(f.Code), value})
	}
	return t
}

// actionsFor are the actions that a subscription in its state allows.
func actionsFor(s *subscription.Subscription) []ui.Action {
	var all []ui.Action
	for _, a := range subscriptionActions {
		if a.allowed(s) {
			all = append(all, ui.Action{Text: a.title, Href: subscriptionHref(s.ID) + "/" + a.name, Quiet: a.quiet})
		}
	}
	return all
}

// lastEvents are the newest events of some tenants, to compare with.
func lastEvents(c *call, planned []operation.Planned) (map[billing.TenantID]webhook.Event, error) {
	var tenants []billing.TenantID
	for _, p := range planned {
		tenants = append(tenants, p.Tenant.ID)
	}
	return outbox.LatestEvents(c.ctx(), c.q(), tenants)
}
