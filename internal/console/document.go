package console

import (
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/documents"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// billingRoutes are the addresses of invoices, credit notes, payments, collections and what is overdue.
func billingRoutes() []route {
	all := []route{
		{pattern: "GET /accounts/{id}/billing", scope: billing.BillingRead, do: on(func(c *call) (*billing.Account, error) { return accountPages.find(c) }, showAccountBilling)},
		{pattern: "GET /subscriptions/{id}/billing", scope: billing.BillingRead, do: on(findSubscription, showSubscriptionBilling)},
		{pattern: "GET /invoices", scope: billing.BillingRead, do: listInvoices},
		{pattern: "GET /invoices/verify", scope: billing.BillingRead, do: showVerification},
		{pattern: "GET /invoices/{id}", scope: billing.BillingRead, do: on(findInvoice, showInvoice)},
		{pattern: "GET /credit-notes", scope: billing.BillingRead, do: listCreditNotes},
		{pattern: "GET /credit-notes/{id}", scope: billing.BillingRead, do: on(findCreditNote, showCreditNote)},
		{pattern: "GET /invoices/{id}/pdf", scope: billing.BillingRead, do: on(findInvoice, func(c *call, i *document.Invoice) error { return serveFile(c, i.UUID+".pdf") })},
		{pattern: "GET /invoices/{id}/html", scope: billing.BillingRead, do: on(findInvoice, func(c *call, i *document.Invoice) error { return serveFile(c, i.UUID+".html") })},
		{pattern: "GET /credit-notes/{id}/pdf", scope: billing.BillingRead, do: on(findCreditNote, func(c *call, n *document.CreditNote) error { return serveFile(c, n.UUID+".pdf") })},
		{pattern: "GET /credit-notes/{id}/html", scope: billing.BillingRead, do: on(findCreditNote, func(c *call, n *document.CreditNote) error { return serveFile(c, n.UUID+".html") })},
		{pattern: "GET /entities/{id}/logo", scope: billing.BillingRead, do: on(func(c *call) (*billing.Entity, error) { return entityPages.find(c) }, showLogo)},
		{pattern: "GET " + overdueLink.Href, scope: billing.BillingRead, do: showOverdue},
		{pattern: "GET /payments", scope: billing.BillingRead, do: listPayments},
		{pattern: "GET /accounts/{account}/items/{id}", scope: billing.BillingRead, do: on(func(c *call) (*document.PendingItem, error) { return pendingKind.find(c) }, showPending)},
		{pattern: "GET /accounts/{account}/payment-methods/{id}", scope: billing.BillingRead, do: on(func(c *call) (*collect.Method, error) { return methodKind.find(c) }, showMethod)},
		{pattern: "GET /collections", scope: billing.BillingRead, do: listCollections},
		{pattern: "GET /collections/{id}", scope: billing.BillingRead, do: on(findCollection, showCollection)},
		{pattern: "GET /emails", scope: billing.BillingRead, do: listEmails},
		{pattern: "GET /emails/{id}", scope: billing.BillingRead, do: on(findEmail, showEmail)},
		{pattern: "GET /emails/{id}/html", scope: billing.BillingRead, do: on(findEmail, showEmailHTML)},
		{pattern: "GET /messages", scope: billing.BillingRead, do: showMessages},
		{pattern: "GET /messages/{name}", scope: billing.BillingRead, do: showMessage},
		{pattern: "GET /payments/{id}", scope: billing.BillingRead, do: on(findPayment, showPayment)},
	}
	return slices.Concat(all, invoiceKind.routes(), accountKind.routes(), paymentKind.routes(), creditNoteKind.routes(), pendingKind.routes(), methodKind.routes(), collectionKind.routes(), emailKind.routes())
}

// serveFile answers with the file of a document.
func serveFile(c *call, name string) error {
	documents.Serve(c.w, c.r, c.service.Invoicing, name, c.log)
	return nil
}

// fileLinks are the files of an issued document.
func fileLinks(here string) []ui.Action {
	return []ui.Action{{Text: "PDF", Href: here + "/pdf"}, {Text: "HTML", Href: here + "/html", Quiet: true}}
}

// findIn returns the row of a table whose id is in the address.
func findIn[T any, K ~int64](table *store.Table[T, K], one string, list ui.Link) func(*call) (*T, error) {
	return func(c *call) (*T, error) {
		id, err := c.pathID("id")
		if err != nil {
			return nil, err
		}
		row, err := table.Get(c.ctx(), c.q(), K(id))
		if err == nil && row == nil {
			err = missing(one, list)
		}
		return row, err
	}
}

// numbered narrows a list to those with a number.
func numbered[K ~int64](field string, id K) []billing.Term {
	return []billing.Term{{Field: field, Op: billing.Equal, Value: ui.IDText(id)}}
}

// accountOf is the account of a document as a link.
func accountOf(c *call, id billing.AccountID) (ui.Cell, error) {
	accounts, err := byID(c, store.Accounts, accountPages.id, []billing.AccountID{id})
	return accountCell(accounts, id), err
}

// entityName is the name of who issued a document.
func entityName(c *call, id billing.EntityID) (ui.Cell, error) {
	known, err := entityPages.names(c, []int64{int64(id)})
	return entityPages.link(int64(id), known), err
}

// verified checks that a document is what was issued.
func verified(number string, link *document.Link, canonical func() ([]byte, error), recompute func() error) error {
	text, err := canonical()
	if err != nil {
		return err
	}
	if document.Chain(link.Previous, text) != link.Hash {
		return billing.Fail(billing.Invalid, "", "Document %s was changed since it was issued: its hash is not that of its contents.", number)
	}
	return recompute()
}

// hashFact says that a document was verified, or why not.
func hashFact(d *ui.Details, link *document.Link, wrong error) (problem string) {
	if wrong != nil {
		d.Badges = append(d.Badges, ui.Badge("not verified", "bad"))
		problem = wrong.Error()
		d.Fact("Hash", ui.Code(link.Hash.String()).WithSub("not verified"))
		return problem
	}
	d.Fact("Hash", ui.Code(link.Hash.String()).WithSub("verified: it was computed again just now"))
	return ""
}

// taxCategories are the kinds of tax other than the usual.
var taxCategories = map[tax.Category]string{
	tax.ZeroRated: "zero-rated", tax.Exempt: "exempt", tax.ReverseCharge: "reverse charge", tax.NotSubject: "not subject to tax",
}

// taxBlock is what was taxed at which rate.
func taxBlock(groups []tax.Group, row func(g *tax.Group) (net, tax ui.Cell)) ui.Block {
	b := ui.Block{Title: "Taxes", Table: ui.Table{Columns: []string{"Rate", "Reason", "Net", "Tax"}}, Empty: "None."}
	for n := range groups {
		g := &groups[n]
		net, taxed := row(g)
		b.Table.Rows = append(b.Table.Rows, []ui.Cell{ui.Plain(string(g.Percent) + "%").WithSub(taxCategories[g.Category]), ui.OrDash(g.Reason), net, taxed})
	}
	return b
}

// usedCell says how much of a credit note or a payment was used.
func usedCell(s document.CreditNoteState) ui.Cell {
	switch s {
	case document.Applied:
		return ui.Badge("applied", "good")
	case document.PartiallyApplied:
		return ui.Badge("partially applied", "info")
	}
	return ui.Badge("not applied", "warn")
}
