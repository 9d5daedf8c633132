package print

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
)

// totals are the amounts below the items.
func (d *Document) totals(l *locale) []total {
	plain := func(label string, a money.Amount) total { return total{Label: label, Amount: l.money(d.Currency, a)} }
	sum := func(label string, a money.Amount) total {
		return total{Label: label, Amount: l.money(d.Currency, a), Sum: true}
	}
	all := []total{plain(l.Subtotal, d.Subtotal)}
	for n := range d.Taxes {
		g := &d.Taxes[n]
		line := plain(fmt.Sprintf(l.TaxOn, l.percentage(g.Percent), l.amount(d.Currency, g.Net)), g.Tax)
		line.Note = l.reason(&g.Treatment)
		all = append(all, line)
	}
	if d.Kind == CreditNote {
		return append(all, sum(l.TotalCredit, d.Amount))
	}
	all = append(all, sum(l.Total, d.Amount))
	if d.Credits == 0 && d.AmountPaid == 0 {
		return all
	}
	if d.Credits != 0 {
		all = append(all, plain(l.Credits, -d.Credits))
	}
	if d.AmountPaid != 0 {
		all = append(all, plain(l.Paid, -d.AmountPaid))
	}
	return append(all, sum(l.AmountDue, d.due()))
}

// due is what is to be paid of an invoice.
func (d *Document) due() money.Amount { return d.Amount - d.Credits - d.AmountPaid }

// reason says why there is no tax, in the words that the law of a language's
// countries asks for. A reason of the operator's own is printed as it is.
func (l *locale) reason(t *tax.Treatment) string {
	switch t.Category {
	case tax.ReverseCharge:
		return l.ReverseCharge
	case tax.NotSubject:
		return l.NotSubject
	case tax.Exempt:
		return join(": ", l.Exempt, t.Reason)
	}
	return t.Reason
}

// payment says what to pay, until when and how; nothing if nothing is to be paid.
func (d *Document) payment(l *locale) (string, []fact) {
	if d.Kind != Invoice || d.due() <= 0 || d.Number == "" {
		return "", nil
	}
	payBy := ""
	if d.DueAt != (billing.Date{}) {
		payBy = fmt.Sprintf(l.PayBy, l.money(d.Currency, d.due()), l.day(d.DueAt))
	}
	s := &d.Seller
	if s.IBAN == "" && s.BankName == "" {
		return payBy, nil
	}
	return payBy, given(fact{l.Bank, s.BankName}, fact{"IBAN", grouped(s.IBAN)}, fact{"BIC", s.BIC}, fact{l.Quote, d.Number})
}

// grouped writes an IBAN in groups of four, as it is printed.
func grouped(iban string) string {
	var text []rune
	for _, r := range iban {
		if r == ' ' {
			continue
		}
		if len(text)%5 == 4 {
			text = append(text, ' ')
		}
		text = append(text, r)
	}
	return string(text)
}
