package console

import (
	"cmp"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

var (
	paymentList = ui.Link{Text: "Payments", Href: "/payments"}
	findPayment = findIn(store.Payments, "payment", paymentList)
)

func paymentHref(id billing.PaymentID) string { return paymentList.Href + "/" + ui.IDText(id) }

func paymentID(p *document.Payment) billing.PaymentID { return p.ID }

// paymentName is what a payment is called: by its reference if it has one.
func paymentName(p *document.Payment) string {
	if p.Reference == "" {
		return "Payment " + ui.IDText(p.ID)
	}
	return "Payment " + p.Reference
}

func listPayments(c *call) error {
	data := ui.List{
		Title: paymentList.Text, Path: paymentList.Href, Hint: "invoice:INV-2026-000017, account:acme, reference:tx-42, received:>=2026-01-01, amount:>100",
		About: "A payment is money that you have received. Record one on the page of the invoice that it is for, or on that of the account.",
	}
	_, always := stateTabs(c, &data, usedStates, usedWord)
	return showList(c, data, store.Payments, paymentID, paymentColumns, paymentCells, always)
}

var paymentColumns = []string{"Payment", "Customer", "Received", "State", "Amount", "Not applied"}

func paymentCells(c *call, rows []document.Payment) ([][]ui.Cell, error) {
	accounts, err := byID(c, store.Accounts, accountPages.id, ids(rows, func(p *document.Payment) billing.AccountID { return p.AccountID }))
	return ui.RowsOf(rows, func(p *document.Payment) []ui.Cell {
		return []ui.Cell{
			ui.Linked(cmp.Or(p.Reference, paymentName(p)), paymentHref(p.ID)), accountCell(accounts, p.AccountID), ui.Days(p.ReceivedAt), usedCell(p.State()),
			amount(p.Amount, p.Currency), amount(p.AmountUnapplied(), p.Currency),
		}
	}), err
}

func showPayment(c *call, p *document.Payment) error {
	customer, err := accountOf(c, p.AccountID)
	if err != nil {
		return err
	}
	entity, err := entityName(c, p.EntityID)
	if err != nil {
		return err
	}
	d := ui.Details{
		Name: paymentName(p), Kind: "payment", Here: paymentHref(p.ID), Crumbs: []ui.Link{paymentList}, Badges: []ui.Cell{usedCell(p.State())},
		Actions: paymentKind.offered(c, p),
	}
	d.Fact("Customer", customer)
	d.Fact("Received by", entity)
	d.Fact("Received", ui.Days(p.ReceivedAt))
	d.Fact("Reference", ui.OrDash(p.Reference))
	collection, err := collectionOf(c, p)
	if err != nil {
		return err
	}
	if collection == nil {
		d.Fact("Payment provider", ui.Plain("none: it was recorded"))
	} else {
		d.Fact("Payment provider", ui.Linked(providerWord(collection.Provider), collectionHref(collection.ID)))
	}
	d.Fact("Amount", ui.Plain(amountText(p.Amount, p.Currency)))
	d.Fact("Not applied", ui.Plain(amountText(p.AmountUnapplied(), p.Currency)))
	if p.AmountReturned != 0 {
		d.Fact("Given or taken back", ui.Plain(amountText(p.AmountReturned, p.Currency)))
	}
	if p.TestClockID != nil {
		clock, err := clockCell(c, *p.TestClockID)
		if err != nil {
			return err
		}
		d.Fact("Test clock", clock)
	}
	d.Fact("Recorded", ui.Moment(p.CreatedAt))
	d.Fact("Id", ui.Code(ui.IDText(p.ID)))
	used, err := usedBlock(c, numbered("payment", p.ID))
	if err != nil {
		return err
	}
	refunds, err := refundBlock(c, p)
	if err != nil {
		return err
	}
	d.Blocks = append(d.Blocks, used)
	if collection != nil {
		attempts, err := attemptBlock(c, collection)
		if err != nil {
			return err
		}
		d.Blocks = append(d.Blocks, attempts)
	}
	d.Blocks = append(d.Blocks, refunds)
	return showPage.show(c, d.Name, d)
}

// collectionOf is what a payment came of, nil if it was recorded.
func collectionOf(c *call, p *document.Payment) (*collect.Collection, error) {
	attempts, err := store.AttemptsOfPayments(c.ctx(), c.q(), []billing.PaymentID{p.ID})
	if err != nil || len(attempts) == 0 {
		return nil, err
	}
	return store.Collections.Get(c.ctx(), c.q(), attempts[0].CollectionID)
}
