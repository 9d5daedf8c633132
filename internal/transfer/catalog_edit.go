package transfer

import (
	"github.com/tenantry/tenantry/internal/billing"
)

// missing says that a code names nothing.
func missing(field, noun, code string) *billing.Error {
	if code == "" {
		return billing.Fail(billing.Required, field, "Name the %s by its code.", noun)
	}
	return billing.Fail(billing.NotFound, field, "There is no %s %q, neither in the file nor in the database.", noun, excerpt(code))
}

// join puts problems together.
func join(err error, more ...*billing.Error) error {
	found, known := billing.AsProblems(err)
	if err != nil && !known {
		return err
	}
	for _, p := range more {
		if p != nil {
			found = append(found, p)
		}
	}
	return found.Err()
}

func accountEdit(c *knownCatalog, members []member) func(*billing.Account) error {
	edit := editOf(members, func(row *billing.Account) line { return &accountLine{row, c} })
	return func(row *billing.Account) error {
		before := *row
		row.TaxNumberState = ""
		err := edit(row)
		row.KeepTaxNumberState(&before)
		return err
	}
}

func contactEdit(members []member) func(*billing.Contact) error {
	return editOf(members, func(row *billing.Contact) line { return &contactLine{row: row} })
}

func tenantEdit(members []member) func(*billing.Tenant) error {
	return editOf(members, func(row *billing.Tenant) line { return &tenantLine{row: row} })
}
