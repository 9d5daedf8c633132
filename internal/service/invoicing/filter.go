package invoicing

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/store"
)

// InvoiceFilter writes a filter of invoices in the terms that the table has: of
// those that are open, state:due are the ones to be paid by today in the operator's
// time zone, and state:not_due the others.
func (s *Service) InvoiceFilter(ctx context.Context, filter billing.Filter) (billing.Filter, error) {
	terms := make([]billing.Term, 0, len(filter.Terms)+1)
	for _, term := range filter.Terms {
		due, isDue := map[document.InvoiceState]billing.Op{document.Due: billing.LessEqual, document.NotDue: billing.Greater}[document.InvoiceState(strings.ToUpper(term.Value))]
		switch {
		case term.Field != "state" || term.Op != billing.Equal:
		case isDue:
			zone, err := calendar.ZoneOf(ctx, s.Read())
			if err != nil {
				return filter, err
			}
			today := billing.DateOf(s.Store.Clock().Now(), zone)
			terms = append(terms, billing.Term{Field: "due", Op: due, Value: today.String()})
			term.Value = "open"
		case !slices.Contains(invoiceStates, strings.ToLower(term.Value)):
			return filter, store.WrongTerm(term, "write one of %s", strings.Join(invoiceStates, ", "))
		}
		terms = append(terms, term)
	}
	filter.Terms = terms
	return filter, nil
}

// invoiceStates are what invoices can be looked for by; open is due and not_due.
var invoiceStates = []string{"draft", "open", "not_due", "due", "paid", "unpaid", "voided"}
