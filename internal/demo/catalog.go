package demo

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// The platforms of the business.
const (
	harbour = "harbour"
	beacon  = "beacon"
)

var platforms = []struct{ code, name string }{{harbour, "Harbour"}, {beacon, "Beacon"}}

// product is something to sell, with all that belongs to it.
type product struct {
	platform, code, name, about string
	features                    []feature
	plans                       []plan
	// sold is the charge whose quantity customers choose.
	sold       sold
	trialDays  int
	trialEnds  catalog.TrialExpirationAction
	onboarding int // in cents, once, on the last plan
}

type feature struct {
	code, name, unit string
	kind             catalog.FeatureKind
}

type sold struct{ code, name, feature string }

// plan has a price a month, and a value for each feature of its product: none
// if it does not include that, nothing for no limit.
type plan struct {
	code, name string
	base       int // in cents
	unit       []tier
	values     []string
}

// tier is the price of one unit from a number of them on.
type tier struct{ from, cents int }

// none stands for a feature that a plan does not include.
const none = "-"

func each(cents int) []tier { return []tier{{1, cents}} }

var products = []product{
	{
		platform: harbour, code: "crm", name: "Harbour CRM", about: "Customers, deals and everything said to them, in one place.",
		features: []feature{
			{"users", "Users", "user", catalog.Quantity}, {"storage", "Storage (GB)", "GB", catalog.Quantity},
			{"sso", "Single sign-on", "", catalog.Boolean}, {"audit", "Audit log", "", catalog.Boolean}, {"support", "Support", "", catalog.Value},
		},
		plans: []plan{
			{"starter", "Starter", 0, each(900), []string{"", "10", none, none, "e-mail"}},
			{"team", "Team", 0, each(1900), []string{"", "100", "true", none, "e-mail and phone"}},
			{"business", "Business", 0, each(3900), []string{"", "", "true", "true", "a person of your own"}},
		},
		sold: sold{"seats", "Seats", "users"}, trialDays: 14, trialEnds: catalog.TrialActivate, onboarding: 45000,
	},
	{
		platform: harbour, code: "mail", name: "Harbour Mail", about: "Mailboxes and campaigns that know your customers.",
		features: []feature{{"mailboxes", "Mailboxes", "mailbox", catalog.Quantity}, {"campaigns", "Campaigns", "", catalog.Boolean}},
		plans: []plan{
			{"basic", "Basic", 0, each(400), []string{"", none}},
			{"pro", "Pro", 0, each(700), []string{"", "true"}},
		},
		sold: sold{"mailboxes", "Mailboxes", "mailboxes"}, trialDays: 30, trialEnds: catalog.TrialActivate,
	},
	{
		platform: beacon, code: "analytics", name: "Beacon Analytics", about: "What people do with your product, and why they stop.",
		features: []feature{
			{"events", "Events (million)", "million events", catalog.Quantity}, {"dashboards", "Dashboards", "", catalog.Quantity},
			{"export", "Data export", "", catalog.Boolean}, {"alerts", "Alerts", "", catalog.Boolean}, {"retention", "Retention", "", catalog.Value},
		},
		plans: []plan{
			{"starter", "Starter", 4900, []tier{{1, 800}, {11, 600}}, []string{"", "5", none, none, "3 months"}},
			{"growth", "Growth", 14900, []tier{{1, 700}, {11, 500}, {51, 400}}, []string{"", "25", "true", none, "1 year"}},
			{"scale", "Scale", 39900, []tier{{1, 600}, {11, 450}, {51, 325}}, []string{"", "", "true", "true", "5 years"}},
		},
		sold: sold{"events", "Events", "events"}, trialDays: 14, trialEnds: catalog.TrialCancel,
	},
}

// addition is a feature that a product got during the year: its tenants were
// told on that day.
var addition = struct {
	day     int
	product string
	feature feature
	plans   []string
}{203, "crm", feature{"automation", "Automations", "", catalog.Boolean}, []string{"team", "business"}}

// term is a way to pay: for so many months at once, so many times the price of
// one.
type term struct {
	code          string
	months, times int
	period        catalog.BillingPeriod
}

// terms are the ways to pay. Those who pay for a year get two months for
// nothing.
var terms = []term{{"monthly", 1, 1, catalog.Monthly}, {"yearly", 12, 10, catalog.Annual}}

// retryDelays are in seconds. They are short, because somebody watches.
func retryDelays() []int {
	return slices.Concat(slices.Repeat([]int{2}, 10), slices.Repeat([]int{5}, 20), slices.Repeat([]int{30}, 20))
}
