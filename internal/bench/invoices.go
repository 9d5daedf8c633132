package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/store"
)

// measureInvoices compares an invoice when very many accounts are due with one when
// a hundredth of them is, in time and memory, and with writing the same rows
// straight through the store: batch by batch in turns, until the few are done.
func measureInvoices(r *run) []result {
	few := r.newDebtors("invoices_few", r.subs/100)
	many, bare := r.newDebtors("invoices_many", r.subs), r.newDebtors("invoices_bare", r.subs/100+200)
	bare.billBatch(r.Context())
	copies := bare.firstBatch(r.Context())
	var times [3][]float64
	var memories [2][]float64
	for left := r.subs / 100; left > 0; {
		for i, c := range []*crowd{many, few} {
			billed, took, memory := c.billBatch(r.Context())
			times[i] = append(times[i], milliseconds(took)/float64(billed))
			memories[i] = append(memories[i], memory)
			if c == few {
				left -= billed
			}
		}
		written, took := bare.writeBatch(r.Context(), copies)
		times[2] = append(times[2], milliseconds(took)/float64(written))
	}
	return []result{
		r.largeAccount(median(times[1])),
		r.result("invoices, rate", "/s", 1000/median(times[1]), 1000/median(times[2])).atLeast(0.4),
		r.result("invoices, each", "ms", median(times[0]), median(times[1])).atMost(1.3),
		r.result("invoices, memory", "MiB", median(memories[0]), median(memories[1])).atMost(1.3),
	}
}

// largeSubs is how many subscriptions a large account has.
const largeSubs = 30_000

// largeAccount bills one account with very many subscriptions, and compares what
// each takes with what an account with one subscription takes.
func (r *run) largeAccount(each float64) result {
	subs := r.repeats(largeSubs)
	large := r.newOwing("invoices_large", 1, subs)
	_, took, _ := large.billBatch(r.Context())
	return r.result("invoices, 30,000 subscriptions", "ms", milliseconds(took)/float64(subs), each).atMost(1.3)
}

// newDebtors makes a database with n accounts, each with a subscription of two
// charges that is due.
func (r *run) newDebtors(name string, n int) *crowd { return r.newOwing(name, n, n) }

// newOwing makes a database with subscriptions that are due, which belong to
// accounts in turn. The first is made by the service, the others are copies of its
// rows.
func (r *run) newOwing(name string, accounts, subs int) *crowd {
	say("seeding %s with %s accounts to bill", r.engine.name, thousands(accounts))
	database := r.create(name)
	began := r.openCrowd(database, crowdDue)
	shop := openShop(r.Context(), began.store, 1)
	shop.addSeller(r.Context(), began.store, crowdBegan)
	first := began.subscribe(r.Context(), shop.accounts[0])
	check(began.store.Close())
	if first.ID != 1 || first.AccountID != 1 {
		r.Fatal("the first rows of a new database have other ids than 1")
	}
	db := must(r.engine.raw(database))
	defer db.Close()
	must(db.ExecContext(r.Context(), copiedAccounts, accounts))
	must(db.ExecContext(r.Context(), copiedSubscriptions, subs, accounts))
	if r.engine.name == "postgres" {
		r.execute(db, "VACUUM (ANALYZE) account, subscription", "CHECKPOINT")
	}
	r.maintain(database)
	say("seeded")
	due := r.openCrowd(database, crowdDue)
	r.closing(due.store.Close)
	due.shop, due.database = shop, database
	return due
}

// The statements that copy an account and its subscription.
const (
	copiedAccounts = numbers + `INSERT INTO account (id, name, code, billing_day, billing_country, locale, collection, tax_number_state, draft_invoices, tax_exempt, auto_apply_credits, created_at, updated_at, search)
		SELECT i, 'Firm ' || i, 'F-' || i, billing_day, billing_country, locale, collection, tax_number_state, draft_invoices, tax_exempt, auto_apply_credits, created_at, updated_at, 'firm ' || i
		FROM numbers CROSS JOIN account WHERE account.id = 1`
	copiedSubscriptions = numbers + `INSERT INTO subscription (id, account_id, product_id, price_list_id, state, evergreen, renewal_term_months, start_date, end_date, term_start_date,
			anchor_day, epochs, charges, as_of, due_on, bill_on, dirty_from, changed_on, created_at, updated_at, search)
		SELECT i, 1 + (i - 1) % $2, product_id, price_list_id, state, evergreen, renewal_term_months, start_date, end_date, term_start_date,
			anchor_day, epochs, charges, as_of, due_on, bill_on, dirty_from, changed_on, created_at, updated_at, 'firm ' || i
		FROM numbers CROSS JOIN subscription WHERE subscription.id = 1`
)

