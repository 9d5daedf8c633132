package invoicing

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// wanted is an invoice to collect.
type wanted struct {
	account *billing.Account
	invoice *document.Invoice
}

// demand is invoices that are collected with one payment.
type demand struct {
	account  *billing.Account
	invoices []*document.Invoice
	amount   money.Amount
}

// demands are the payments that invoices are collected with: one for each, or one for
// all of an entity and currency if the account says so.
func demands(all []wanted) (found []*demand) {
	for _, w := range all {
		n := -1
		if w.account.CollectTogether {
			n = slices.IndexFunc(found, func(d *demand) bool {
				return d.account.ID == w.account.ID && same(d.invoices[0], w.invoice.EntityID, w.invoice.Currency)
			})
		}
		if n < 0 {
			n, found = len(found), append(found, &demand{account: w.account})
		}
		found[n].invoices = append(found[n].invoices, w.invoice)
		found[n].amount += w.invoice.AmountDue()
	}
	return found
}

// text is what the customer sees: the numbers of the invoices, if they are few.
func (d *demand) text() string {
	const few = 3
	var numbers []string
	for _, i := range d.invoices[:min(few, len(d.invoices))] {
		numbers = append(numbers, i.Number)
	}
	text := strings.Join(numbers, ", ")
	if more := len(d.invoices) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// collection is a new one that asks for it.
func (d *demand) collection(method *collect.Method) *collect.Collection {
	first := d.invoices[0]
	return &collect.Collection{
		UUID: secret.UUID(), AccountID: first.AccountID, EntityID: first.EntityID, PaymentMethodID: method.ID, Provider: method.Provider,
		Currency: first.Currency, Amount: d.amount, LineText: d.text(), State: collect.Pending, Outcome: collect.Waiting, TestClockID: first.TestClockID,
	}
}

// parts are what a collection asks for each of the invoices.
func (d *demand) parts(id billing.PaymentCollectionID) []collect.Part {
	parts := make([]collect.Part, len(d.invoices))
	for n, i := range d.invoices {
		parts[n] = collect.Part{CollectionID: id, InvoiceID: i.ID, Amount: i.AmountDue()}
	}
	return parts
}

// beginCollections makes attempts to collect invoices, to be sent when this is
// committed. A collection that failed gets another attempt if it asks for the same.
func (r *run) beginCollections(ctx context.Context, all []wanted) ([]*collect.Collection, error) {
	if len(all) == 0 {
		return nil, nil
	}
	wants := demands(all)
	methods, err := r.methodsOf(ctx, wants)
	if err != nil {
		return nil, err
	}
	begun, err := r.failedBefore(ctx, wants)
	if err != nil {
		return nil, err
	}
	var fresh []*collect.Collection
	for n, d := range wants {
		if begun[n] == nil {
			begun[n] = d.collection(methods[*d.account.PaymentMethodID])
			fresh = append(fresh, begun[n])
		}
	}
	if err := store.Collections.InsertAll(ctx, r.tx, fresh); err != nil {
		return nil, err
	}
	attempts := make([]*collect.Attempt, len(begun))
	var parts []collect.Part
	for n, c := range begun {
		if c.Attempts == 0 {
			parts = append(parts, wants[n].parts(c.ID)...)
		}
		attempt := c.Begin(methods[c.PaymentMethodID], r.cal.Now)
		attempts[n] = &attempt
		for _, i := range wants[n].invoices {
			r.claims.last[i.ID] = &collect.Last{
				InvoiceID: i.ID, CollectionID: c.ID, PaymentMethodID: c.PaymentMethodID, State: c.State, Outcome: c.Outcome, At: r.cal.Now,
			}
		}
	}
	if err := store.InsertParts(ctx, r.tx, parts); err != nil {
		return nil, err
	}
	if err := store.SaveCollections(ctx, r.tx, begun); err != nil {
		return nil, err
	}
	return begun, store.SaveAttempts(ctx, r.tx, attempts)
}

// methodsOf reads the payment methods of accounts.
func (r *run) methodsOf(ctx context.Context, wants []*demand) (map[billing.PaymentMethodID]*collect.Method, error) {
	ids := make([]billing.PaymentMethodID, len(wants))
	for n, d := range wants {
		ids[n] = *d.account.PaymentMethodID
	}
	rows, err := store.PaymentMethods.ByIDs(ctx, r.tx.Queries, operation.Unique(ids))
	methods := make(map[billing.PaymentMethodID]*collect.Method, len(rows))
	for n := range rows {
		methods[rows[n].ID] = &rows[n]
	}
	return methods, err
}

// failedBefore returns for each demand the last collection of its invoices if that has
// failed and asked for the same; nil otherwise.
func (r *run) failedBefore(ctx context.Context, wants []*demand) ([]*collect.Collection, error) {
	found := make([]*collect.Collection, len(wants))
	var ids []billing.PaymentCollectionID
	for _, d := range wants {
		if last := r.claims.last[d.invoices[0].ID]; last != nil && last.State == collect.Failed {
			ids = append(ids, last.CollectionID)
		}
	}
	if len(ids) == 0 {
		return found, nil
	}
	rows, err := store.Collections.ByIDs(ctx, r.tx.Queries, ids)
	if err != nil {
		return nil, err
	}
	parts, err := store.PartsOfCollections(ctx, r.tx.Queries, ids)
	if err != nil {
		return nil, err
	}
	for n, d := range wants {
		for k := range rows {
			c := &rows[k]
			asked := slices.DeleteFunc(slices.Clone(parts), func(p collect.Part) bool { return p.CollectionID != c.ID })
			others := slices.ContainsFunc(d.invoices, func(i *document.Invoice) bool {
				last := r.claims.last[i.ID]
				return last == nil || last.CollectionID != c.ID
			})
			if !others && c.PaymentMethodID == *d.account.PaymentMethodID && sameParts(asked, d.parts(c.ID)) {
				found[n] = c
			}
		}
	}
	return found, nil
}

// sameParts compares what is asked for, in any order.
func sameParts(a, b []collect.Part) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(p collect.Part) bool { return !slices.Contains(b, p) })
}

