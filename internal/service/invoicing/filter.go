package invoicing

import (
	"context"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/store"
)

// openWhen are words for some of the invoices that are open, by how their due date
// compares with today.
var openWhen = map[string]billing.Op{"due": billing.LessEqual, "not_due": billing.Greater, "overdue": billing.Less}

// InvoiceFilter writes a filter of invoices in the terms that the table has: of
// those that are open, state:due are the ones to be paid by today in the operator's
// time zone, state:overdue those to be paid before, and state:not_due the others.
func (s *Service) InvoiceFilter(ctx context.Context, filter billing.Filter) (billing.Filter, error) {
	terms := make([]billing.Term, 0, len(filter.Terms)+1)
	for _, term := range filter.Terms {
		word := strings.ToLower(term.Value)
		due, isDue := openWhen[word]
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
		case word == "written_off":
			term.Value = "unpaid"
		case !slices.Contains(invoiceStates, word):
			return filter, store.WrongTerm(term, "write one of %s", strings.Join(invoiceStates, ", "))
		}
		terms = append(terms, term)
	}
	filter.Terms = terms
	return filter, nil
}

// invoiceStates are what invoices can be looked for by; open is due and not_due, and
// unpaid is written_off.
var invoiceStates = []string{"draft", "open", "not_due", "due", "overdue", "paid", "written_off", "unpaid", "voided"}
