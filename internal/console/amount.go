package console

import (
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/ui"
)

// amountText is an amount as prices are written: EUR 1,404.00, or −EUR 97.50.
func amountText(a money.Amount, in money.Currency) string {
	whole, fraction, point := strings.Cut(in.Format(max(a, -a)), ".")
	text := in.Code + " " + billing.Grouped(whole)
	if point {
		text += "." + fraction
	}
	if a < 0 {
		return "−" + text
	}
	return text
}

// typedAmount is an amount as somebody typed it, with the digits that its currency
// has: 60 is 60.00 in EUR.
func typedAmount(typed, currency string) string {
	typed = strings.TrimSpace(typed)
	in, err := money.CurrencyOf(strings.ToUpper(strings.TrimSpace(currency)))
	whole, fraction, _ := strings.Cut(typed, ".")
	if err != nil || whole == "" || len(fraction) >= in.Digits || strings.Trim(whole+fraction, "0123456789") != "" {
		return typed
	}
	return whole + "." + fraction + strings.Repeat("0", in.Digits-len(fraction))
}

// amount is an amount in a table.
func amount(a money.Amount, in money.Currency) ui.Cell {
	return ui.Cell{Text: amountText(a, in), Kind: ui.CellMoney}
}

// dayOrDash is a day, or a dash if there is none.
func dayOrDash(d billing.Date) ui.Cell {
	if d == (billing.Date{}) {
		return ui.Muted("—")
	}
	return ui.Days(d)
}