// addCompanions adds what is collected together with invoices that are to be collected:
// all others of the same account, entity and currency that are due, unless their steps
// wait or they are being collected already.
func (r *run) addCompanions(ctx context.Context) error {
	at, accounts := map[billing.AccountID]*book{}, []billing.AccountID(nil)
	for _, b := range r.books {
		if b.CollectTogether && slices.ContainsFunc(r.claims.collect, func(w wanted) bool { return w.account.ID == b.ID }) {
			at[b.ID], accounts = b, append(accounts, b.ID)
		}
	}
	if len(accounts) == 0 {
		return nil
	}
	open, err := store.OpenInvoices(ctx, r.tx.Queries, accounts)
	if err != nil {
		return err
	}
	ids := make([]billing.InvoiceID, len(open))
	for n := range open {
		ids[n] = open[n].ID
	}
	records, err := store.DunningOf(ctx, r.tx.Queries, ids)
	if err != nil {
		return err
	}
	if err := r.loadLast(ctx, ids); err != nil {
		return err
	}
	for n := range open {
		b := at[open[n].AccountID]
		i, record := b.seen(&open[n]), records[open[n].ID]
		if known := r.claims.known[i.ID]; known != nil {
			record = known
		}
		last := r.claims.last[i.ID]
		asked := slices.ContainsFunc(r.claims.collect, func(w wanted) bool { return w.invoice.ID == i.ID })
		wanting := slices.ContainsFunc(r.claims.collect, func(w wanted) bool { return w.account.ID == b.ID && same(w.invoice, i.EntityID, i.Currency) })
		waits := record == nil || record.State.HoldUntil.After(r.cal.Today)
		if last != nil { // being collected, or taken back for good
			waits = waits || !last.Outcome.IsFinal() || last.Hard && last.State == collect.Reversed && last.PaymentMethodID == *b.PaymentMethodID
		}
		if asked || !wanting || waits || i.AmountDue() <= 0 || i.DueAt.After(r.cal.Today) {
			continue
		}
		r.claims.collect = append(r.claims.collect, wanted{b.Account.Account, i})
		r.claims.known[i.ID], b.touched[i] = record, true
	}
	return nil
}

// seen is an invoice as something was done to it in this transaction, or else as it was
// read.
func (b *book) seen(i *document.Invoice) *document.Invoice {
	for known := range b.touched {
		if known.ID == i.ID {
			return known
		}
	}
	return i
}
