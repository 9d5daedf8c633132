package store

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// TaxRates keeps tax.Rate.
var TaxRates = newTable(Table[tax.Rate, billing.TaxRateID]{
	name:      "tax_rate",
	id:        func(r *tax.Rate) *billing.TaxRateID { return &r.ID },
	described: tax.RateFields,
	stamps:    func(r *tax.Rate) (*time.Time, *time.Time) { return &r.CreatedAt, &r.UpdatedAt },
	words:     func(r *tax.Rate) []string { return []string{r.Name, r.Country, r.TaxCode} },
	filters: map[string]field{
		"country": {"country", exact, nil}, "region": {"region", exact, nil}, "taxCode": {"tax_code", exact, nil},
	},
})

// AllTaxRates returns all tax rates.
func AllTaxRates(ctx context.Context, q Queries) (tax.Rates, error) {
	return TaxRates.all(ctx, q)
}
