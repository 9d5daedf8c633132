package invoicing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// drafts are the drafts of an account as they are after a run, as text.
func (o *office) drafts(account *billing.Account) (texts []string) {
	o.T.Helper()
	o.comesToRest(2)
	found, err := store.DraftsOf(o.Ctx, o.Read(), []billing.AccountID{account.ID})
	o.OK(err)
	o.OK(store.WithItems(o.Ctx, o.Read(), found))
	for n := range found {
		texts = append(texts, fmt.Sprint(found[n].ID, describe(&found[n])))
	}
	return texts
}

// seen fails unless the drafts of an account are as they should be.
func (o *office) seen(what string, account *billing.Account, want ...string) {
	o.T.Helper()
	o.Equal(what, o.drafts(account), want)
}

// text is a text that is given.
func text(s string) *string { return &s }

const (
	seatsDraft = " 0000-00-00: Seats ×5 2026-01-15–2026-02-14 50.00"
	training   = ", Training ×1 2026-01-15–2026-01-15 10.00"
)

// TestDraftFollowsItsAccount changes everything about an account that its draft says.
func TestDraftFollowsItsAccount(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.DraftInvoices = true })
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.seen("a draft", account, "1"+seatsDraft+" = 50.00+9.50")
		o.change(account.ID, func(a *billing.Account) { a.BillingCountry = text("CH") })
		o.seen("abroad", account, "1"+seatsDraft+" = 50.00+0.00")
		o.change(account.ID, func(a *billing.Account) {
			a.BillingCountry, a.TaxExempt, a.TaxExemptReason, a.PONumber, a.BillingCity = text("DE"), true, text("A school"), text("PO 1"), text("Bonn")
		})
		o.seen("exempt", account, "1"+seatsDraft+" = 50.00+0.00")
		draft := servicetest.Must[*document.Invoice](o.World)(store.Invoices.Get(o.Ctx, o.Read(), 1))
		o.Equal("what else it says", fmt.Sprint(draft.PONumber, " ", string(draft.Buyer)), `PO 1 {"name":"acme","code":"acme","city":"Bonn","country":"DE","poNumber":"PO 1"}`)
		_, err := o.Customers.ImportAccounts(o.Ctx, []customers.AccountImport{{Code: "acme", Edit: func(a *billing.Account) error { a.TaxExempt = false; return nil }}})
		o.OK(err)
		o.seen("imported", account, "1"+seatsDraft+" = 50.00+9.50")
		_, err = o.Subscriptions.SubscriptionUpdate(o.Ctx, sub.ID, subscription.Update{PONumber: text("PO 2")})
		o.OK(err)
		o.drafts(account)
		draft = servicetest.Must[*document.Invoice](o.World)(store.Invoices.Get(o.Ctx, o.Read(), 1))
		o.Equal("its purchase order", draft.PONumber, "PO 2")
		o.change(account.ID, func(a *billing.Account) { a.DraftInvoices = false })
		o.seen("no draft any more", account)
		o.told = 0
		o.expect("issued", "INV-2026-000001 2026-01-15: Seats ×5 2026-01-15–2026-02-14 50.00 = 50.00+9.50")
	})
}

// TestDraftFollowsPendingItems adds, changes and deletes items while there is a draft.
func TestDraftFollowsPendingItems(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.DraftInvoices = true })
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.seen("a draft", account, "1"+seatsDraft+" = 50.00+9.50")
		item := servicetest.Must[*document.PendingItem](o.World)(o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending("Training", "2026-01-15")))
		o.seen("with an item", account, "1"+seatsDraft+training+" = 60.00+11.40")
		_, err := o.Invoicing.InvoiceItemUpdate(o.Ctx, item.ID, func(in *invoicing.PendingAttributes) error { in.Amount = "20.00"; return nil })
		o.OK(err)
		o.seen("with a dearer one", account, "1"+seatsDraft+", Training ×1 2026-01-15–2026-01-15 20.00 = 70.00+13.30")
		_, err = o.Invoicing.InvoiceItemUpdate(o.Ctx, item.ID, func(in *invoicing.PendingAttributes) error { in.On = servicetest.Day("2026-01-20"); return nil })
		o.OK(err)
		o.seen("with one that is due later", account, "1"+seatsDraft+" = 50.00+9.50")
		o.at("2026-01-21")
		o.change(account.ID, func(a *billing.Account) { a.Locale = "de" })
		o.seen("when it is due", account, "1"+seatsDraft+", Training ×1 2026-01-20–2026-01-20 20.00 = 70.00+13.30")
		_, err = o.Invoicing.InvoiceItemDelete(o.Ctx, item.ID)
		o.OK(err)
		o.seen("without it", account, "1"+seatsDraft+" = 50.00+9.50")
	})
}

