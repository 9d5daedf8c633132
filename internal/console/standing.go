package console

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// badStandings are the standings that somebody should look at, the worst first.
var badStandings = []billing.Standing{billing.Suspended, billing.Restricted, billing.PastDue}

// standingWord is a standing for people.
func standingWord(s billing.Standing) string {
	words := map[billing.Standing]string{billing.PastDue: "past due", billing.Restricted: "restricted", billing.Suspended: "suspended"}
	if word := words[s]; word != "" {
		return word
	}
	return "good"
}

// standingTerms are the active subscriptions with a standing: for those that are over, it
// means nothing.
func standingTerms(s billing.Standing) []billing.Term {
	return []billing.Term{
		{Field: "state", Op: billing.Equal, Value: strings.ToLower(string(subscription.StateActive))},
		{Field: "standing", Op: billing.Equal, Value: strings.ToLower(string(s))},
	}
}

// standingTabs adds the links that narrow the subscriptions to those with a standing, if
// there are any. They count instead of the states if one of them is chosen.
func standingTabs(c *call, data *ui.List, always []billing.Term) ([]billing.Term, error) {
	chosen := billing.Standing(strings.ToUpper(c.value("standing")))
	for _, s := range badStandings {
		n, err := store.CountStanding(c.ctx(), c.q(), s, 1)
		if err != nil {
			return nil, err
		}
		if n == 0 && s != chosen {
			continue
		}
		query := url.Values{"standing": {strings.ToLower(string(s))}}
		if q := c.value("q"); q != "" {
			query.Set("q", q)
		}
		link := url.URL{Path: data.Path, RawQuery: query.Encode()}
		data.Tabs = append(data.Tabs, ui.NavItem{Text: ui.Capitalized(standingWord(s)), Href: link.String(), Current: s == chosen})
	}
	if !slices.Contains(badStandings, chosen) {
		return always, nil
	}
	for n := range data.Tabs[:1+len(states)] {
		data.Tabs[n].Current = false
	}
	data.Keep = []ui.Pair{{Name: "standing", Value: strings.ToLower(string(chosen))}}
	return standingTerms(chosen), nil
}

// untilPaid says what has to be paid for subscriptions to have all their features back:
// "until INV-1 and INV-2 are paid, EUR 152.00 in all". It is empty if nothing was taken away
// from them.
func untilPaid(c *call, subs []subscription.Subscription) (string, error) {
	owed, err := c.service.Subscriptions.ToBePaid(c.ctx(), subs)
	if err != nil || len(owed) == 0 {
		return "", err
	}
	return untilWords(owed), nil
}

func untilWords(owed []document.Invoice) string {
	const most = 5
	var numbers, lost, totals []string
	sums := map[money.Currency]money.Amount{}
	var currencies []money.Currency
	for n := range owed {
		i := &owed[n]
		if i.AmountDue() <= 0 {
			lost = append(lost, i.Number)
			continue
		}
		if _, seen := sums[i.Currency]; !seen {
			currencies = append(currencies, i.Currency)
		}
		sums[i.Currency] += i.AmountDue()
		numbers = append(numbers, i.Number)
	}
	if len(lost) > 0 && len(numbers) == 0 {
		return "for good: " + lost[0] + " was written off without giving anything back"
	}
	for _, in := range currencies {
		totals = append(totals, amountText(sums[in], in))
	}
	rest := ""
	if len(lost) > 0 {
		rest = "; " + lost[0] + " was written off without giving anything back"
	}
	if len(numbers) == 1 {
		return "until " + numbers[0] + " is paid, " + totals[0] + rest
	}
	if more := len(numbers) - most; more > 1 {
		numbers = append(numbers[:most], ui.Plural(more, "other", "others"))
	}
	return "until " + ui.Enumerated(numbers) + " are paid, " + ui.Enumerated(totals) + " in all" + rest
}

// suspendedWords say why a suspended subscription has no features, and until when.
func suspendedWords(c *call, subs []subscription.Subscription) (string, error) {
	until := "until its invoices are paid"
	if c.may(billing.BillingRead) {
		words, err := untilPaid(c, subs)
		if err != nil {
			return "", err
		}
		if words != "" {
			until = words
		}
	}
	return ui.Ended("None: the subscription is suspended " + until), nil
}

// standingFact says what unpaid invoices do to a subscription, and what has to be paid. It
// says nothing if they do nothing.
func standingFact(c *call, d *ui.Details, s *subscription.Subscription, others []subscription.Subscription) error {
	if s.StandingInvoiceID == nil || !c.may(billing.BillingRead) {
		if s.State.Live() && s.Standing.Worse(billing.Good) {
			d.Fact("Standing", ui.Badge(standingWord(s.Standing), "bad"))
		}
		return nil
	}
	why, err := c.service.Subscriptions.WhyStanding(c.ctx(), s)
	if err != nil {
		return err
	}
	until, err := untilPaid(c, others)
	if err != nil {
		return err
	}
	d.Fact("Standing", ui.Linked(why, invoiceHref(*s.StandingInvoiceID)).WithSub(until))
	return nil
}

// accountStanding says on the pages of an account which of its subscriptions unpaid invoices
// take something away from, and what has to be paid.
func accountStanding(c *call, d *ui.Details, a *billing.Account) error {
	const most = 100
	var withheld []subscription.Subscription
	var words []string
	for _, s := range badStandings {
		rows, more, err := few(c, store.Subscriptions, most, append(term("account", a.ID), standingTerms(s)...))
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			continue
		}
		count := ui.Grouped(len(rows))
		if more {
			count += "+"
		}
		words = append(words, count+" "+standingWord(s))
		if !s.HasAllFeatures() {
			withheld = append(withheld, rows...)
		}
	}
	if len(words) == 0 {
		return nil
	}
	cell := ui.Badge(ui.Enumerated(words), "bad")
	if c.may(billing.BillingRead) {
		until, err := untilPaid(c, withheld)
		if err != nil {
			return err
		}
		cell.Sub = until
	}
	d.Fact("Subscriptions", cell)
	return nil
}
