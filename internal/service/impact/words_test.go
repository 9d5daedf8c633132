package impact_test

import (
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/service/impact"
)

func TestSentences(t *testing.T) {
	many := []string{"acme", "globex", "initech", "umbrella"}
	for name, test := range map[string]struct {
		of   impact.Impact
		want []string
	}{
		"nothing": {impact.Impact{}, []string{"No tenant, no subscription and no amount would change."}},
		"one tenant gains several features": {
			impact.Impact{Tenants: 1, Webhooks: 1, Subscriptions: 1, Seconds: 1, Features: []impact.Feature{
				{Code: "sso", Name: "Single sign-on", Gain: 1, Tenants: []string{"acme"}}, {Code: "audit", Gain: 1, Tenants: []string{"acme"}}}},
			[]string{"1 tenant gains Single sign-on and audit: acme."},
		},
		"many gain, some lose": {
			impact.Impact{Tenants: 1420, Webhooks: 1420, Subscriptions: 1533, Seconds: 5, Features: []impact.Feature{
				{Code: "ai", Name: "AI assistant", Gain: 1310, Lose: 1, Change: 2, Tenants: many}}},
			[]string{"1,310 tenants gain AI assistant, 1 loses it and 2 have another quantity or value of it: acme, globex, initech and 1,310 others.",
				"1,420 webhooks are sent, which takes about 5 seconds."},
		},
		"told what they have": {
			impact.Impact{Tenants: 2, Webhooks: 2, Seconds: 1}, []string{"2 tenants are sent a webhook. Nothing that they may use changes today."},
		},
		"nobody is told": {impact.Impact{Subscriptions: 3}, []string{"3 subscriptions change, and no webhook is sent."}},
		"money": {
			impact.Impact{Subscriptions: 1, Money: []impact.Money{
				{Currency: "EUR", PerMonth: "1195.00", Now: "-12.00", Customers: 3}, {Currency: "JPY", PerMonth: "-5", Now: "100", Customers: 1}, {Currency: "USD", PerMonth: "0.00", Now: "0.50"}}},
			[]string{"1 subscription changes, and no webhook is sent.", "3 customers pay EUR 1,195.00 more a month.", "EUR 12.00 is credited today.",
				"1 customer pays JPY 5 less a month.", "JPY 100 is invoiced today.", "USD 0.50 is invoiced today."},
		},
		"more features than anybody reads": {
			impact.Impact{Tenants: 36, Webhooks: 36, Seconds: 1, Features: []impact.Feature{
				{Code: "a", Gain: 1}, {Code: "b", Gain: 2}, {Code: "c", Gain: 3}, {Code: "d", Gain: 4}, {Code: "e", Gain: 5}, {Code: "f", Gain: 6}, {Code: "g", Gain: 7}, {Code: "h", Gain: 8}}},
			[]string{"1 tenant gains a.", "2 tenants gain b.", "3 tenants gain c.", "4 tenants gain d.", "5 tenants gain e.", "6 tenants gain f.",
				"Something changes for 2 more features as well.", "36 webhooks are sent."},
		},
	} {
		if said := test.of.Sentences(); !slices.Equal(said, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, said, test.want)
		}
	}
}
