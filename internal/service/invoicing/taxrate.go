package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// TaxRates is what changing tax rates has in common. They are changed one after
// the other, as the catalog is, because each is checked against all others.
var TaxRates = operation.Resource[tax.Rate, billing.TaxRateID]{
	Name: "taxRate", Words: "tax rate", Table: store.TaxRates, Catalog: true,
	New: func(*store.Tx) tax.Rate { return tax.Rate{TaxCode: billing.StandardTaxCode} },
	Check: func(ctx context.Context, tx *store.Tx, _, r *tax.Rate) (billing.Problems, error) {
		problems := r.Check()
		others, err := store.AllTaxRates(ctx, tx.Queries)
		problems.Add(others.CheckOverlap(r))
		return problems, err
	},
}
