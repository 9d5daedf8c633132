package invoicing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

// TestWhatHasToBePaid names the invoices that a suspended subscription waits for: those
// whose day of suspension has come, and no others. Paying exactly them gives everything back.
// The second one bills another subscription too.
func TestWhatHasToBePaid(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "20 SUSPEND"))
		sub, first := o.overdue("acme")
		other := o.Subscribe("fee", "acme")
		o.days(first.DueAt.AddDays(25).String())
		owed := func() string {
			o.T.Helper()
			rows := servicetest.Must[[]document.Invoice](o.World)(o.Subscriptions.ToBePaid(o.Ctx, []subscription.Subscription{*o.Now(sub)}))
			var texts []string
			for n := range rows {
				texts = append(texts, rows[n].Number+" "+rows[n].Currency.Format(rows[n].AmountDue()))
			}
			return strings.Join(texts, ", ")
		}
		o.Equal("standing", o.Now(sub).Standing, billing.Suspended)
		o.Equal("to be paid", owed(), first.Number+" 119.00")
		o.days(first.DueAt.AddDays(52).String())
		second := o.lastOf(sub, first)
		o.Equal("to be paid a month later", owed(), first.Number+" 119.00, "+second.Number+" 238.00")

		o.pays(first, "119.00")
		o.Equal("standing after the first", o.Now(sub).Standing, billing.Suspended)
		o.Equal("to be paid after the first", owed(), second.Number+" 238.00")
		o.pays(second, "200.00")
		o.Equal("to be paid after a part", owed(), second.Number+" 38.00")
		o.pays(second, "38.00")
		o.Equal("to be paid after both", owed(), "")
		if s := o.Now(sub).Standing; !s.HasAllFeatures() {
			o.T.Errorf("it is %s", s)
		}
		o.Equal("the other subscription", o.Now(other).Standing, billing.Suspended)
		o.judgeAnew()
	})
}

// lastOf is the invoice of a subscription that came after another.
func (o *office) lastOf(sub *subscription.Subscription, after *document.Invoice) *document.Invoice {
	o.T.Helper()
	var id billing.InvoiceID
	_, err := fmt.Sscan(o.QueryText(fmt.Sprintf(`SELECT MIN(invoice_id) FROM invoice_item WHERE subscription_id = %d AND invoice_id > %d`, sub.ID, after.ID)), &id)
	o.OK(err)
	return o.read(id)
}
