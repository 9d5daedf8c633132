package invoicing

import (
	"context"
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// AccountInvoice bills an account now: everything that is due by a day, today if
// on is nil, even if nothing calls for an invoice yet.
func (s *Service) AccountInvoice(ctx context.Context, id billing.AccountID, on *billing.Date) (*Outcome, error) {
	return s.billNow(ctx, "accountInvoice", id, order{everything: true, issue: true, through: on}, func(*book) error { return nil })
}

// billNow bills one account for a caller.
func (s *Service) billNow(ctx context.Context, name string, id billing.AccountID, o order, check func(*book) error) (*Outcome, error) {
	outcome, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*Outcome, error) {
		r, err := s.billOne(ctx, tx, id, o)
		if err != nil {
			return nil, err
		}
		if err := r.issue(ctx); err != nil {
			return nil, err
		}
		b := r.books[0]
		if err := check(b); err != nil {
			return nil, err
		}
		return b.outcome(), operation.Audit(ctx, tx, name, "account", int64(id), b.auditChanges())
	})
	return outcome, err
}

// billOne bills one account, and fails with the reason if that cannot be.
func (s *Service) billOne(ctx context.Context, tx *store.Tx, id billing.AccountID, o order) (*run, error) {
	a, waiting, billed, err := store.LockToBill(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, billing.Missing("accountId", "account", id)
	}
	o.accounts, o.clock = []billing.AccountID{id}, a.TestClockID
	o.locked, o.waiting, o.billed = []billing.Account{*a}, waiting, billed
	r, err := s.bill(ctx, tx, o)
	if err != nil {
		return nil, err
	}
	if len(r.books) == 0 {
		return nil, billing.Fail(billing.NotAllowed, "accountId", "Invoicing has not started for this account: give its entity a first day, invoicingStartsOn.")
	}
	return r, nil
}

// ItemAttributes is what a caller says of an item made by hand.
type ItemAttributes struct {
	LineText string
	// Quantity is 1 if it is empty. Either Price or Amount is given.
	Quantity, Price, Amount string
	TaxCode                 string
}

// item checks and computes an item made by hand.
func (i *ItemAttributes) item(c money.Currency) (quantity string, price *billing.Price, amount money.Amount, err error) {
	if e := billing.NameText("lineText", i.LineText); e != nil {
		return "", nil, 0, e
	}
	if e := billing.CheckCode("taxCode", taxCodeOf(i.TaxCode)); e != nil {
		return "", nil, 0, e
	}
	if quantity = i.Quantity; quantity == "" {
		quantity = "1"
	}
	if !isQuantity.MatchString(quantity) {
		return "", nil, 0, billing.Fail(billing.Invalid, "quantity", "%q is not a quantity: write a number such as 2 or 1.5.", billing.Excerpt(quantity))
	}
	if document.IsZero(quantity) {
		return "", nil, 0, billing.Fail(billing.Invalid, "quantity", "An item has a quantity above 0. For something that is free, give the amount 0.")
	}
	switch {
	case (i.Price == "") == (i.Amount == ""):
		return "", nil, 0, billing.Fail(billing.Required, "amount", "Give either the price of one or the amount of all.")
	case i.Amount != "":
		amount, err = c.Parse(i.Amount)
	default:
		p, wrong := billing.ParsePrice(i.Price)
		if wrong != nil {
			return "", nil, 0, wrong
		}
		price = &p
		exact, _ := new(big.Rat).SetString(string(p))
		q, _ := new(big.Rat).SetString(quantity)
		if exact = c.Minor(exact.Mul(exact, q)); !exact.IsInt() {
			return "", nil, 0, billing.Fail(billing.Invalid, "amount", "%s × %s is not a whole amount in %s. Give the amount instead of the price, and it is taken as it is.", quantity, p, c.Code)
		}
		amount, err = money.Round(exact)
	}
	if err == nil && amount < 0 {
		err = billing.Fail(billing.Invalid, "amount", "An item of an invoice is not negative. To give money back, credit an invoice.")
	}
	if err == nil {
		err = c.CheckItem(amount)
	}
	return quantity, price, amount, err
}