// TestDraftWithoutItems is deleted, and what comes later has a draft of its own.
func TestDraftWithoutItems(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.DraftInvoices, a.BillingDay = true, 15 })
		item := servicetest.Must[*document.PendingItem](o.World)(o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending("Training", "2026-01-15")))
		o.seen("a draft", account, "1 0000-00-00: Training ×1 2026-01-15–2026-01-15 10.00 = 10.00+1.90")
		_, err := o.Invoicing.InvoiceItemDelete(o.Ctx, item.ID)
		o.OK(err)
		o.seen("nothing is left", account)
		billed, err := store.BillingOf(o.Ctx, o.Read(), []billing.AccountID{account.ID})
		o.OK(err)
		o.Equal("nothing to look at", billed[account.ID].BillOn == nil, true)
	})
}

// TestDeletedDraft deletes drafts. What was on them is accrued again, and on the draft
// that is made on the next billing day, once.
func TestDeletedDraft(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.DraftInvoices, a.BillingDay = true, 15 })
		_, err := o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending("Training", "2026-01-15"))
		o.OK(err)
		o.seen("a draft", account, "1 0000-00-00: Training ×1 2026-01-15–2026-01-15 10.00 = 10.00+1.90")
		o.change(account.ID, func(a *billing.Account) { a.Locale = "de" }) // the draft waits to be computed anew
		_, err = o.Invoicing.InvoiceDelete(o.Ctx, 1)
		o.OK(err)
		o.seen("deleted", account)
		accrued, err := o.Invoicing.AccruedItems(o.Ctx, account.ID)
		o.OK(err)
		o.Equal("accrued", len(accrued), 1)
		for _, day := range []string{"2026-01-16", "2026-02-14"} {
			o.at(day)
			o.seen("on "+day, account)
		}
		o.at("2026-02-15")
		o.seen("on the billing day", account, "2 0000-00-00: Training ×1 2026-01-15–2026-01-15 10.00 = 10.00+1.90")
		_, err = o.Invoicing.InvoiceDelete(o.Ctx, 2)
		o.OK(err)
		o.seen("deleted on the billing day", account)
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.seen("with what calls for an invoice", account, "3 0000-00-00: Seats ×5 2026-02-15–2026-03-14 50.00"+training+" = 60.00+11.40")
		_, err = o.Invoicing.InvoiceIssue(o.Ctx, 3)
		o.OK(err)
		for _, day := range []string{"2026-02-16", "2026-03-14"} {
			o.at(day)
			o.seen("issued", account)
		}
	})
}

// TestDeletedDraftOfWhatHasEnded bills what nothing else would call for any more.
func TestDeletedDraftOfWhatHasEnded(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.DraftInvoices = true })
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(sub), subscription.Cancellation{On: servicetest.On("2026-02-15")})
		o.OK(err)
		o.seen("a draft", account, "1"+seatsDraft+" = 50.00+9.50")
		_, err = o.Invoicing.InvoiceDelete(o.Ctx, 1)
		o.OK(err)
		o.seen("deleted", account)
		o.at("2026-02-01")
		o.seen("again", account, "2"+seatsDraft+" = 50.00+9.50")
		o.at("2026-03-01")
		o.seen("and no more than that", account, "2"+seatsDraft+" = 50.00+9.50")
	})
}

