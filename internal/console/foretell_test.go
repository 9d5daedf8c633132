package console_test

import (
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// TestFormsSayWhatTheyDo changes the catalog and customers in the console: what that does
// to tenants is said before it is saved, and nothing is asked where nothing happens.
func TestFormsSayWhatTheyDo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		v := s.as(billing.Admin)
		change := func(path, field, value string) answer {
			return v.submitForm(readForm(v, v.get(path+"/edit")), map[string]string{field: value})
		}

		asked := v.wants(change("/features/2", "isProvisioned", ""), 200, "Save feature “Storage in GB”?", "tenants lose Storage in GB", "4 webhooks are sent.", `"lose":`)
		if f := must[*catalog.Feature](s)(store.Features.Get(s.ctx, s.service.Read(), 2)); !f.IsProvisioned {
			t.Error("something was saved before anybody said yes")
		}
		v.wants(v.submit(asked), 200, "Saved feature “Storage in GB”")

		v.wants(v.get("/features/2/delete"), 200, "Delete feature “Storage in GB”?", "4 tenants are sent a webhook. Nothing that they may use changes today.")
		v.wants(change("/accounts/1", "poNumber", "PO 7"), 200, "Saved account")
		v.wants(change("/tenants/2", "name", "Another name"), 200, "Save tenant “", "1 tenant is sent a webhook. Nothing that it may use changes today.")
		v.wants(change("/plans/1", "name", "Beginner"), 200, "Saved plan “Beginner”")
		v.wants(change("/tenants/2", "name", ""), 422, "Name must not be empty")
		sub := fmt.Sprintf("/subscriptions/%d", s.subs["ACTIVE"].ID)
		v.wants(v.submitShown(v.get(sub+"/quantities"), "quantity:seats", "45"), 200, "1 tenant has another quantity or value of Users: tenant-",
			"+EUR 95.00 from today", `"perMonth": "95.00"`, "Nothing is done yet.")
	})
}
