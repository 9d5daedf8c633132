package console

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// mostCounted is how far subscriptions and tenants are counted: what the page costs must
// not grow with them.
const mostCounted = 5_000

// homeData is what the first page shows.
type homeData struct {
	// Attention is what somebody should look at.
	Attention []notice
	States    []stateCount
	// Plot is nil if there was no webhook in its days.
	Plot *ui.Plot
	Next ui.Block
	Jobs ui.Block
	// Steps lead a new installation to the webhook of its first subscription;
	// nil when there is a second one.
	Steps []step
	// First is the webhook that the steps lead to, and Invoice the invoice.
	First, Invoice *arrival
}

// notice is something to look at.
type notice struct {
	Tone string // bad or warn
	Text string
	Link ui.Link
}

// stateCount is how many subscriptions are in a state.
type stateCount struct {
	State ui.Cell
	Count string
	Href  string
}

var homePage = newPage[homeData]("home")

func showHome(c *call) error {
	var data homeData
	for _, fill := range []func(*call, *homeData) error{fillSteps, fillStates, fillAttention, fillOverdue, fillCollections, fillEmail, fillWebhooks, fillDrift, fillPlot, fillNext, fillJobs} {
		if err := fill(c, &data); err != nil {
			return err
		}
	}
	return homePage.show(c, "Home", data)
}

func fillStates(c *call, data *homeData) error {
	for _, s := range states {
		n, err := store.CountSubscriptions(c.ctx(), c.q(), s, mostCounted+1)
		if err != nil {
			return err
		}
		data.States = append(data.States, stateCount{state(s), countWord(n), "/subscriptions?state=" + s.Wire()})
		if s != subscription.StateActive {
			continue
		}
		if err := fillStandings(c, data); err != nil {
			return err
		}
	}
	return nil
}

// fillStandings adds how many of the active subscriptions are not in good standing.
func fillStandings(c *call, data *homeData) error {
	for _, s := range badStandings {
		n, err := store.CountStanding(c.ctx(), c.q(), s, mostCounted+1)
		if err != nil {
			return err
		}
		if n > 0 {
			word := ui.Badge(standingWord(s), "bad").WithSub("of the active")
			data.States = append(data.States, stateCount{word, countWord(n), "/subscriptions?standing=" + strings.ToLower(string(s))})
		}
	}
	return nil
}

// countWord is a number of subscriptions, as far as they were counted.
func countWord(n int) string {
	if n > mostCounted {
		return ui.Grouped(mostCounted) + "+"
	}
	return ui.Grouped(n)
}

// fillNotBilled names accounts on real time that cannot be billed, or not for everything.
func fillNotBilled(c *call, data *homeData) error {
	const most, looked = 5, 50
	if !c.may(billing.BillingRead) {
		return nil
	}
	ids, err := store.AccountsWithBillingProblem(c.ctx(), c.q(), 0, looked)
	if err != nil || len(ids) == 0 {
		return err
	}
	accounts, err := store.Accounts.ByIDs(c.ctx(), c.q(), ids)
	accounts = slices.DeleteFunc(accounts, func(a billing.Account) bool { return a.TestClockID != nil })
	for n := range accounts[:min(len(accounts), most)] {
		a := &accounts[n]
		data.Attention = append(data.Attention, notice{"bad", "Billing of " + a.Name + " needs a person: " + ui.Deref(a.BillingProblem), ui.Link{Text: "Look at it", Href: accountPages.href(a.ID)}})
	}
	if len(accounts) > most {
		data.Attention = append(data.Attention, notice{"bad", "Billing of more accounts needs a person.", ui.Link{Text: "Accounts", Href: "/accounts"}})
	}
	return err
}

