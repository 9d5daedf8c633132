package collect_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
)

// TestExpiryNotice tells of the end of a payment method 30 and 7 days before, once each.
func TestExpiryNotice(t *testing.T) {
	for _, c := range []struct {
		expires, today string
		told           int // 0 for never
		days           int // 0 for no notice
	}{
		{"2027-03", "2027-02-28", 0, 0},
		{"2027-03", "2027-03-01", 0, 30},
		{"2027-03", "2027-03-02", 30, 0},
		{"2027-03", "2027-03-23", 30, 0},
		{"2027-03", "2027-03-24", 30, 7},
		{"2027-03", "2027-03-25", 7, 0},
		{"2027-03", "2027-03-31", 0, 7}, // both were missed
		{"2027-03", "2027-03-31", 30, 7},
		{"2027-03", "2027-04-01", 30, 0}, // it is over
		{"2028-02", "2028-01-29", 0, 0},
		{"2028-02", "2028-01-30", 0, 30}, // 29 days in February
		{"", "2027-03-31", 0, 0},
	} {
		m := collect.Method{State: collect.Active}
		if c.expires != "" {
			m.Expires = &c.expires
		}
		if c.told > 0 {
			m.ExpiryTold = &c.told
		}
		today, err := billing.ParseDate(c.today)
		if err != nil {
			t.Fatal(err)
		}
		if days, due := m.ExpiryNotice(today); days != c.days || due != (c.days > 0) {
			t.Errorf("%s, told %d, on %s: %d %v, not %d", c.expires, c.told, c.today, days, due, c.days)
		}
		m.State = collect.Removed
		if _, due := m.ExpiryNotice(today); due {
			t.Errorf("%s: a notice about a method that was removed", c.expires)
		}
	}
}