// TestDraftsFollowSellers changes a tax rate and the entity. Drafts have the change, by
// the process that was running and by one that starts later.
func TestDraftsFollowSellers(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.Invoicing.Batch = 2
		var accounts []*billing.Account
		for n := range 5 {
			code := fmt.Sprintf("acme-%d", n)
			accounts = append(accounts, o.customer(code, func(a *billing.Account) { a.DraftInvoices = true }))
			o.Subscribe("pro-monthly", code, servicetest.WithSeats(5))
		}
		o.run()
		all := func(what, want string) {
			o.T.Helper()
			o.run()
			for n, account := range accounts {
				o.seen(what, account, fmt.Sprint(n+1)+seatsDraft+want)
			}
		}
		all("drafts", " = 50.00+9.50")
		entity := func(edit func(*billing.Entity)) {
			o.T.Helper()
			_, err := invoicing.Entities.Update(o.Ctx, o.Invoicing.Runner, o.entity.ID, func(e *billing.Entity) error { edit(e); return nil })
			o.OK(err)
		}
		rates, err := store.AllTaxRates(o.Ctx, o.Read())
		o.OK(err)
		for n := range rates {
			if r := &rates[n]; r.Country == "DE" && r.TaxCode == billing.StandardTaxCode && r.Region == nil && r.ValidTo == nil {
				_, err := invoicing.TaxRates.Update(o.Ctx, o.Invoicing.Runner, r.ID, func(r *tax.Rate) error { r.Rate = "16"; return nil })
				o.OK(err)
			}
		}
		all("another rate", " = 50.00+8.00")
		o.at("2026-01-16")
		entity(func(e *billing.Entity) { e.Name = "Renamed GmbH" })
		*o.Invoicing = *invoicing.New(o.Invoicing.Runner, nil)
		all("after a restart", " = 50.00+8.00")
		o.Equal("the seller on all of them", o.QueryText(`SELECT COUNT(*) FROM invoice WHERE seller LIKE '%Renamed%'`), "5")
		entity(func(e *billing.Entity) { e.GraceHours = 30 })
		o.change(accounts[0].ID, func(a *billing.Account) { a.DraftInvoices = false })
		o.run()
		o.Equal("grace begins", o.QueryText(`SELECT COUNT(*) FROM invoice WHERE issue_after IS NOT NULL`), "1")
		o.at("2026-01-17")
		entity(func(e *billing.Entity) { e.GraceHours = 0 })
		o.run()
		o.Equal("without grace", o.QueryText(`SELECT COUNT(*) FROM invoice WHERE number <> ''`), "1")
	})
}

// TestDraftMovesToAnotherEntity keeps its id. The end of its grace stays, whatever
// changes.
func TestDraftMovesToAnotherEntity(t *testing.T) {
	eachOffice(t, func(o *office) {
		_, err := invoicing.Entities.Update(o.Ctx, o.Invoicing.Runner, o.entity.ID, func(e *billing.Entity) error { e.GraceHours = 30; return nil })
		o.OK(err)
		other, err := invoicing.Entities.Create(o.Ctx, o.Invoicing.Runner, func(e *billing.Entity) error {
			e.Code, e.Name, e.Country, e.InvoicingStartsOn, e.GraceHours = "fr", "Vendeur", "FR", servicetest.On("2026-01-01"), 99
			e.InvoiceNumberFormat, e.CreditNoteNumberFormat = "FR-{YYYY}-{000000}", "FRC-{YYYY}-{000000}"
			return nil
		})
		o.OK(err)
		account := o.customer("acme")
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.seen("a draft", account, "1"+seatsDraft+" = 50.00+9.50")
		o.at("2026-01-16")
		o.change(account.ID, func(a *billing.Account) { a.EntityID = &other.ID })
		o.run()
		draft := servicetest.Must[*document.Invoice](o.World)(store.Invoices.Get(o.Ctx, o.Read(), 1))
		o.Equal("the draft", fmt.Sprint(draft.EntityID, " ", draft.IssueAfter.UTC().Format("2006-01-02 15:04")), fmt.Sprint(other.ID, " 2026-01-16 18:00"))
		o.Clock.Set(servicetest.Moment("2026-01-16 18:00"))
		o.run()
		o.seen("issued", account)
	})
}

// TestDraftKeepsWhatDoesNotCall looks at an account with a draft of a difference, which
// nothing calls for, before its billing day and before the time of day at which today
// is billed.
func TestDraftKeepsWhatDoesNotCall(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme")
		sub := o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.run()
		o.change(account.ID, func(a *billing.Account) { a.DraftInvoices = true })
		o.edits(o.entity.ID, func(e *billing.Entity) { e.InvoiceTime = "18:00" })
		o.at("2026-01-16")
		ctx, _ := subscriptions.InvoicedAtOnce(o.Ctx)
		_, err := o.Subscriptions.SubscriptionQuantityUpdate(ctx, sub.ID, subscription.QuantityUpdate{Orders: servicetest.Seats(8)})
		o.OK(err)
		const want = "2 0000-00-00: Seats ×5→8 2026-01-16–2026-02-14 29.03 = 29.03+"
		o.seen("a draft", account, want+"5.52")
		o.change(account.ID, func(a *billing.Account) { a.BillingCountry = text("CH") })
		o.seen("abroad", account, want+"0.00")
		o.Clock.Set(servicetest.Moment("2026-01-16 18:00"))
		o.seen("in the evening", account, want+"0.00")
		o.change(account.ID, func(a *billing.Account) { a.DraftInvoices = false })
		o.seen("issued", account)
		o.told = 1
		o.expect("issued", "INV-2026-000002 2026-01-16: Seats ×5→8 2026-01-16–2026-02-14 29.03 = 29.03+0.00")
	})
}

