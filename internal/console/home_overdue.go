package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/ui"
)

// mostOverdue is how many overdue invoices are added up.
const mostOverdue = 20

// fillOverdue says how much money is overdue.
func fillOverdue(c *call, data *homeData) error {
	if !c.may(billing.BillingRead) {
		return nil
	}
	_, rows, err := overdueNow(c, mostOverdue+1)
	if err != nil || len(rows) == 0 {
		return err
	}
	link := ui.Link{Text: "Look at them", Href: overdueLink.Href}
	text := ui.Plural(len(rows), "invoice is", "invoices are") + " overdue: " + dueWords(rows) + "."
	if len(rows) > mostOverdue {
		text = "More than " + ui.Grouped(mostOverdue) + " invoices are overdue."
	}
	data.Attention = append(data.Attention, notice{"warn", text, link})
	return nil
}

// dueWords are what is due of invoices, in each currency.
func dueWords(rows []document.Invoice) string {
	var in []money.Currency
	due := map[money.Currency]money.Amount{}
	for n := range rows {
		if _, known := due[rows[n].Currency]; !known {
			in = append(in, rows[n].Currency)
		}
		due[rows[n].Currency] += rows[n].AmountDue()
	}
	words := make([]string, len(in))
	for n, currency := range in {
		words[n] = amountText(due[currency], currency)
	}
	return ui.Enumerated(words)
}
