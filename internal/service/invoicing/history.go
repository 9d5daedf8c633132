package invoicing

import (
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// InvoiceImport is an invoice of another system as a file has it.
type InvoiceImport struct {
	AccountCode string
	// EntityID is the entity that issued it; nil for that of the account.
	EntityID *billing.EntityID
	document.History
}

// ImportInvoices keeps invoices of other systems as history, found by their
// numbers, all or nothing. They are in no series and nobody is told of them; the
// statement of their account has what they asked for and what was paid.
func (s *Service) ImportInvoices(ctx context.Context, items []InvoiceImport) ([]operation.ImportResult, error) {
	return s.ImportAll(ctx, len(items), func(ctx context.Context, tx *store.Tx, b *operation.ImportBatch) error {
		h, err := openHistory(ctx, tx, items)
		if err != nil {
			return err
		}
		for n := range items {
			if b.Results[n], err = h.add(&items[n]); err != nil {
				return &operation.ItemError{Index: n, Err: err}
			}
		}
		return h.save(ctx, tx, b)
	})
}

// history is what some invoices are compared with, and what comes of them.
type history struct {
	accounts map[string]*billing.Account
	known    map[string]*document.Invoice
	here     map[billing.InvoiceID]money.Amount
	sellers  *sellers
	series   map[billing.EntityID]*store.Series // of invoices, where there are some
	today    billing.Date

	fresh, changed []*document.Invoice
	entries        []*document.Entry
}

// openHistory locks the accounts and reads what is known of the invoices.
func openHistory(ctx context.Context, tx *store.Tx, items []InvoiceImport) (*history, error) {
	h := &history{accounts: map[string]*billing.Account{}, known: map[string]*document.Invoice{}}
	codes, numbers := make([]string, len(items)), make([]string, len(items))
	for n := range items {
		codes[n], numbers[n] = items[n].AccountCode, items[n].Number
	}
	accounts, err := store.AccountsByCode(ctx, tx, operation.Unique(codes), true)
	if err != nil {
		return nil, err
	}
	for n := range accounts {
		h.accounts[*accounts[n].Code] = &accounts[n]
	}
	invoices, err := store.InvoicesByNumber(ctx, tx, numbers)
	if err != nil {
		return nil, err
	}
	ids := make([]billing.InvoiceID, len(invoices))
	for n := range invoices {
		ids[n], h.known[invoices[n].Number] = invoices[n].ID, &invoices[n]
	}
	if h.here, err = store.AppliedTo(ctx, tx.Queries, ids); err != nil {
		return nil, err
	}
	if h.sellers, err = loadSellers(ctx, tx.Queries); err != nil {
		return nil, err
	}
	series, err := store.AllSeries(ctx, tx.Queries, 0)
	if err != nil {
		return nil, err
	}
	h.series = map[billing.EntityID]*store.Series{}
	for n := range series {
		if s := &series[n]; s.Kind == store.InvoiceSeries && s.TestClockID == 0 {
			h.series[s.EntityID] = s
		}
	}
	cal, err := calendar.In(ctx, tx, nil)
	h.today = cal.Today
	return h, err
}

// checkNumber refuses a number that an entity will come to by itself.
func (h *history) checkNumber(number string) error {
	for n := range h.sellers.Entities {
		e := &h.sellers.Entities[n]
		format, err := document.ParseNumberFormat(e.InvoiceNumberFormat)
		if err != nil {
			return err
		}
		next := nextCount(e, format, h.series[e.ID], h.today)
		if format.WillWrite(number, h.today.Year, next) {
			return billing.Fail(billing.NotAllowed, "number", "The entity %q will give the number %s to an invoice of its own: its next one has the count %d. Let its numbers go on behind those of the other system, with invoiceNextNumber, or write them in another format.", e.Code, number, next)
		}
	}
	return nil
}

// add decides what becomes of an invoice.
func (h *history) add(item *InvoiceImport) (operation.ImportResult, error) {
	a := h.accounts[item.AccountCode]
	switch {
	case a == nil:
		return 0, billing.Fail(billing.NotFound, "account", "There is no account with the code %q.", item.AccountCode)
	case a.TestClockID != nil:
		return 0, billing.Fail(billing.NotAllowed, "account", "The account %q is on a test clock, and its dates are made up.", item.AccountCode)
	}
	i, err := item.Invoice(h.today)
	if err != nil {
		return 0, err
	}
	was := h.known[i.Number]
	switch e := h.sellers.of(a); {
	case item.EntityID != nil:
		i.EntityID = *item.EntityID
	case was != nil:
		i.EntityID = was.EntityID
	case e == nil:
		return 0, billing.Fail(billing.Required, "entity", "There is no entity that could have issued the invoice. Create one first.")
	default:
		i.EntityID = e.ID
	}
	i.AccountID = a.ID
	if was == nil {
		if err := h.checkNumber(i.Number); err != nil {
			return 0, err
		}
		i.UUID, i.Locale = secret.UUID(), a.Locale
		h.fresh, h.known[i.Number] = append(h.fresh, &i), &i
		return operation.Created, nil
	}
	more, changed, err := was.Follow(&i, h.here[was.ID])
	if err != nil || !changed {
		return operation.Unchanged, err
	}
	h.changed = append(h.changed, was)
	h.enter(was, document.SettledEntry, h.today, more)
	return operation.Changed, nil
}

// enter adds a line to the statement of an account.
func (h *history) enter(i *document.Invoice, kind document.EntryKind, on billing.Date, amount money.Amount) {
	if amount == 0 && kind == document.SettledEntry {
		return
	}
	e := document.NewEntry(kind, int64(i.ID), on, amount)
	e.AccountID, e.EntityID, e.Currency, e.Number = i.AccountID, i.EntityID, i.Currency, i.Number
	h.entries = append(h.entries, &e)
}

// save writes the invoices, the statements and the audit log.
func (h *history) save(ctx context.Context, tx *store.Tx, b *operation.ImportBatch) error {
	if err := store.Invoices.InsertAll(ctx, tx, h.fresh); err != nil {
		return operation.ImportedMeanwhile(err, "invoices")
	}
	if err := store.SaveOutcomes(ctx, tx, h.changed); err != nil {
		return err
	}
	for _, i := range h.fresh {
		h.enter(i, document.InvoiceEntry, i.IssuedAt, i.Amount)
		h.enter(i, document.SettledEntry, i.IssuedAt, i.Settled())
	}
	if err := store.AccountEntries.InsertAll(ctx, tx, h.entries); err != nil {
		return err
	}
	for n, all := range [][]*document.Invoice{h.fresh, h.changed} {
		for _, i := range all {
			f := i.Currency.Format
			b.Audit(ctx, tx, []string{"invoiceImport", "invoiceImportUpdate"}[n], "account", int64(i.AccountID), billing.Changes(map[string]any{}, map[string]any{
				"invoice": i.Number + " " + f(i.Amount) + " " + i.Currency.Code, "amountDue": f(i.AmountDue()),
			}))
		}
	}
	if err := h.dun(ctx, tx); err != nil {
		return err
	}
	return h.raise(ctx, tx)
}

// dun has the invoices looked at: their customers are reminded if they do not pay.
func (h *history) dun(ctx context.Context, tx *store.Tx) error {
	if len(h.sellers.Policies) == 0 {
		return nil
	}
	ids := make([]billing.InvoiceID, len(h.changed))
	for n, i := range h.changed {
		ids[n] = i.ID
	}
	known, err := store.DunningOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	var records []*dunning.Record
	for _, i := range append(slices.Clone(h.fresh), h.changed...) {
		record := known[i.ID]
		if record == nil && i.AmountDue() <= 0 {
			continue
		}
		if record == nil {
			record = &dunning.Record{InvoiceID: i.ID, AccountID: i.AccountID, EntityID: i.EntityID, Standing: billing.Good}
		}
		record.Next = h.today.AddDays(-1)
		records = append(records, record)
	}
	return store.SaveDunning(ctx, tx, records)
}

// raise raises the versions of the accounts: what they owe has changed.
func (h *history) raise(ctx context.Context, tx *store.Tx) error {
	var ids []billing.AccountID
	seen := map[billing.AccountID]bool{}
	for _, e := range h.entries {
		if !seen[e.AccountID] {
			seen[e.AccountID], ids = true, append(ids, e.AccountID)
		}
	}
	known, err := store.BillingOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	rows := make([]store.AccountBilling, len(ids))
	for n, id := range ids {
		rows[n] = known[id]
		rows[n].AccountID = id
	}
	return store.SaveBilling(ctx, tx, rows)
}