// TestDraftOnClockFollowsItsAccount computes a draft of a test anew, at the time of its
// clock.
func TestDraftOnClockFollowsItsAccount(t *testing.T) {
	eachOffice(t, func(o *office) {
		clock := o.NewClock("2026-03-15 12:00")
		o.AccountOn("tester", &clock.ID)
		account := servicetest.Must[*billing.Account](o.World)(store.Accounts.ByCode(o.Ctx, o.Read(), "tester"))
		o.change(account.ID, func(a *billing.Account) { a.BillingCountry, a.DraftInvoices = text("DE"), true })
		o.Subscribe("pro-monthly", "tester", servicetest.WithSeats(5))
		o.seen("a draft", account, "1 0000-00-00: Seats ×5 2026-03-15–2026-04-14 50.00 = 50.00+9.50")
		o.change(account.ID, func(a *billing.Account) { a.BillingCountry = text("CH") })
		_, _, err := o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment("2026-03-16 12:00"))
		o.OK(err)
		o.seen("abroad", account, "1 0000-00-00: Seats ×5 2026-03-15–2026-04-14 50.00 = 50.00+0.00")
	})
}

// TestDraftByHandFollowsItsAccount has taxes and address of a draft made by hand
// computed anew, and nothing else of the account drawn into it.
func TestDraftByHandFollowsItsAccount(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme")
		made, err := o.Invoicing.InvoiceCreate(o.Ctx, account.ID, invoicing.InvoiceAttributes{
			CurrencyID: "EUR", Draft: true, Notes: "Thanks", PONumber: "PO 1", Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}},
		})
		o.OK(err)
		_, err = o.Invoicing.InvoiceItemCreate(o.Ctx, account.ID, pending("Training", "2026-01-15"))
		o.OK(err)
		o.at("2026-01-16")
		o.change(account.ID, func(a *billing.Account) { a.BillingCountry, a.PONumber = text("CH"), text("PO 2") })
		o.seen("abroad", account, "1 0000-00-00: Setup ×1 2026-01-16–2026-01-16 10.00 = 10.00+0.00")
		draft := servicetest.Must[*document.Invoice](o.World)(store.Invoices.Get(o.Ctx, o.Read(), made.Invoices[0]))
		o.Equal("what was said by hand", draft.PONumber+" "+draft.Notes, "PO 1 Thanks")
	})
}

