package subscription

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

// TestAlignedTerms lets first terms end with the billing period of the account.
func TestAlignedTerms(t *testing.T) {
	for _, c := range []struct {
		name       string
		start      string
		billingDay int
		draft      Draft
		months     int
		end        string // of the first term
		second     string // end of the second
		owes       string // until the end of the first term, and for the period after it
	}{
		{"within a month", "2026-01-10", 1, Draft{}, 1, "2026-01-31", "2026-02-28", "34.77 + 49.00"},
		{"up to a day of this month", "2026-01-10", 20, Draft{}, 1, "2026-01-19", "2026-02-19", "15.81 + 49.00"}, // 10 of 31 days
		{"on a billing day", "2026-01-20", 20, Draft{}, 1, "2026-02-19", "2026-03-19", "49.00 + 49.00"},
		{"up to the end of a short month", "2026-02-10", 31, Draft{}, 1, "2026-02-27", "2026-03-30", "31.50 + 49.00"}, // 18 of 28 days
		{"on the end of a short month", "2026-02-28", 31, Draft{}, 1, "2026-03-30", "2026-04-29", "49.00 + 49.00"},
		{"a year", "2026-01-10", 1, Draft{}, 12, "2026-01-31", "2027-01-31", "34.77 + 49.00"},
		{"after a trial", "2026-01-10", 1, Draft{Trial: true}, 1, "2026-01-31", "2026-02-28", "12.65 + 49.00"}, // 24 to 31 January
	} {
		t.Run(c.name, func(t *testing.T) {
			offer := priced(10, "49", c.months, catalog.Monthly)
			customer := &customer{t: t, offers: map[billing.PriceListID]*Offer{10: offer}}
			c.draft.Evergreen, c.draft.AlignTo, c.draft.BillingDay = true, AlignToBillingDay, c.billingDay
			s, _, err := New(c.draft, offer, d(c.start))
			if err != nil {
				t.Fatal(err)
			}
			customer.s = s
			then, err := s.BroughtTo(d(c.end).AddDays(1), customer.find)
			if err != nil || s.EndDate != d(c.end) || then.EndDate != d(c.second) {
				t.Errorf("%v: terms end on %s and %s", err, s.EndDate, then.EndDate)
			}
			if have := customer.owes(d(c.end).AddDays(1).String()); have != c.owes {
				t.Errorf("owes %q, want %q", have, c.owes)
			}
		})
	}
	_, _, err := New(Draft{AlignTo: AlignToBillingDay, BillingDay: 1, EndDate: at(d("2026-01-20"))}, priced(10, "49", 1, catalog.Monthly), d("2026-01-10"))
	problems, _ := billing.AsProblems(err)
	if len(problems) != 1 || problems[0].Code != billing.Invalid || problems[0].Field[0] != "alignTo" {
		t.Errorf("with an end that was chosen: %v", err)
	}
}