// addSeller makes an entity that bills from a day on, and a second charge, and
// gives the accounts a country.
func (s *shop) addSeller(ctx context.Context, st *store.Store, from time.Time) {
	check(st.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return catch(func() {
			entity := billing.NewEntity()
			starts, country := billing.DateOf(from, time.UTC), "DE"
			entity.Code, entity.Name, entity.Country, entity.InvoicingStartsOn = "main", "Seller", country, &starts
			check(store.Entities.Insert(ctx, tx, &entity))
			price, advance := billing.Price("5"), catalog.InAdvance
			list := must(store.PriceLists.ByCode(ctx, tx.Queries, priceListCode))
			check(store.Charges.Insert(ctx, tx, &catalog.Charge{
				PriceListID: list.ID, Code: "base", Name: "Base fee", ChargeType: catalog.Recurring, BillingPeriod: catalog.Monthly, BillingTiming: &advance,
				PricingModel: catalog.Flat, Price: &price, TaxCode: billing.StandardTaxCode,
			}))
			for _, id := range s.accounts {
				account := must(store.Accounts.Get(ctx, tx.Queries, id))
				account.BillingCountry = &country
				check(store.Accounts.Update(ctx, tx, account))
			}
		})
	}))
}

// billBatch bills the next batch. It returns how many accounts that were, how long
// they took, and how much memory was in use at the end.
func (c *crowd) billBatch(ctx context.Context) (billed int, took time.Duration, memory float64) {
	return batch(ctx, c.Invoicing.RunDue, c.at())
}

// copies are documents of a batch, to be written again.
type copies struct {
	invoices []document.Invoice
	keys     []store.LedgerKey
	next     int64 // accounts that were written
}

// firstBatch reads the documents that were issued first.
func (c *crowd) firstBatch(ctx context.Context) *copies {
	q := c.store.Queries()
	found := &copies{invoices: must(store.Invoices.List(ctx, q, store.Page{Limit: c.Invoicing.Batch}))}
	check(store.WithItems(ctx, q, found.invoices))
	for n := range found.invoices {
		found.keys = append(found.keys, must(store.LedgerOf(ctx, q, *found.invoices[n].Items[0].SubscriptionID))...)
	}
	found.next = int64(len(found.invoices))
	return found
}

// writeBatch writes the rows of a batch for the next accounts, without computing or
// reading anything.
func (c *crowd) writeBatch(ctx context.Context, b *copies) (written int, took time.Duration) {
	runtime.GC()
	var invoices []*document.Invoice
	var items []*document.Item
	var entries []*document.Entry
	var events []*document.Event
	var subs []*subscription.Subscription
	var billed []store.AccountBilling
	keys := make([]store.LedgerKey, len(b.keys))
	for n := range b.invoices {
		i := b.invoices[n]
		b.next++
		i.ID, i.UUID, i.Number, i.Place, i.AccountID = 0, fmt.Sprintf("copy-%d", b.next), fmt.Sprintf("C-%d", b.next), b.next, billing.AccountID(b.next)
		i.Items = append([]document.Item(nil), i.Items...)
		invoices = append(invoices, &i)
		sub := &subscription.Subscription{ID: billing.SubscriptionID(b.next), BillOn: &i.DueAt, BilledOn: &i.IssuedAt}
		subs, billed = append(subs, sub), append(billed, store.AccountBilling{AccountID: i.AccountID, LastEvent: 1})
		for k := range b.keys {
			if b.keys[k].SubscriptionID == *i.Items[0].SubscriptionID {
				keys[k] = b.keys[k]
				keys[k].SubscriptionID = sub.ID
			}
		}
		events = append(events, &document.Event{AccountID: i.AccountID, Sequence: 1, Kind: document.InvoiceIssued, Data: map[string]any{
			"number": i.Number, "amount": "35.70", "amountDue": "35.70", "currencyId": i.Currency.Code,
		}})
	}
	start := now()
	tagged(ctx, "bare", func(ctx context.Context) {
		check(c.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			items, entries = nil, nil
			return catch(func() {
				check(store.Invoices.InsertAll(ctx, tx, invoices))
				for _, i := range invoices {
					for n := range i.Items {
						i.Items[n].ID, i.Items[n].InvoiceID = 0, i.ID
						items = append(items, &i.Items[n])
					}
					e := document.NewEntry(document.InvoiceEntry, int64(i.ID), i.IssuedAt, i.Amount)
					e.AccountID, e.EntityID, e.Currency, e.Number = i.AccountID, i.EntityID, i.Currency, i.Number
					entries = append(entries, &e)
				}
				check(store.InvoiceItems.InsertAll(ctx, tx, items))
				check(store.AccountEntries.InsertAll(ctx, tx, entries))
				check(store.SaveLedger(ctx, tx, keys))
				check(store.SaveBilled(ctx, tx, subs))
				check(store.SaveBilling(ctx, tx, billed))
				for _, e := range events {
					e.At = tx.Now
				}
				check(store.AppendEvents(ctx, tx, events))
			})
		}))
	})
	return len(invoices), now().Sub(start)
}