// TestInvoiceUpdate changes drafts. What is set stays when they are computed anew, and
// is on the invoices that they become.
func TestInvoiceUpdate(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.DraftInvoices, a.PONumber = true, text("PO 1") })
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.run()
		made, err := o.Invoicing.InvoiceCreate(o.Ctx, account.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Draft: true, Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}}})
		o.OK(err)
		byHand := made.Invoices[0]
		says := func(what string, id billing.InvoiceID, want string) {
			o.T.Helper()
			o.comesToRest(2)
			i := servicetest.Must[*document.Invoice](o.World)(store.Invoices.Get(o.Ctx, o.Read(), id))
			o.Equal(what, fmt.Sprint(i.Number, "|", i.PONumber, "|", i.Notes, "|", i.Currency.Format(i.Amount)), want)
		}
		update := func(id billing.InvoiceID, edit func(*invoicing.DraftAttributes)) error {
			o.T.Helper()
			_, err := o.Invoicing.InvoiceUpdate(o.Ctx, id, func(in *invoicing.DraftAttributes) error { edit(in); return nil })
			return err
		}
		setNotes := func(in *invoicing.DraftAttributes) { in.Notes = "Thanks" }
		setOrder := func(in *invoicing.DraftAttributes) { in.PONumber = "PO 9" }
		for _, id := range []billing.InvoiceID{1, byHand} {
			amount := map[bool]string{true: "59.50", false: "11.90"}[id == 1]
			says("before", id, "|PO 1||"+amount)
			o.OK(update(id, setNotes))
			says("notes", id, "|PO 1|Thanks|"+amount)
			o.change(account.ID, func(a *billing.Account) { a.PONumber = text("PO 2") })
			says("the account's order", id, "|PO 2|Thanks|"+amount)
			o.OK(update(id, setOrder))
			o.change(account.ID, func(a *billing.Account) { a.PONumber = text("PO 3") })
			says("an order of its own", id, "|PO 9|Thanks|"+amount)
			o.OK(update(id, func(in *invoicing.DraftAttributes) { in.PONumber = "" }))
			says("none any more", id, "|PO 3|Thanks|"+amount)
			o.OK(update(id, setOrder))
			o.change(account.ID, func(a *billing.Account) { a.PONumber = text("PO 1") })
			o.Refused("notes without end", update(id, func(in *invoicing.DraftAttributes) { in.Notes = strings.Repeat("x", 10_001) }), "INVALID notes")
			o.Refused("an order without end", update(id, func(in *invoicing.DraftAttributes) { in.PONumber = strings.Repeat("x", 1001) }), "INVALID poNumber")
		}
		for field, wrong := range map[string]invoicing.InvoiceAttributes{"notes": {Notes: strings.Repeat("x", 10_001)}, "poNumber": {PONumber: strings.Repeat("x", 1001)}} {
			wrong.CurrencyID, wrong.Items = "EUR", []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}}
			_, err := o.Invoicing.InvoiceCreate(o.Ctx, account.ID, wrong)
			o.Refused("a new invoice with "+field+" without end", err, "INVALID "+field)
		}
		items := func(items ...invoicing.ItemAttributes) func(*invoicing.DraftAttributes) {
			return func(in *invoicing.DraftAttributes) { in.Items = append([]invoicing.ItemAttributes{}, items...) }
		}
		o.OK(update(byHand, items(invoicing.ItemAttributes{LineText: "Setup", Amount: "20.00"}, invoicing.ItemAttributes{LineText: "Travel", Amount: "1.00"})))
		says("other items", byHand, "|PO 9|Thanks|24.99")
		o.Refused("no items", update(byHand, items()), "REQUIRED items")
		o.Refused("a wrong item", update(byHand, items(invoicing.ItemAttributes{LineText: "Setup"})), "REQUIRED items.0.amount")
		o.Refused("items of billing", update(1, items(invoicing.ItemAttributes{LineText: "Setup", Amount: "1.00"})), "NOT_ALLOWED items")
		o.Refused("no invoice", update(99, setNotes), "NOT_FOUND id")
		for n, id := range []billing.InvoiceID{1, byHand} {
			_, err := o.Invoicing.InvoiceIssue(o.Ctx, id)
			o.OK(err)
			says("issued", id, fmt.Sprintf("INV-2026-00000%d|PO 9|Thanks|%s", n+1, []string{"59.50", "24.99"}[n]))
			err = update(id, setNotes)
			o.Refused("an issued invoice", err, "NOT_ALLOWED id")
		}
	})
}

// TestDraftChangesOnce changes and deletes drafts once however often the request is
// sent.
func TestDraftChangesOnce(t *testing.T) {
	eachOffice(t, func(o *office) {
		account := o.customer("acme", func(a *billing.Account) { a.DraftInvoices = true })
		o.Subscribe("pro-monthly", "acme", servicetest.WithSeats(5))
		o.run()
		made, err := o.Invoicing.InvoiceCreate(o.Ctx, account.ID, invoicing.InvoiceAttributes{CurrencyID: "EUR", Draft: true, Items: []invoicing.ItemAttributes{{LineText: "Setup", Amount: "10.00"}}})
		o.OK(err)
		for _, id := range []billing.InvoiceID{1, made.Invoices[0]} {
			for range 2 {
				ctx := o.WithKey(fmt.Sprint("update ", id))
				i, err := o.Invoicing.InvoiceUpdate(ctx, id, func(in *invoicing.DraftAttributes) error { in.Notes += "!"; return nil })
				o.OK(err)
				o.Equal("the notes", i.Notes, "!")
				o.OK(o.Release(o.Ctx, operation.CallerOf(ctx).Once))
			}
			for range 2 {
				ctx := o.WithKey(fmt.Sprint("delete ", id))
				i, err := o.Invoicing.InvoiceDelete(ctx, id)
				o.OK(err)
				o.Equal("the deleted draft", i.ID, id)
				o.OK(o.Release(o.Ctx, operation.CallerOf(ctx).Once))
			}
		}
	})
}
