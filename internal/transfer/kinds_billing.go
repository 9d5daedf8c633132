package transfer

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
)

var (
	entities *kind[billing.Entity, billing.EntityID]
	taxRates *kind[tax.Rate, billing.TaxRateID]
)

// Set here, because rows are checked against others of their kind.
func init() {
	entities = &kind[billing.Entity, billing.EntityID]{
		Resource: invoicing.Entities, name: "entity", key: []string{"code"}, fields: billing.EntityFields,
		problems: func(c *knownCatalog, e *billing.Entity) billing.Problems {
			problems := append(e.Check(), document.CheckFormats(e, entities.all(c))...)
			if e.ID <= 0 { // a new one
				problems = append(problems, document.CheckNextNumbers(e, true, true)...)
			}
			return problems
		},
		allowed: func(ctx context.Context, q store.Queries, was, e *billing.Entity) error {
			problems, err := invoicing.CheckNextNumbers(ctx, q, was, e)
			if err == nil {
				err = problems.Err()
			}
			return err
		},
		leftOut: leaveOutStart,
	}
	standard := tax.StandardRates()
	// Tax rates have no code: they are told apart by where and from when on they
	// apply.
	taxRates = &kind[tax.Rate, billing.TaxRateID]{
		Resource: invoicing.TaxRates, name: "taxRate", key: []string{"country", "taxCode", "region", "validFrom"}, optional: []string{"region", "validFrom"},
		fields: tax.RateFields,
		problems: func(c *knownCatalog, r *tax.Rate) billing.Problems {
			problems := r.Check()
			problems.Add(tax.Rates(taxRates.all(c)).CheckOverlap(r))
			return problems
		},
		installed: func(r *tax.Rate) bool {
			return slices.ContainsFunc(standard, func(other tax.Rate) bool { return len(billing.Changes(&other, r)) == 0 })
		},
	}
}

// all are the rows that are known.
func (k *kind[T, K]) all(c *knownCatalog) []T {
	var rows []T
	for _, row := range k.in(c).byID {
		rows = append(rows, *row)
	}
	return rows
}

// leaveOutStart leaves out the day on which invoicing starts, if documents have been
// issued: these and what they bill stay here, and whoever imports the file would
// bill the same days again.
func leaveOutStart(ctx context.Context, e *exporter, entity *billing.Entity) error {
	series, err := store.AllSeries(ctx, e.tx.Queries, entity.ID)
	issued := slices.ContainsFunc(series, func(s store.Series) bool { return s.Documents > 0 && s.TestClockID == 0 })
	if err == nil && issued && entity.InvoicingStartsOn != nil {
		entity.InvoicingStartsOn = nil
		e.done.NotStarted++
	}
	return err
}
