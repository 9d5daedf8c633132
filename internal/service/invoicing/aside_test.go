package invoicing_test

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// TestAsideWithoutSubscription sets an account aside that has nothing but an item
// made by hand. When it is mended, the item is billed: at once if its day has passed,
// and otherwise on its day.
func TestAsideWithoutSubscription(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.Account("acme")
		o.change(account.ID, func(a *billing.Account) { a.BillingDay = 1 })
		for _, on := range []string{"2026-01-15", "2026-02-15"} {
			_, err := o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending("Training", on))
			o.OK(err)
		}
		o.at("2026-02-01")
		_, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
		if err == nil || !strings.Contains(err.Error(), "was set aside: The account has no country.") {
			t.Fatalf("the account was not set aside: %v", err)
		}
		o.expect("nothing can be billed", "")
		aside := servicetest.Must[*billing.Account](o.World)(store.Accounts.Get(o.Ctx, o.Read(), account.ID))
		o.Equal("the problem", *aside.BillingProblem, "The account has no country.")
		o.at("2026-02-03")
		o.change(account.ID, func(a *billing.Account) { a.BillingCountry = new("DE") })
		o.expect("what its day has passed of", "INV-2026-000001 2026-02-03: Training ×1 2026-01-15–2026-01-15 10.00 = 10.00+1.90")
		o.days("2026-02-28")
		o.expect("the other one waits", "")
		o.at("2026-03-01")
		o.expect("on its day", "INV-2026-000002 2026-03-01: Training ×1 2026-02-15–2026-02-15 10.00 = 10.00+1.90")
	})
}

// TestAsideForItsCountry sets an account aside whose country is a text and no code,
// which nobody may take for a country without tax. It can be changed, and is billed
// once it has a code.
func TestAsideForItsCountry(t *testing.T) {
	eachOffice(t, func(o *office) {
		const problem = `The account's country "Germany" is not an ISO 3166-1 code. Use one of two letters, such as DE.`
		account := o.customer("acme", func(a *billing.Account) { a.BillingCountry = new("Germany") })
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		_, _, err := o.Invoicing.RunDue(o.Ctx, o.Clock.Now())
		if err == nil || !strings.Contains(err.Error(), problem) {
			t.Fatalf("the account was not set aside: %v", err)
		}
		o.expect("nothing can be billed", "")
		aside := servicetest.Must[*billing.Account](o.World)(store.Accounts.Get(o.Ctx, o.Read(), account.ID))
		o.Equal("the problem", *aside.BillingProblem, problem)
		o.change(account.ID, func(a *billing.Account) { a.BillingCountry = new("de") })
		o.expect("mended", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
	})
}
