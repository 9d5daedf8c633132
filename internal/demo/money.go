package demo

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
)

// paysAfter is how many days after the date of an invoice customers pay it.
const paysAfter = 9

// makeEntity makes the company that sells the products, and has it bill every day
// of the year.
func (y *year) makeEntity() error {
	logo, err := logo()
	if err != nil {
		return err
	}
	policy, err := y.makePolicy()
	if err != nil {
		return err
	}
	_, err = invoicing.Entities.Create(y.ctx, y.service.Runner, func(e *billing.Entity) error {
		start := y.date(0)
		e.Code, e.Name, e.InvoicingStartsOn, e.Logo = "harbour", "Harbour Software", &start, &logo
		e.DunningPolicyID = &policy.ID
		e.LegalName, e.Street, e.Zip, e.City, e.Country = new("Harbour Software GmbH"), new("Am Sandtorkai 60"), new("20457"), new("Hamburg"), "DE"
		e.TaxNumber, e.RegistrationNumber = new("DE100000210"), new("HRB 100021")
		e.Email, e.Phone, e.Website = new("billing@harbour.example"), new("+49 40 5550100"), new("harbour.example")
		e.BankName, e.IBAN, e.BIC = new("Hafenbank"), new("DE89370400440532013000"), new("HAFEDEHHXXX")
		e.Footer = new("Managing director: Elke Brandt. Registered at the district court of Hamburg.")
		return nil
	})
	return err
}

// makePolicy makes the policy for unpaid invoices. Nobody is given up by it, so that the
// customer who has stopped paying stays.
func (y *year) makePolicy() (*dunning.Policy, error) {
	return invoicing.DunningPolicies.Create(y.ctx, y.service.Runner, func(p *dunning.Policy) error {
		p.Code, p.Name = "usual", "Usual"
		p.Steps = []dunning.Step{
			{Day: 0, Action: dunning.Collect}, {Day: 3, Action: dunning.Collect}, {Day: 5, Action: dunning.Remind, Template: dunning.TemplateReminder},
			{Day: 14, Action: dunning.Remind, Template: dunning.TemplateLastReminder}, {Day: 21, Action: dunning.Suspend},
		}
		return nil
	})
}

// collect records that customers have paid the invoices that are old enough.
func (y *year) collect() error {
	var paying []billing.AccountID
	for _, id := range y.accounts {
		if !y.stopped[id] {
			paying = append(paying, id)
		}
	}
	open, err := store.OpenInvoices(y.ctx, y.service.Read(), paying)
	if err != nil {
		return err
	}
	for n := range open {
		i := &open[n]
		if i.IssuedAt.AddDays(paysAfter).After(y.date(y.day)) {
			continue
		}
		_, err := y.service.Invoicing.PaymentCreate(y.ctx, invoicing.PaymentAttributes{
			AccountID: i.AccountID, Amount: i.Currency.Format(i.AmountDue()), CurrencyID: i.Currency.Code, Reference: "Transfer for " + i.Number,
			InvoiceIDs: []billing.InvoiceID{i.ID},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stopPaying leaves all invoices open that have not been paid.
func stopPaying(day int) step {
	return step{day, func(y *year, c *customer) error {
		y.stopped[y.accounts[c.code]] = true
		return nil
	}}
}

// payByCard has the customer's invoices collected from a payment method from now on. It is
// one for tests, whose token says what becomes of that.
func payByCard(day int, token string) step {
	return step{day, func(y *year, c *customer) error {
		y.stopped[y.accounts[c.code]] = true // nothing is transferred
		_, err := y.service.Invoicing.PaymentMethodCreate(y.ctx, y.accounts[c.code], collect.Test, token)
		return err
	}}
}

// debtor is the customer who owes most.
func (y *year) debtor() Debtor {
	const overdue = "galloway"
	for n := range customers {
		if customers[n].code == overdue {
			return Debtor{customers[n].name, y.accounts[overdue], overdue}
		}
	}
	return Debtor{}
}

// forgive credits a part of the customer's last invoice as goodwill.
func forgive(day int, amount, reason string) step {
	return office(day, func(y *year, i *document.Invoice) error {
		part := invoicing.CreditPart{InvoiceItemID: i.Items[0].ID, Amount: amount}
		_, err := y.service.Invoicing.InvoiceCredit(y.ctx, i.ID, []invoicing.CreditPart{part}, reason)
		return err
	})
}

// correct gives the customer a VAT number and bills the last invoice again, which
// had tax on it.
func correct(day int, vat string) step {
	return office(day, func(y *year, i *document.Invoice) error {
		_, err := y.service.Customers.AccountUpdate(y.ctx, i.AccountID, func(a *billing.Account) error {
			a.TaxNumber, a.TaxNumberState = &vat, billing.TaxNumberValid
			return nil
		}, nil)
		if err == nil {
			_, err = y.service.Invoicing.InvoiceVoid(y.ctx, i.ID, "The VAT number was missing", true)
		}
		return err
	})
}

// writeOff gives up the customer's last invoice.
func writeOff(day int, reason string) step {
	return office(day, func(y *year, i *document.Invoice) error {
		_, err := y.service.Invoicing.InvoiceWriteOff(y.ctx, i.ID, reason, false, true)
		return err
	})
}

// alsoBill puts an item on the customer's next invoice.
func alsoBill(day int, text, amount string) step {
	return office(day, func(y *year, i *document.Invoice) error {
		_, err := y.service.Invoicing.InvoiceItemCreate(y.ctx, i.AccountID, func(p *invoicing.PendingAttributes) error {
			p.LineText, p.Amount = text, amount
			return nil
		})
		return err
	})
}

// approve has somebody look at the customer's invoices from now on before they are
// issued.
func approve(day int) step {
	return office(day, func(y *year, i *document.Invoice) error {
		_, err := y.service.Customers.AccountUpdate(y.ctx, i.AccountID, func(a *billing.Account) error {
			a.DraftInvoices = true
			return nil
		}, nil)
		return err
	})
}

// office is something done about the last invoice of a customer.
func office(day int, do func(y *year, last *document.Invoice) error) step {
	return step{day, func(y *year, c *customer) error {
		filter, err := billing.ParseFilter("account:" + c.code)
		if err != nil {
			return err
		}
		last, err := store.Invoices.List(y.ctx, y.service.Read(), store.Page{Filter: filter, Limit: 1, Backwards: true})
		if err != nil {
			return err
		}
		if len(last) == 0 {
			return fmt.Errorf("has no invoice on day %d", day)
		}
		if err := store.WithItems(y.ctx, y.service.Read(), last); err != nil {
			return err
		}
		return do(y, &last[0])
	}}
}
