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
