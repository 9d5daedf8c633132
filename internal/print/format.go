package print

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Format is how amounts and dates are written for somebody, on documents and in e-mail.
type Format struct{ of locale }

// FormatFor is the format of a locale, or the nearest one to it.
func FormatFor(name string) Format { return Format{localeOf(name)} }

// Money writes an amount with its currency.
func (f Format) Money(c money.Currency, a money.Amount) string { return f.of.money(c, a) }

// Day writes a date; nothing for none.
func (f Format) Day(d billing.Date) string { return f.of.day(d) }

// Bank says where money is transferred to, on several lines; nothing if that is not known.
func (f Format) Bank(name, iban, bic string) string {
	var lines []string
	for _, one := range given(fact{f.of.Bank, name}, fact{"IBAN", grouped(iban)}, fact{"BIC", bic}) {
		lines = append(lines, one.Label+": "+one.Value)
	}
	if iban == "" {
		return ""
	}
	return strings.Join(lines, "\n")
}