func fillAttention(c *call, data *homeData) error {
	const most = 20
	aside, err := store.SubscriptionsSetAside(c.ctx(), c.q(), most+1)
	if err != nil {
		return err
	}
	for _, s := range aside[:min(len(aside), 5)] {
		data.Attention = append(data.Attention, notice{"bad", "Subscription " + ui.IDText(s.ID) + " was set aside: " + ui.Deref(s.Problem), ui.Link{Text: "Look at it", Href: subscriptionHref(s.ID)}})
	}
	if len(aside) > 5 {
		more := strconv.Itoa(len(aside) - 5)
		if len(aside) > most {
			more = strconv.Itoa(most-5) + " or more"
		}
		data.Attention = append(data.Attention, notice{"bad", more + " more subscriptions were set aside.", ui.Link{Text: "Subscriptions", Href: "/subscriptions"}})
	}
	if err := fillNotBilled(c, data); err != nil {
		return err
	}
	failed, err := store.Jobs.List(c.ctx(), c.q(), store.Page{Limit: 5, Backwards: true, Filter: billing.Filter{Terms: []billing.Term{
		{Field: "state", Op: billing.Equal, Value: billing.JobFailed},
		{Field: "created", Op: billing.GreaterEqual, Value: c.now().UTC().AddDate(0, 0, -7).Format(time.DateOnly)},
	}}})
	if err != nil {
		return err
	}
	for _, j := range failed {
		data.Attention = append(data.Attention, notice{"warn", "Job " + ui.IDText(j.ID) + " (" + j.Kind + ") failed.", ui.Link{Text: "Look at it", Href: jobHref(j.ID)}})
	}
	return nil
}

// fillNext shows what time brings next to accounts on real time. Where there is
// nothing, as with made-up customers, it is what the newest test clock brings.
func fillNext(c *call, data *homeData) error {
	data.Next = ui.Block{Title: "Coming up", Table: ui.Table{Columns: []string{"When", "What", "Account", "Plan", "State"}}, Empty: "Nothing is due."}
	due, err := store.DueSubscriptions(c.ctx(), c.q(), lastDay, 10)
	if err == nil && len(due) == 0 {
		due, err = fillNextOnClock(c, data)
	}
	if err != nil {
		return err
	}
	rows, err := store.Subscriptions.ByIDs(c.ctx(), c.q(), due)
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(a, b subscription.Subscription) int { return slices.Index(due, a.ID) - slices.Index(due, b.ID) })
	names, err := namesOf(c, rows)
	if err != nil {
		return err
	}
	zone, err := c.service.Calendar.TimeZone(c.ctx())
	if err != nil {
		return err
	}
	data.Next.Table.Rows = ui.RowsOf(rows, func(s *subscription.Subscription) []ui.Cell {
		what, day := nextOf(s, zone)
		return []ui.Cell{
			{Text: day, Kind: ui.CellDate}, ui.Linked(what, subscriptionHref(s.ID)), accountCell(names.accounts, s.AccountID), names.plan(s), state(s.State),
		}
	})
	return nil
}

// lastDay is later than anything that is due.
var lastDay = billing.Date{Year: 9999, Month: time.December, Day: 31}

func fillNextOnClock(c *call, data *homeData) ([]billing.SubscriptionID, error) {
	clocks, err := store.TestClocks.List(c.ctx(), c.q(), store.Page{Limit: 1, Backwards: true})
	if err != nil || len(clocks) == 0 {
		return nil, err
	}
	due, err := store.DueOnClock(c.ctx(), c.q(), clocks[0].ID, lastDay, 10)
	if len(due) > 0 {
		data.Next.Title = "Coming up, on the test clock " + clocks[0].Name
		data.Next.More = &ui.Link{Text: "Advance the clock", Href: clockPages.href(clocks[0].ID)}
	}
	return due, err
}

func fillJobs(c *call, data *homeData) error {
	open, err := store.UnfinishedJobs(c.ctx(), c.q(), 5)
	data.Jobs = ui.Block{Title: "Jobs under way", Table: ui.Table{Columns: jobColumns, Rows: ui.RowsOf(open, jobCells)}, More: &ui.Link{Text: "All jobs", Href: "/jobs"}}
	return err
}
