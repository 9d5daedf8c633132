package demo

import (
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// checkMoney checks that there is something of everything that can happen to an
// invoice, and that everything can be computed again.
func checkMoney(t *testing.T, svc *service.Service, b *Business, now string) {
	t.Helper()
	today, err := billing.ParseDate(now[:len("2006-01-02")])
	if err != nil {
		t.Fatal(err)
	}
	checkInvoices(t, svc.Read(), b, today)
	checkCreditNotes(t, svc.Read())
	checkStandings(t, svc.Read(), b)
	checkCollections(t, svc.Read(), b)
	checkBalances(t, svc.Read(), b, today)
	v, err := svc.Invoicing.DocumentsVerify(t.Context(), nil, nil, nil)
	if err != nil || v.Failed > 0 || v.Documents < 250 {
		t.Errorf("verifying %d documents: %v, %v", v.Documents, v.Findings, err)
	}
	pending, err := store.PendingItems.List(t.Context(), svc.Read(), store.Page{Limit: 10})
	if err != nil || len(pending) != 1 {
		t.Errorf("%d items wait for the next invoice, %v", len(pending), err)
	}
}

func checkInvoices(t *testing.T, q store.Queries, b *Business, today billing.Date) {
	t.Helper()
	invoices, err := store.Invoices.List(t.Context(), q, store.Page{Limit: 5000})
	if err != nil {
		t.Fatal(err)
	}
	states, categories, months := map[document.InvoiceState]int{}, map[tax.Category]int{}, map[string]int{}
	for n := range invoices {
		i := &invoices[n]
		states[i.State(today)]++
		for _, g := range i.Taxes {
			categories[g.Category]++
		}
		if i.State(today) != document.Draft {
			months[i.IssuedAt.String()[:len("2006-01")]]++
		}
		if i.TestClockID == nil || *i.TestClockID != b.Clock || i.Number != "" && !strings.HasPrefix(i.Number, "TEST-") {
			t.Errorf("invoice %s is not one of the clock", i.Number)
		}
		if state := i.State(today); (state == document.Due) != (i.AccountID == b.Debtor.Account && !i.DueAt.After(today) && i.AmountDue() > 0) {
			t.Errorf("invoice %s of account %d, due on %s, is %s", i.Number, i.AccountID, i.DueAt, state)
		}
	}
	for _, state := range []document.InvoiceState{document.Draft, document.NotDue, document.Due, document.Paid, document.Unpaid, document.Voided} {
		if states[state] == 0 {
			t.Errorf("no invoice is %s: %v", state, states)
		}
	}
	for _, category := range []tax.Category{tax.Standard, tax.ReverseCharge, tax.NotSubject} {
		if categories[category] < 10 {
			t.Errorf("too few invoices are taxed as %s: %v", category, categories)
		}
	}
	if len(months) < 12 {
		t.Errorf("invoices were issued in %v", months)
	}
}

func checkCreditNotes(t *testing.T, q store.Queries) {
	t.Helper()
	notes, err := store.CreditNotes.List(t.Context(), q, store.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []document.CreditKind{document.DifferenceCredit, document.ManualCredit, document.CancellationCredit, document.WriteOffCredit} {
		if !slices.ContainsFunc(notes, func(c document.CreditNote) bool { return c.Kind == kind }) {
			t.Errorf("no credit note is of the kind %s", kind)
		}
	}
}

// checkStandings checks that only the debtor is suspended, and was told before.
func checkStandings(t *testing.T, q store.Queries, b *Business) {
	t.Helper()
	subs, err := store.Subscriptions.List(t.Context(), q, store.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subs {
		if !s.State.Ended() && (s.Standing == billing.Suspended) != (s.AccountID == b.Debtor.Account) {
			t.Errorf("subscription %d of account %d is %s", s.ID, s.AccountID, s.Standing)
		}
	}
	for _, template := range []string{"invoice", "reminder", "last-reminder", "receipt", "credit-note"} {
		filter := billing.Filter{Terms: []billing.Term{{Field: "template", Op: billing.Equal, Value: template}}}
		if n, err := store.Emails.Count(t.Context(), q, filter); err != nil || n == 0 {
			t.Errorf("nobody was told by a %s: %v", template, err)
		}
	}
}

// checkCollections checks that the debtor's card was declined, which says why, and that
// another customer's was charged.
func checkCollections(t *testing.T, q store.Queries, b *Business) {
	t.Helper()
	rows, err := store.Collections.List(t.Context(), q, store.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	count := map[collect.State]int{}
	for _, c := range rows {
		count[c.State]++
		if declined := c.AccountID == b.Debtor.Account; declined != (c.State == collect.Failed) || declined != (c.Message != "") {
			t.Errorf("collection %d of account %d is %s: %q", c.ID, c.AccountID, c.State, c.Message)
		}
	}
	if count[collect.Failed] == 0 || count[collect.Succeeded] < 6 {
		t.Errorf("collections: %v", count)
	}
}

// checkBalances checks who owes something, and who has credit.
func checkBalances(t *testing.T, q store.Queries, b *Business, today billing.Date) {
	t.Helper()
	accounts, err := store.Accounts.List(t.Context(), q, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]billing.AccountID, len(accounts))
	for n := range accounts {
		if ids[n] = accounts[n].ID; accounts[n].BillingProblem != nil {
			t.Errorf("%s: %s", accounts[n].Name, *accounts[n].BillingProblem)
		}
	}
	balances, err := store.Balances(t.Context(), q, ids, today)
	if err != nil {
		t.Fatal(err)
	}
	var credit money.Amount
	for _, balance := range balances {
		if credit += balance.Credit; (balance.Overdue > 0) != (balance.AccountID == b.Debtor.Account) {
			t.Errorf("account %d has overdue invoices of %d", balance.AccountID, balance.Overdue)
		}
	}
	if credit == 0 {
		t.Error("no credit waits")
	}
}
