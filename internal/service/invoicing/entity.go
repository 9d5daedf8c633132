package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Entities is what changing entities has in common. They are changed one after the
// other, as the catalog is, because each is checked against all others.
var Entities = operation.Resource[billing.Entity, billing.EntityID]{
	Name: "entity", Words: "entity", Table: store.Entities, Catalog: true,
	New: func(*store.Tx) billing.Entity { return billing.NewEntity() },
	Check: func(ctx context.Context, tx *store.Tx, before, e *billing.Entity) (billing.Problems, error) {
		others, err := store.AllEntities(ctx, tx.Queries)
		if err != nil {
			return nil, err
		}
		problems := append(e.Check(), document.CheckFormats(e, others)...)
		found, err := CheckNumbers(ctx, tx.Queries, before, e)
		if problems = append(problems, found...); err != nil {
			return nil, err
		}
		if len(problems) == 0 && (before == nil || before.InvoiceNumberFormat != e.InvoiceNumberFormat || firstNumber(before.InvoiceNextNumber) != firstNumber(e.InvoiceNextNumber)) {
			if err := checkImported(ctx, tx, before, e, &problems); err != nil {
				return nil, err
			}
		}
		if before == nil || sameDay(before.InvoicingStartsOn, e.InvoicingStartsOn) {
			return problems, nil
		}
		err = checkStart(ctx, tx, before, e, &problems)
		return problems, err
	},
	InUse: func(context.Context, store.Queries, *billing.Entity) error {
		return billing.Fail(billing.InUse, "id", "An entity is kept for the record of what it issues.")
	},
	Taken: func(e *billing.Entity) *billing.Error {
		return billing.Fail(billing.Taken, "code", "Another entity has the code %q.", e.Code)
	},
}

// checkStart refuses to bill other days than before once an entity has issued
// something: no other first day, and none that has passed if there was none.
func checkStart(ctx context.Context, tx *store.Tx, before, e *billing.Entity, problems *billing.Problems) error {
	issued, err := store.HasDocuments(ctx, tx.Queries, e.ID)
	if err != nil || !issued {
		return err
	}
	if before.InvoicingStartsOn != nil {
		problems.Add(billing.Fail(billing.NotAllowed, "invoicingStartsOn", "The first day that is billed stays %s: documents have been issued.", *before.InvoicingStartsOn))
		return nil
	}
	cal, err := calendar.In(ctx, tx, nil)
	if err == nil && e.InvoicingStartsOn.Before(cal.Today) {
		problems.Add(billing.Fail(billing.NotAllowed, "invoicingStartsOn", "The entity has issued documents: the first day that is billed can be today, %s, or later.", cal.Today))
	}
	return err
}

// CheckNumbers returns what is wrong with the numbers that an entity is to give, with
// regard to those that were given; before is nil for a new one. The numbers that its
// series begin with are fixed by the first document of a series.
func CheckNumbers(ctx context.Context, q store.Queries, before, e *billing.Entity) (problems billing.Problems, err error) {
	series, err := store.AllSeries(ctx, q, 0)
	if err != nil {
		return nil, err
	}
	if before == nil || before.InvoiceNumberFormat != e.InvoiceNumberFormat || before.CreditNoteNumberFormat != e.CreditNoteNumberFormat {
		all, err := store.AllEntities(ctx, q)
		if err != nil {
			return nil, err
		}
		problems = document.CheckUsed(e, usedFormats(all, series))
	}
	if before == nil {
		return append(problems, document.CheckNextNumbers(e, true, true)...), nil
	}
	begun := map[string]bool{}
	for n := range series {
		if s := &series[n]; s.EntityID == e.ID && s.TestClockID == 0 && s.Documents > 0 {
			begun[s.Kind] = true
		}
	}
	fixed := func(kind, field, words string, was, now *int) {
		if first := firstNumber(was); begun[kind] && firstNumber(now) != first {
			problems.Add(billing.Fail(billing.NotAllowed, field, "The first number of %s stays %d: there are numbers already.", words, first))
		}
	}
	fixed(store.InvoiceSeries, "invoiceNextNumber", "invoices", before.InvoiceNextNumber, e.InvoiceNextNumber)
	fixed(store.CreditNoteSeries, "creditNoteNextNumber", "credit notes", before.CreditNoteNextNumber, e.CreditNoteNextNumber)
	return append(problems, document.CheckNextNumbers(e, !begun[store.InvoiceSeries], !begun[store.CreditNoteSeries])...), nil
}

// checkImported refuses numbers that invoices of another system have, and to which the
// entity would come.
func checkImported(ctx context.Context, tx *store.Tx, before, e *billing.Entity, problems *billing.Problems) error {
	format, err := document.ParseNumberFormat(e.InvoiceNumberFormat)
	if err != nil {
		return err
	}
	cal, err := calendar.In(ctx, tx, nil)
	if err != nil {
		return err
	}
	var series *store.Series
	if before != nil {
		if series, err = invoiceSeries(ctx, tx.Queries, e.ID); err != nil {
			return err
		}
	}
	next := nextCount(e, format, series, cal.Today)
	number, err := store.ImportedNumber(ctx, tx.Queries, func(number string) bool { return format.WillWrite(number, cal.Today.Year, next) })
	if number != "" {
		field := "invoiceNumberFormat"
		if before != nil && before.InvoiceNumberFormat == e.InvoiceNumberFormat {
			field = "invoiceNextNumber"
		}
		problems.Add(billing.Fail(billing.NotAllowed, field, "Invoice %s of another system was imported, and the entity would give that number again: its next one has the count %d. Choose another format, or a higher invoiceNextNumber.", number, next))
	}
	return err
}

// invoiceSeries is the series of an entity's invoices that are no tests, nil if there
// is none.
func invoiceSeries(ctx context.Context, q store.Queries, id billing.EntityID) (*store.Series, error) {
	all, err := store.AllSeries(ctx, q, id)
	for n := range all {
		if s := &all[n]; s.Kind == store.InvoiceSeries && s.TestClockID == 0 {
			return s, nil
		}
	}
	return nil, err
}

// nextCount is the count of an entity's next invoice; series is nil if there is none.
func nextCount(e *billing.Entity, format document.NumberFormat, series *store.Series, today billing.Date) int {
	next := document.Series{}
	if series != nil {
		next = series.Series
	}
	next.Format, next.First = format, firstNumber(e.InvoiceNextNumber)
	return next.NextCount(today.Year)
}

// usedFormats are the formats of all numbers that were given.
func usedFormats(entities []billing.Entity, series []store.Series) (used []document.Used) {
	for n := range series {
		for i := range entities {
			if s := &series[n]; s.TestClockID == 0 && s.EntityID == entities[i].ID {
				used = append(used, document.Used{Entity: &entities[i], CreditNotes: s.Kind == store.CreditNoteSeries, Formats: s.Formats})
			}
		}
	}
	return used
}

func firstNumber(n *int) int {
	if n == nil {
		return 1
	}
	return *n
}

func sameDay(a, b *billing.Date) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }
