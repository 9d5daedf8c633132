package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestBackKeepsWhatWasTyped goes back from what would be done to the form, which has what
// was typed, and goes on from there to something else. Nothing is done meanwhile.
func TestBackKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Editor)
	invoice := fmt.Sprintf("/invoices/%d", s.office.open)
	active := fmt.Sprintf("/subscriptions/%d", s.subs["ACTIVE"].ID)
	for _, c := range []struct {
		path  string
		typed []string
		done  string
	}{
		{invoice + "/pay", []string{"amount", "1.50", "currencyId", "EUR", "receivedAt", "2026-01-10", "reference", ""}, "Recorded a payment"},
		{"/accounts/1/pay", []string{"amount", "2.50", "currencyId", "EUR", "reference", "tx-77"}, "Recorded a payment"},
		{invoice + "/credit", []string{"reason", "Sorry", fmt.Sprintf("item:%d", s.office.item), "5.00"}, "Credited"},
		{fmt.Sprintf("/payments/%d/unapply", s.office.payment), []string{"invoiceIds", fmt.Sprint(s.office.paid)}, "waits as credit"},
		{active + "/quantities", []string{"quantity:seats", "44", "when", "day", "startDate", "2026-02-01"}, "44 seats"},
	} {
		preview := v.wants(v.submit(v.get(c.path), c.typed...), 200, "Nothing is done yet")
		form, found := formTo(preview, c.path)
		if !found || !strings.Contains(form, ` name="again" value="yes">Back</button>`) {
			t.Fatalf("%s: no way back in\n%s", c.path, form)
		}
		values := filled(form, map[string]string{"again": "yes"})
		back := v.wants(v.send("POST", c.path, values), 200)
		shown, _ := formTo(back, c.path)
		has := filled(shown, nil)
		for n := 0; n < len(c.typed); n += 2 {
			if has.Get(c.typed[n]) != c.typed[n+1] {
				t.Errorf("%s: %s is %q, typed was %q", c.path, c.typed[n], has.Get(c.typed[n]), c.typed[n+1])
			}
		}
		next := v.wants(v.send("POST", c.path, has), 200, "Nothing is done yet")
		v.wants(v.submit(next), 200, c.done)
	}
}
