package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// TestTestClocksAreNamed says by name which test clock an account and its drafts are on.
func TestTestClocksAreNamed(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	a := must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error {
		*a = billing.NewAccount(1)
		a.Name, a.BillingCountry, a.TestClockID = "Made Up", ptr("DE"), &s.demo.clock.ID
		return nil
	}, nil))
	must[*invoicing.Outcome](s)(s.service.Invoicing.InvoiceCreate(s.ctx, a.ID, invoicing.InvoiceAttributes{
		CurrencyID: "EUR", Draft: true, Items: []invoicing.ItemAttributes{{LineText: "Training", Quantity: "1", Price: "450.00"}},
	}))
	v := s.as(billing.Viewer)
	v.wants(v.get("/accounts?q=made"), 200, "Made Up on the test clock A year in a minute")
	v.wants(v.get("/invoices?state=draft"), 200, "on the test clock A year in a minute Made Up")
	if text := v.get("/accounts?q=acme").text(); strings.Contains(text, "on the test clock") {
		t.Errorf("an account in real time is on a clock: %s", text)
	}
}

// TestCreditNoteHasAKindAndAReason calls the two by different names.
func TestCreditNoteHasAKindAndAReason(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Viewer)
	v.wants(v.get(fmt.Sprintf("/credit-notes/%d", s.office.note)), 200, "Kind credited by hand Reason Two bad days")
	v.wants(v.get("/credit-notes"), 200, "Issued Kind State", "credited by hand Two bad days")
}

// TestNoTax says of an invoice on which there is no tax that there is none.
func TestNoTax(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	must[*billing.Account](s)(s.service.Customers.AccountUpdate(s.ctx, s.accounts[0].ID, func(a *billing.Account) error { a.BillingCountry = ptr("US"); return nil }, nil))
	v := s.as(billing.Viewer)
	v.wants(v.get(fmt.Sprintf("/accounts/%d/billing", s.accounts[0].ID)), 200, "if nobody acts: EUR 760.00, no tax.")
}

// TestAccountsOfAnEntity lists the accounts of the only entity, which need not name it,
// and of several those that do.
func TestAccountsOfAnEntity(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	v := s.as(billing.Viewer)
	if text := v.wants(v.get("/entities/1"), 200, "Acme Inc", "Olympia Sport").text(); strings.Contains(text, "None yet.") || strings.Contains(text, "name this entity") {
		t.Errorf("the only entity does not have all accounts: %s", text)
	}
	must[*billing.Entity](s)(invoicing.Entities.Create(s.ctx, s.service.Runner, func(e *billing.Entity) error {
		*e = billing.NewEntity()
		e.Code, e.Name, e.Country, e.InvoiceNumberFormat, e.CreditNoteNumberFormat = "second", "Second Inc.", "US", "US-INV-{000000}", "US-CN-{000000}"
		return nil
	}))
	v.wants(v.get("/entities/1"), 200, "Those that name none belong to it, too.", "No account names it.")
	v.wants(v.get("/entities/2"), 200, "Those that name none belong to Harbour GmbH.", "No account names it.")
	must[*billing.Account](s)(s.service.Customers.AccountCreate(s.ctx, func(a *billing.Account) error {
		*a = billing.NewAccount(1)
		a.Name, a.EntityID = "Overseas", ptr(billing.EntityID(2))
		return nil
	}, nil))
	v.wants(v.get("/entities/2"), 200, "Overseas")
}

// TestEditorsBill says that editors do what has to do with money.
func TestEditorsBill(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Admin)
	v.wants(v.get("/users/new"), 200, "Editor: can also bill, credit, write off and change business data, but not where webhooks go")
}
