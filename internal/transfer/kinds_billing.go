package transfer

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/mailing"
	"github.com/tenantry/tenantry/internal/store"
)

var (
	entities       *kind[billing.Entity, billing.EntityID]
	taxRates       *kind[tax.Rate, billing.TaxRateID]
	policies       *kind[dunning.Policy, billing.DunningPolicyID]
	emailTemplates *kind[email.Template, billing.EmailTemplateID]
)

// Set here, because rows are checked against others of their kind.
func init() {
	policies = &kind[dunning.Policy, billing.DunningPolicyID]{
		Resource: invoicing.DunningPolicies, name: "dunningPolicy", key: []string{"code"}, fields: dunning.PolicyFields,
		problems: func(_ *knownCatalog, p *dunning.Policy) billing.Problems { return p.Check() },
		special: func(_ *knownCatalog, p *dunning.Policy) (instead, []field) {
			return nil, []field{{name: "steps", read: func(value []byte) error { return readSteps(p, value) }, write: func() any { return p.Steps }}}
		},
	}
	// Templates have no code: there is one for each message and language.
	emailTemplates = &kind[email.Template, billing.EmailTemplateID]{
		Resource: mailing.Templates, name: "emailTemplate", key: []string{"name", "locale"}, fields: email.TemplateFields,
		problems: func(_ *knownCatalog, t *email.Template) billing.Problems { return mailing.CheckTemplate(t) },
	}
	entities = &kind[billing.Entity, billing.EntityID]{
		references: []codeOf[billing.Entity]{
			referIfAny("dunningPolicy", policies, func(e *billing.Entity) **billing.DunningPolicyID { return &e.DunningPolicyID }, nil),
		},
		Resource: invoicing.Entities, name: "entity", key: []string{"code"}, fields: billing.EntityFields,
		problems: func(c *knownCatalog, e *billing.Entity) billing.Problems {
			problems := append(e.Check(), document.CheckFormats(e, entities.all(c))...)
			if e.ID <= 0 { // a new one
				problems = append(problems, document.CheckNextNumbers(e, true, true)...)
			}
			return problems
		},
		allowed: func(ctx context.Context, q store.Queries, was, e *billing.Entity) error {
			problems, err := invoicing.CheckNumbers(ctx, q, was, e)
			if err == nil {
				err = problems.Err()
			}
			return err
		},
		special: func(c *knownCatalog, e *billing.Entity) (instead, []field) {
			return instead{
				"invoiceNextNumber":    nextNumber(c, e, store.InvoiceSeries, "invoiceNextNumber", &e.InvoiceNextNumber),
				"creditNoteNextNumber": nextNumber(c, e, store.CreditNoteSeries, "creditNoteNextNumber", &e.CreditNoteNextNumber),
			}, nil
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

func readSteps(p *dunning.Policy, value []byte) error {
	return readList(value, &p.Steps, func(s *dunning.Step) []field {
		return []field{{name: "day", at: &s.Day}, {name: "action", at: (*string)(&s.Action)}, {name: "template", at: &s.Template}}
	})
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
// bill the same days again. Numbers are to go on behind those that were given here.
func leaveOutStart(ctx context.Context, e *exporter, entity *billing.Entity) error {
	series, err := store.AllSeries(ctx, e.tx.Queries, entity.ID)
	if err != nil {
		return err
	}
	issued := false
	for n := range series {
		s := &series[n]
		if s.Documents == 0 || s.TestClockID != 0 {
			continue
		}
		issued = true
		text, next := entity.InvoiceNumberFormat, &entity.InvoiceNextNumber
		if s.Kind == store.CreditNoteSeries {
			text, next = entity.CreditNoteNumberFormat, &entity.CreditNoteNextNumber
		}
		format, err := document.ParseNumberFormat(text)
		if err != nil {
			return err
		}
		if *next = nil; !format.HasYear() || s.Year == e.tx.Now.Year() { // or else it begins with 1 again
			*next = new(s.Last + 1)
		}
	}
	if issued && entity.InvoicingStartsOn != nil {
		entity.InvoicingStartsOn = nil
		e.done.NotStarted++
	}
	return nil
}

// nextNumber is the number with which a series begins. One that has begun goes on as
// it does, whatever a file says that it has come to already.
func nextNumber(c *knownCatalog, e *billing.Entity, kind, name string, at **int) field {
	return field{name: name, at: at, read: func(value []byte) error {
		var given *int
		if err := (&field{name: name, at: &given}).set(value); err != nil {
			return err
		}
		if last, begun := c.lastNumber(e.ID, kind); !begun || given != nil && *given > last+1 {
			*at = given
		}
		return nil
	}}
}

// lastNumber is the last count of a series that has begun.
func (c *knownCatalog) lastNumber(id billing.EntityID, kind string) (last int, begun bool) {
	if c == nil {
		return 0, false
	}
	last, begun = c.series[store.SeriesRef{EntityID: id, Kind: kind}]
	return last, begun
}

// loadSeries reads how far the numbers of entities have come.
func (c *knownCatalog) loadSeries(ctx context.Context, q store.Queries) error {
	series, err := store.AllSeries(ctx, q, 0)
	c.series = map[store.SeriesRef]int{}
	for n := range series {
		if s := &series[n]; s.Documents > 0 && s.TestClockID == 0 {
			c.series[s.SeriesRef] = s.Last
		}
	}
	return err
}
