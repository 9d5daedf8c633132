package print

import (
	"fmt"
	"iter"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// rows puts the items into words, one at a time.
func (d *Document) rows(l *locale) iter.Seq2[row, error] {
	invoices := map[int64]string{}
	if len(d.Credited) > 1 {
		for _, r := range d.Credited {
			invoices[r.ID] = r.Number
		}
	}
	return func(yield func(row, error) bool) {
		if d.Lines == nil {
			return
		}
		for line, err := range d.Lines {
			if err != nil {
				yield(row{}, err)
				return
			}
			if !yield(d.row(l, &line, invoices[line.InvoiceID]), nil) {
				return
			}
		}
	}
}

func (d *Document) row(l *locale, i *Line, invoice string) row {
	amount := l.amount(d.Currency, i.Amount)
	rate := "–"
	if i.Tax.Category != tax.NotSubject && i.Tax.Percent != "" {
		rate = l.percentage(i.Tax.Percent)
	}
	r := row{Text: strings.TrimSpace(i.Text)}
	details := []string{l.days(i.Start, i.End), invoice}
	switch byUnit := i.ByUnit && i.Price != nil; {
	case d.Kind == CreditNote:
		r.Numbers = []string{rate, amount}
	case byUnit && !i.Inclusive:
		quantity := join(" ", l.number(i.Quantity), i.UnitName)
		r.Numbers = []string{quantity, l.price(d.Currency.Code, *i.Price), rate, amount}
	default:
		details = append(details, i.partOf(l), i.units(l))
		r.Numbers = []string{"1", amount, rate, amount}
	}
	if i.Inclusive {
		details = append(details, d.withTax(l, i))
	}
	if i.TenantCode != "" {
		details = append(details, l.Tenant+" "+i.TenantCode)
	}
	// Lines end between details rather than within them.
	for n := range details {
		details[n] = strings.ReplaceAll(details[n], " ", space)
	}
	r.Detail = join(" · ", details...)
	return r
}

// withTax is how an item was priced if prices include tax. Such prices do not
// multiply to net amounts.
func (d *Document) withTax(l *locale, i *Line) string {
	priced := fmt.Sprintf(l.TaxIncluded, l.amount(d.Currency, i.Priced))
	if !i.ByUnit || i.Price == nil {
		return priced
	}
	return l.number(i.Quantity) + " × " + l.price(d.Currency.Code, *i.Price) + " = " + priced
}

// price writes a price with at least the digits of its currency.
func (f *format) price(currency string, p billing.Price) string { return f.number(p.In(currency)) }

// partOf says how much of its period an item is about.
func (i *Line) partOf(l *locale) string {
	if i.Days == i.PeriodDays || i.Days == 0 {
		return ""
	}
	return fmt.Sprintf(l.Days, l.number(fmt.Sprint(i.Days)), l.number(fmt.Sprint(i.PeriodDays)))
}

// units says how many units an item is about, and how many there were before.
func (i *Line) units(l *locale) string {
	quantity := l.number(i.Quantity)
	if i.PreviousQuantity != "" && i.PreviousQuantity != i.Quantity {
		quantity = l.number(i.PreviousQuantity) + " → " + quantity
	} else if i.UnitName == "" && quantity == "1" {
		return "" // a flat fee
	}
	return join(" ", quantity, i.UnitName)
}