// isQuantity matches the quantities that an item made by hand can have.
var isQuantity = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,6})?$`)

// InvoiceAttributes is what a caller says of an invoice made by hand.
type InvoiceAttributes struct {
	CurrencyID      string
	Items           []ItemAttributes
	Notes, PONumber string
	Draft           bool
}

// InvoiceCreate makes an invoice by hand, and issues it unless it is to be a draft.
func (s *Service) InvoiceCreate(ctx context.Context, account billing.AccountID, attributes InvoiceAttributes) (*Outcome, error) {
	return s.act(ctx, "invoiceCreate", theAccount(account), func(_ context.Context, _ *run, b *book) error {
		if err := checkWords(attributes.Notes, attributes.PONumber).Err(); err != nil {
			return err
		}
		currency, err := money.CurrencyOf(attributes.CurrencyID)
		if err != nil {
			return err
		}
		i := &document.Invoice{Kind: document.OneOffInvoice, AccountID: b.ID, Currency: currency, Notes: attributes.Notes, GivenPONumber: attributes.PONumber}
		if i.Items, err = itemsByHand(currency, attributes.Items); err != nil {
			return err
		}
		if err := b.redo(i, b.Today); err != nil {
			return err
		}
		if attributes.Draft {
			i.UUID = secret.UUID()
			b.drafts = append(b.drafts, i)
		} else {
			b.documents.Invoices = append(b.documents.Invoices, i)
		}
		return nil
	})
}

// itemsByHand are the items of an invoice made by hand.
func itemsByHand(currency money.Currency, attributes []ItemAttributes) (items []document.Item, err error) {
	if len(attributes) == 0 {
		return nil, billing.Fail(billing.Required, "items", "An invoice has at least one item.")
	}
	for n := range attributes {
		item := &attributes[n]
		quantity, price, amount, err := item.item(currency)
		if err != nil {
			return nil, withinItem(n, err)
		}
		items = append(items, document.Item{
			Kind: document.ManualItem, LineText: item.LineText, Quantity: quantity, Price: price, Priced: amount, TaxCode: taxCodeOf(item.TaxCode),
		})
	}
	return items, nil
}

// withinItem says that what is wrong is in one of several items.
func withinItem(n int, err error) error {
	if problems, known := billing.AsProblems(err); known {
		return problems.Within("items", strconv.Itoa(n))
	}
	return err
}

func taxCodeOf(code string) string {
	if code == "" {
		return billing.StandardTaxCode
	}
	return code
}

// date taxes an invoice made by hand as of today.
func (b *book) date(i *document.Invoice, today billing.Date) error {
	for n := range i.Items {
		item := &i.Items[n]
		treatment, err := b.Treat(item.TaxCode, today)
		if err != nil {
			return wrongTax(n, err)
		}
		item.Tax, item.StartDate, item.EndDate = treatment, today, today
	}
	return i.Total()
}

// wrongTax says whether it is the account or an item that cannot be taxed.
func wrongTax(n int, err error) error {
	if problems, known := billing.AsProblems(err); known && slices.Equal(problems[0].Field, []string{"country"}) {
		return operation.RenameField(err, "country", "accountId")
	}
	return withinItem(n, err)
}

// InvoiceIssue issues a draft, computed anew.
func (s *Service) InvoiceIssue(ctx context.Context, id billing.InvoiceID) (*Outcome, error) {
	draft, err := store.Invoices.Get(ctx, s.Read(), id)
	switch {
	case err != nil:
		return nil, err
	case draft == nil:
		return nil, billing.Missing("id", "invoice", id)
	case draft.Number == "" && draft.Kind == document.SubscriptionInvoice:
		return s.billNow(ctx, "invoiceIssue", draft.AccountID, order{everything: true, draft: id}, func(b *book) error {
			for _, i := range b.documents.Invoices {
				if i.ID == id {
					return nil
				}
			}
			return billing.Fail(billing.NotAllowed, "id", "There is nothing left to invoice in this draft.")
		})
	}
	return s.act(ctx, "invoiceIssue", accountOfInvoice("id", id), func(ctx context.Context, r *run, b *book) error {
		i, err := r.invoice(ctx, "id", id)
		if err != nil {
			return err
		}
		if i.Number != "" {
			return billing.Fail(billing.NotAllowed, "id", "Invoice %s has been issued already.", i.Number)
		}
		if err := b.redo(i, b.Today); err != nil {
			return err
		}
		b.documents.Invoices = append(b.documents.Invoices, i)
		return nil
	})
}

// InvoiceDelete deletes a draft. What billing had on it is accrued again: it is on the
// next invoice of the account, which is made on the next billing day at the latest.
func (s *Service) InvoiceDelete(ctx context.Context, id billing.InvoiceID) (*document.Invoice, error) {
	deleted, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*document.Invoice, error) {
		account, err := lockAccountOf(ctx, tx, accountOfInvoice("id", id))
		if err != nil {
			return nil, err
		}
		i, err := store.Invoices.Lock(ctx, tx, id)
		switch {
		case err != nil:
			return nil, err
		case i == nil:
			return nil, billing.Missing("id", "invoice", id)
		}
		if err := i.CheckDelete(); err != nil {
			return nil, err
		}
		if err := store.DeleteItems(ctx, tx, []billing.InvoiceID{id}); err != nil {
			return nil, err
		}
		if err := store.Invoices.Delete(ctx, tx, i); err != nil {
			return nil, err
		}
		if err := waitAgain(ctx, tx, account); err != nil {
			return nil, err
		}
		return i, operation.Audit(ctx, tx, "invoiceDelete", "invoice", int64(id), map[string]billing.Change{})
	})
	s.Wake()
	return deleted, err
}

// waitAgain has what was on a draft of an account wait for its next billing day after
// today. A look that was ordered because of drafts is not needed without any: it would
// make the draft again at once.
func waitAgain(ctx context.Context, tx *store.Tx, a *billing.Account) error {
	ids := []billing.AccountID{a.ID}
	billed, err := store.BillingOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	left, err := store.WaitingOf(ctx, tx.Queries, ids)
	if err != nil {
		return err
	}
	if b := billed[a.ID]; b.BillOn != nil && *b.BillOn == store.LongAgo && !left.Drafts {
		b.BillOn = b.CollectOn
		if err := store.SaveBilling(ctx, tx, []store.AccountBilling{b}); err != nil {
			return err
		}
	}
	cal, err := calendar.In(ctx, tx, a.TestClockID)
	if err != nil {
		return err
	}
	return store.CollectWaiting(ctx, tx, a, ledger.NextBillingDay(cal.Today.AddDays(1), a.BillingDay))
}
