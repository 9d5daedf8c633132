package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/impact"
)

func TestSentences(t *testing.T) {
	day := func(n int) billing.Date { return billing.Date{Year: 2027, Month: time.January, Day: n} }
	recurs := func(perMonth string, customers int) impact.Recurring {
		return impact.Recurring{PerMonth: perMonth, Customers: customers}
	}
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
			[]string{"1,310 tenants gain AI assistant, 1 loses it and for 2 the quantity or value of it changes: acme, globex, initech and 1,310 others [4 named, 1309 more].",
				"1,420 webhooks are sent, also to tenants for which nothing changes. This takes about 5 seconds."},
		},
		"from one value to another": {
			impact.Impact{Tenants: 11, Webhooks: 11, Features: []impact.Feature{{Code: "storage", Name: "Storage", Change: 11, Tenants: many[:2], Values: []impact.Values{{"100", "150", 11}}}}},
			[]string{"For 11 tenants Storage changes from 100 to 150: acme, globex and 9 others.", "11 webhooks are sent."},
		},
		"from several values": {
			impact.Impact{Tenants: 12, Webhooks: 12, Features: []impact.Feature{
				{Code: "storage", Change: 12, Values: []impact.Values{{"100", "150", 6}, {"50", "no limit", 3}, {"1", "2", 2}, {"3", "4", 1}}}}},
			[]string{"For 12 tenants storage changes (from 100 to 150 for 6, from 50 to no limit for 3, from 1 to 2 for 2 and otherwise for 1).", "12 webhooks are sent."},
		},
		"gained with a quantity, except where suspended": {
			impact.Impact{Tenants: 13, Webhooks: 13, Suspended: 1, Features: []impact.Feature{{Code: "files", Name: "Files", Gain: 12, Values: []impact.Values{{"", "5", 12}}}}},
			[]string{"12 tenants gain Files (5).", "For 1 tenant nothing changes yet: suspended until its invoices are paid.",
				"13 webhooks are sent, also to tenants for which nothing changes."},
		},
		"told what they have": {
			impact.Impact{Tenants: 2, Webhooks: 2, Seconds: 1}, []string{"2 tenants are sent a webhook. Nothing that they may use changes today."},
		},
		"nobody is told": {impact.Impact{Subscriptions: 3}, []string{"3 subscriptions change, and no webhook is sent."}},
		"money": {
			impact.Impact{Subscriptions: 1, Money: []impact.Money{
				{Currency: "EUR", Recurring: recurs("1195.00", 3), Now: "-12.00"}, {Currency: "JPY", Recurring: recurs("-5", 1), Now: "100"}, {Currency: "USD", Recurring: recurs("0.00", 0), Now: "0.50"}}},
			[]string{"1 subscription changes, and no webhook is sent.", "3 customers pay EUR 1,195.00 more a month.", "EUR 12.00 is credited today.",
				"1 customer pays JPY 5 less a month.", "JPY 100 is invoiced today.", "USD 0.50 is invoiced today."},
		},
		"money later": {
			impact.Impact{Money: []impact.Money{
				{Currency: "EUR", Recurring: recurs("0.00", 0), Now: "0.00", Later: []impact.Later{{day(1), recurs("40.00", 1)}}},
				{Currency: "JPY", Recurring: recurs("5", 2), Now: "0", Later: []impact.Later{{day(1), recurs("0", 2)}, {day(2), recurs("-1200", 3)}, {day(3), recurs("1", 1)}, {day(4), recurs("0", 0)}}}}},
			[]string{"1 customer pays EUR 40.00 more a month from 1 Jan 2027 on.", "2 customers pay JPY 5 more a month.",
				"2 customers pay more or less a month, and as much together from 1 Jan 2027 on.", "3 customers pay JPY 1,200 less a month from 2 Jan 2027 on.",
				"From 4 Jan 2027 on, all pay what they would pay anyway."},
		},
		"more features than anybody reads": {
			impact.Impact{Tenants: 36, Webhooks: 36, Seconds: 1, Features: []impact.Feature{
				{Code: "a", Gain: 1}, {Code: "b", Gain: 2}, {Code: "c", Gain: 3}, {Code: "d", Gain: 4}, {Code: "e", Gain: 5}, {Code: "f", Gain: 6}, {Code: "g", Gain: 7}, {Code: "h", Gain: 8}}},
			[]string{"1 tenant gains a.", "2 tenants gain b.", "3 tenants gain c.", "4 tenants gain d.", "5 tenants gain e.", "6 tenants gain f.",
				"Something changes for 2 more features as well.", "36 webhooks are sent."},
		},
	} {
		var said []string
		for _, s := range test.of.Sentences() {
			if s.Suspended != strings.Contains(s.Text, "suspended") {
				t.Errorf("%s: %q is about tenants that are suspended: %v", name, s.Text, s.Suspended)
			}
			if len(s.Tenants) > 0 {
				s.Text = fmt.Sprintf("%s [%d named, %d more].", strings.TrimSuffix(s.Text, "."), len(s.Tenants), s.Others)
			}
			said = append(said, s.Text)
		}
		if !slices.Equal(said, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, said, test.want)
		}
	}
}
