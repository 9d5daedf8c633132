package document

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestFormatsOfEntities(t *testing.T) {
	of := func(id billing.EntityID, invoices, creditNotes string) billing.Entity {
		return billing.Entity{ID: id, Code: "other", InvoiceNumberFormat: invoices, CreditNoteNumberFormat: creditNotes}
	}
	const inv, cn = billing.InvoiceNumberFormat, billing.CreditNoteNumberFormat
	for _, row := range []struct {
		name        string
		entity      billing.Entity
		others      []billing.Entity
		field, says string
	}{
		{"the default", of(1, inv, cn), nil, "", ""},
		{"as it is", of(1, inv, cn), []billing.Entity{of(1, inv, cn)}, "", ""},
		{"one series", of(1, inv, inv), nil, "", ""},
		{"two countries", of(2, "AT-{0000}", "ATC-{0000}"), []billing.Entity{of(1, inv, cn)}, "", ""},
		{"no count", of(1, "INV", cn), nil, "invoiceNumberFormat", "exactly one count"},
		{"broken", of(1, inv, "CN-{0000"), nil, "creditNoteNumberFormat", "{ without a }"},
		{"other digits", of(1, "INV-{0000}", "INV-{000}"), nil, "creditNoteNumberFormat", "numbers of invoices"},
		{"the year as a number", of(1, "{YYYY}{0000}", "{00000000}"), nil, "creditNoteNumberFormat", "numbers of invoices"},
		{"another's", of(2, inv, "AT-{0000}"), []billing.Entity{of(1, inv, cn)}, "invoiceNumberFormat", `those of the entity "other"`},
		{"another's credit notes", of(2, "CN-{YYYY}-{00000}", "AT-{0000}"), []billing.Entity{of(1, inv, cn)}, "invoiceNumberFormat", `those of the entity "other"`},
	} {
		problems := CheckFormats(&row.entity, row.others)
		switch {
		case row.field == "" && problems == nil:
		case row.field == "" || len(problems) != 1 || problems[0].Field[0] != row.field || !strings.Contains(problems[0].Message, row.says):
			t.Errorf("%s: %v, want %s %q", row.name, problems, row.field, row.says)
		}
	}
}
