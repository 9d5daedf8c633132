package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
)

// TestEntityShowsWhatIsMissing lists accounts that could not be billed, until
// invoicing has a first day.
func TestEntityShowsWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	must[*billing.Entity](s)(invoicing.Entities.Create(s.ctx, s.service.Runner, func(e *billing.Entity) error { e.Code, e.Name, e.Country = "gmbh", "GmbH", "DE"; return nil }))
	must[*billing.Account](s)(s.service.Customers.AccountUpdate(s.ctx, s.accounts[1].ID, func(a *billing.Account) error { a.BillingCountry = ptr("Germany"); return nil }, nil))
	v := s.as(billing.Admin)
	const title = "Missing before invoicing starts"
	v.wants(v.get("/entities/1"), 200, title, "Country, which decides the tax", s.accounts[0].Name, s.accounts[1].Name, "a code such as DE instead of “Germany”")
	if page := v.get("/entities/1"); strings.Contains(page.body, "price that is not known") {
		t.Error("the page lists subscriptions though all prices are known")
	}
	err := s.store.Write(s.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE subscription SET charges = replace(charges, '"rate":{', '"gone":{') WHERE id = $1`, int64(s.subs["ACTIVE"].ID))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	v.wants(v.get("/entities/1"), 200, "Subscriptions with a price that is not known", fmt.Sprintf("/subscriptions/%d", s.subs["ACTIVE"].ID))
	must[*billing.Entity](s)(invoicing.Entities.Update(s.ctx, s.service.Runner, 1, func(e *billing.Entity) error {
		e.InvoicingStartsOn = &billing.Date{Year: 2027, Month: 1, Day: 1}
		return nil
	}))
	if page := v.get("/entities/1"); strings.Contains(page.body, title) {
		t.Error("the page lists what is missing after the first day was set")
	}
}
