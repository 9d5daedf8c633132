package transfer

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// invoiceLine is an invoice of another system, which is kept as history.
type invoiceLine struct {
	account string
	entity  *string
	document.History
}

func (l *invoiceLine) names() []string { return []string{"number"} }
func (l *invoiceLine) key() []string   { return []string{l.Number} }
func (l *invoiceLine) fields() []field {
	return []field{
		{name: "number", at: &l.Number}, {name: "account", at: &l.account}, {name: "entity", at: &l.entity}, {name: "currencyId", at: &l.CurrencyID},
		{name: "issuedAt", at: &l.IssuedAt}, {name: "dueAt", at: &l.DueAt}, {name: "amount", at: &l.Amount}, {name: "taxAmount", at: &l.TaxAmount},
		{name: "amountPaid", at: &l.AmountPaid}, {name: "amountDue", at: &l.AmountDue}, {name: "state", at: &l.State},
	}
}

// entityOf finds the entity that a line names, nil if it names none.
func (i *importer) entityOf(l *invoiceLine) (*billing.EntityID, *billing.Error) {
	if l.entity == nil {
		return nil, nil
	}
	if e := entities.find(i.catalog, *l.entity); e != nil {
		return &e.ID, nil
	}
	return nil, missing("entity", "entity", *l.entity)
}

func (i *importer) checkInvoices(ctx context.Context, items []item) error {
	lines := make([]invoiceLine, len(items))
	codes, numbers := make([]string, len(items)), make([]string, len(items))
	for n, one := range items {
		_ = readFields(one.members, lines[n].fields())
		codes[n], numbers[n] = lines[n].account, lines[n].Number
	}
	accounts, err := i.accounts(ctx, codes)
	if err != nil {
		return err
	}
	rows, err := store.InvoicesByNumber(ctx, i.st.Snapshot(), numbers)
	if err != nil {
		return err
	}
	known := make(map[string]*document.Invoice, len(rows))
	ids := make([]billing.InvoiceID, len(rows))
	for n := range rows {
		known[rows[n].Number], ids[n] = &rows[n], rows[n].ID
	}
	applied, err := store.AppliedTo(ctx, i.st.Queries(), ids)
	if err != nil {
		return err
	}
	for n, one := range items {
		l := &lines[n]
		result, err := i.checkInvoice(l, accounts)
		if was := known[l.Number]; err == nil && was != nil {
			result, err = i.follows(l, was, accounts, applied)
		}
		i.found(invoiceKind, one.line, result, err)
	}
	return nil
}

// checkInvoice looks at a line by itself, with what it refers to.
func (i *importer) checkInvoice(l *invoiceLine, accounts map[string]*billing.Account) (operation.ImportResult, error) {
	_, err := l.Invoice(i.today)
	_, wrong := i.entityOf(l)
	if wrong == nil && len(entities.in(i.catalog).byID) == 0 {
		wrong = billing.Fail(billing.Required, "entity", "There is no entity that could have issued the invoice: add a line of the type entity.")
	}
	return operation.Created, join(err, i.lacks(accounts, l.account), wrong)
}

// follows is what becomes of an invoice that is there.
func (i *importer) follows(l *invoiceLine, was *document.Invoice, accounts map[string]*billing.Account, applied map[billing.InvoiceID]money.Amount) (operation.ImportResult, error) {
	now, err := l.Invoice(i.today)
	if err != nil {
		return 0, err
	}
	if a := accounts[l.account]; a != nil {
		now.AccountID = a.ID
	}
	now.EntityID = was.EntityID
	if id, _ := i.entityOf(l); id != nil {
		now.EntityID = *id
	}
	_, changed, err := was.Follow(&now, applied[was.ID])
	if changed {
		return operation.Changed, err
	}
	return operation.Unchanged, err
}

func (i *importer) writeInvoices(ctx context.Context, items []item) ([]operation.ImportResult, error) {
	imports := make([]invoicing.InvoiceImport, len(items))
	for n, one := range items {
		var l invoiceLine
		if err := readFields(one.members, l.fields()); err != nil {
			return nil, &operation.ItemError{Index: n, Err: err}
		}
		entity, wrong := i.entityOf(&l)
		if wrong != nil {
			return nil, &operation.ItemError{Index: n, Err: wrong}
		}
		imports[n] = invoicing.InvoiceImport{AccountCode: l.account, EntityID: entity, History: l.History}
	}
	return i.svc.Invoicing.ImportInvoices(ctx, imports)
}

// invoices writes the invoices that were imported. Those that were issued here
// stay where their numbers and their chain are.
func (e *exporter) invoices(ctx context.Context) error {
	for after := billing.InvoiceID(0); ; {
		rows, err := store.ImportedInvoices(ctx, e.tx.Queries, after, pageSize)
		if err != nil {
			return err
		}
		accounts, err := owners(ctx, e, rows, func(i *document.Invoice) billing.AccountID { return i.AccountID })
		if err != nil {
			return err
		}
		for n := range rows {
			i := &rows[n]
			after = i.ID
			if err := e.write(invoiceKind, e.invoiceLine(i, text(accounts[i.AccountID].Code))); err != nil {
				return err
			}
		}
		if len(rows) < pageSize {
			return nil
		}
	}
}

// invoiceLine is an imported invoice as it is now: what was paid or credited of it
// here is paid for whoever reads the line.
func (e *exporter) invoiceLine(i *document.Invoice, account string) *invoiceLine {
	f := func(amount money.Amount) *string { return new(i.Currency.Format(amount)) }
	l := &invoiceLine{account: account, entity: entities.code(e.catalog, i.EntityID), History: document.History{
		Number: i.Number, CurrencyID: i.Currency.Code, IssuedAt: &i.IssuedAt, DueAt: &i.DueAt, Amount: f(i.Amount), TaxAmount: f(i.TaxAmount), AmountPaid: f(i.Settled()),
	}}
	switch {
	case i.Voided:
		l.State, l.AmountPaid = new(document.Voided), nil
	case i.WrittenOff:
		l.State, l.AmountPaid = new(document.Unpaid), f(i.AmountPaid)
	}
	return l
}
