package invoicing_test

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
)

func TestEntities(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		create := func(edit func(*billing.Entity)) (*billing.Entity, error) {
			return invoicing.Entities.Create(w.Ctx, w.Runner, func(e *billing.Entity) error {
				e.Code, e.Name, e.Country = "de", "GmbH", "DE"
				edit(e)
				return nil
			})
		}
		austrian := func(e *billing.Entity) {
			e.Code, e.Country, e.InvoiceNumberFormat, e.CreditNoteNumberFormat = "at", "AT", "AT-{YYYY}-{0000}", "AT-{YYYY}-{0000}"
		}
		first, err := create(func(*billing.Entity) {})
		w.OK(err)
		if first.NetPaymentDays != 14 || first.InvoiceNumberFormat != "INV-{YYYY}-{000000}" || first.InvoiceTime != "00:00" || first.InvoicingStartsOn != nil {
			t.Errorf("a new entity is %+v", first)
		}
		w.Refused("a code twice", servicetest.ErrorOf(create(func(e *billing.Entity) { austrian(e); e.Code = "de" })), "TAKEN code")
		w.Refused("the formats of the first", servicetest.ErrorOf(create(func(e *billing.Entity) { e.Code = "two" })), "TAKEN invoiceNumberFormat", "TAKEN creditNoteNumberFormat")
		w.Refused("a format that is none", servicetest.ErrorOf(create(func(e *billing.Entity) { austrian(e); e.CreditNoteNumberFormat = "CN" })), "INVALID creditNoteNumberFormat")
		second, err := create(austrian)
		w.OK(err)
		_, err = invoicing.Entities.Update(w.Ctx, w.Runner, second.ID, func(e *billing.Entity) error { e.IBAN = new("at61 1904 3002 3457 3201"); return nil })
		w.OK(err)
		w.Refused("deleted", servicetest.ErrorOf(invoicing.Entities.Delete(w.Ctx, w.Runner, second.ID)), "IN_USE id")

		account := w.Account("acme")
		into := func(id billing.EntityID) error {
			return servicetest.ErrorOf(w.Customers.AccountUpdate(w.Ctx, account.ID, func(a *billing.Account) error { a.EntityID = &id; return nil }, nil))
		}
		w.OK(into(second.ID))
		w.Refused("an entity that there is not", into(99), "NOT_FOUND entityId")
	})
}

func TestTaxRates(t *testing.T) {
	servicetest.Each(t, func(w *servicetest.World) {
		create := func(from string) (*tax.Rate, error) {
			return invoicing.TaxRates.Create(w.Ctx, w.Runner, func(r *tax.Rate) error {
				r.Country, r.Name, r.Rate, r.ValidFrom = "JP", "Consumption tax", "10", servicetest.On(from)
				return nil
			})
		}
		first, err := create("2026-01-01")
		w.OK(err)
		w.Refused("the same days", servicetest.ErrorOf(create("2026-06-01")), "TAKEN validFrom")
		end := func(r *tax.Rate) error { r.ValidTo = servicetest.On("2026-05-31"); return nil }
		w.OK(servicetest.ErrorOf(invoicing.TaxRates.Update(w.Ctx, w.Runner, first.ID, end)))
		second, err := create("2026-06-01")
		w.OK(err)
		on := func(r *tax.Rate) error { r.ValidTo = nil; return nil }
		w.Refused("going on", servicetest.ErrorOf(invoicing.TaxRates.Update(w.Ctx, w.Runner, first.ID, on)), "TAKEN validFrom")
		w.OK(servicetest.ErrorOf(invoicing.TaxRates.Delete(w.Ctx, w.Runner, second.ID)))
		w.OK(servicetest.ErrorOf(invoicing.TaxRates.Update(w.Ctx, w.Runner, first.ID, on)))
	})
}
