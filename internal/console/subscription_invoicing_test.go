package console_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// How a subscription is invoiced is asked for when it is made and can be changed,
// which is nothing to its tenant.
func TestInvoicingOfASubscription(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.as(billing.Editor)
	form := v.wants(v.get("/subscriptions/new?priceListId=1"), 200, "On the account's billing day")
	preview := v.submitShown(form, "accountId", "c-1", "tenantCode", "aligned", "quantity:seats", "3", "alignTo", "BILLING_DAY", "poNumber", "PO-7", "separateInvoice", "on")
	v.wants(preview, 200, "PO-7")
	path := v.wants(v.submit(preview), 200, "Purchase order", "PO-7", "of its own").path
	id, err := strconv.ParseInt(path[strings.LastIndex(path, "/")+1:], 10, 64)
	if err != nil {
		t.Fatal(path, err)
	}
	made := must[*subscription.Subscription](s)(store.Subscriptions.Get(s.ctx, s.service.Read(), billing.SubscriptionID(id)))
	account := must[*billing.Account](s)(store.Accounts.Get(s.ctx, s.service.Read(), made.AccountID))
	if day := made.EndDate.AddDays(1); day != billing.BillingDate(day.Year, day.Month, account.BillingDay) {
		t.Errorf("the first term ends on %s, with %d as the billing day", made.EndDate, account.BillingDay)
	}
	before := s.lastEvent(*made.TenantID)
	preview = v.submitShown(v.wants(v.get(path+"/invoicing"), 200), "poNumber", "PO-8", "separateInvoice", "")
	v.wants(preview, 200, "Nothing is done yet.", "PO-8")
	v.wants(v.submit(preview), 200, "Saved how", "PO-8", "invoicing changed")
	if after := s.lastEvent(*made.TenantID); after.ID != before.ID {
		t.Errorf("the tenant was told: %+v", after)
	}
}
