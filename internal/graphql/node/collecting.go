package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
)

// PaymentMethod is what invoices are collected with, in the API.
type PaymentMethod struct {
	*collect.Method
	group *group[collect.Method]
}

// PaymentMethods makes nodes of rows that were loaded together.
func (r *Reader) PaymentMethods(rows []collect.Method) []*PaymentMethod {
	return wrap(r, rows, func(row *collect.Method, g *group[collect.Method]) PaymentMethod { return PaymentMethod{row, g} })
}

// Brand is that of a card.
func (m *PaymentMethod) Brand() *string { return textOrNone(m.Method.Brand) }

// Mandate is the permission to debit a bank account.
func (m *PaymentMethod) Mandate() *string { return textOrNone(m.Method.Mandate) }

// IsDefault says whether invoices are collected with it.
func (m *PaymentMethod) IsDefault(ctx context.Context) (bool, error) {
	a, err := one(ctx, m.group, "account", m.AccountID, func(row *collect.Method) billing.AccountID { return row.AccountID }, (*Reader).accountsByID)
	return a != nil && a.PaymentMethodID != nil && *a.PaymentMethodID == m.ID, err
}

// PaymentMethods are those of the account.
func (n *Account) PaymentMethods(ctx context.Context) ([]*PaymentMethod, error) {
	of, err := together(n.group, "paymentMethods", func(rows []billing.Account) (map[billing.AccountID][]*PaymentMethod, error) {
		ids := make([]billing.AccountID, len(rows))
		for k := range rows {
			ids[k] = rows[k].ID
		}
		found, err := store.PaymentMethodsOf(ctx, n.group.reader.q(), ids)
		of := map[billing.AccountID][]*PaymentMethod{}
		for _, m := range n.group.reader.PaymentMethods(found) {
			of[m.AccountID] = append(of[m.AccountID], m)
		}
		return of, err
	})
	return of[n.ID], err
}

func (r *Reader) paymentMethodsByID(ctx context.Context, ids []billing.PaymentMethodID) (map[billing.PaymentMethodID]*PaymentMethod, error) {
	found, err := store.PaymentMethods.ByIDs(ctx, r.q(), ids)
	return index(r.PaymentMethods(found), func(n *PaymentMethod) billing.PaymentMethodID { return n.ID }), err
}

// Collections are those of the invoice.
func (i *Invoice) Collections(ctx context.Context) ([]*PaymentCollection, error) {
	of, err := together(i.group, "collections", func(rows []document.Invoice) (map[billing.InvoiceID][]*PaymentCollection, error) {
		ids := make([]billing.InvoiceID, len(rows))
		for k := range rows {
			ids[k] = rows[k].ID
		}
		found, parts, err := store.CollectionsOfInvoices(ctx, i.group.reader.q(), ids)
		byID := index(i.group.reader.PaymentCollections(found), func(c *PaymentCollection) billing.PaymentCollectionID { return c.ID })
		of := map[billing.InvoiceID][]*PaymentCollection{}
		for _, p := range parts {
			of[p.InvoiceID] = append(of[p.InvoiceID], byID[p.CollectionID])
		}
		return of, err
	})
	return of[i.ID], err
}

// PaymentMethod is what is charged.
func (c *PaymentCollection) PaymentMethod(ctx context.Context) (*PaymentMethod, error) {
	return one(ctx, c.group, "paymentMethod", c.PaymentMethodID, func(row *collect.Collection) billing.PaymentMethodID { return row.PaymentMethodID }, (*Reader).paymentMethodsByID)
}

// CurrencyID is that of the amount.
func (c *PaymentCollection) CurrencyID() string { return c.Currency.Code }

// Amount is how much is asked for.
func (c *PaymentCollection) Amount() string { return c.Currency.Format(c.Collection.Amount) }

// Invoices are those that the amount is asked for.
func (c *PaymentCollection) Invoices(ctx context.Context) ([]*Invoice, error) {
	of, err := together(c.group, "invoices", func(rows []collect.Collection) (map[billing.PaymentCollectionID][]*Invoice, error) {
		ids := make([]billing.PaymentCollectionID, len(rows))
		for k := range rows {
			ids[k] = rows[k].ID
		}
		parts, err := store.PartsOfCollections(ctx, c.group.reader.q(), ids)
		if err != nil {
			return nil, err
		}
		invoices := make([]billing.InvoiceID, len(parts))
		for k, p := range parts {
			invoices[k] = p.InvoiceID
		}
		byID, err := c.group.reader.invoicesByID(ctx, invoices)
		of := map[billing.PaymentCollectionID][]*Invoice{}
		for _, p := range parts {
			of[p.CollectionID] = append(of[p.CollectionID], byID[p.InvoiceID])
		}
		return of, err
	})
	return of[c.ID], err
}

// Fee is what the payment provider kept, nil if that is not known.
func (c *PaymentCollection) Fee() *string {
	if c.Collection.Fee == 0 {
		return nil
	}
	return textOrNone(c.Currency.Format(c.Collection.Fee))
}

// Reference is the payment provider's name of the charge.
func (c *PaymentCollection) Reference() *string { return textOrNone(c.Collection.Reference) }

// PaymentAttempt is a request to a payment provider.
type PaymentAttempt struct {
	collect.Attempt
	// Key is what the payment provider knows it by.
	Key string
}

// Code is the reason for programs.
func (a *PaymentAttempt) Code() *string { return textOrNone(a.Attempt.Code) }

// Message is the reason for people.
func (a *PaymentAttempt) Message() *string { return textOrNone(a.Attempt.Message) }

// Final says whether another attempt is useless.
func (a *PaymentAttempt) Final() bool { return a.Hard }

// Attempts are the requests, in their order.
func (c *PaymentCollection) Attempts(ctx context.Context) ([]*PaymentAttempt, error) {
	of, err := together(c.group, "attempts", func(rows []collect.Collection) (map[billing.PaymentCollectionID][]*PaymentAttempt, error) {
		ids := make([]billing.PaymentCollectionID, len(rows))
		for k := range rows {
			ids[k] = rows[k].ID
		}
		found, err := store.AttemptsOf(ctx, c.group.reader.q(), ids)
		of := map[billing.PaymentCollectionID][]*PaymentAttempt{}
		byID := make(map[billing.PaymentCollectionID]*collect.Collection, len(rows))
		for k := range rows {
			byID[rows[k].ID] = &rows[k]
		}
		for _, a := range found {
			of[a.CollectionID] = append(of[a.CollectionID], &PaymentAttempt{a, byID[a.CollectionID].Key(a.Number)})
		}
		return of, err
	})
	return of[c.ID], err
}

// Collection is what the payment came of, nil if it was recorded.
func (p *Payment) Collection(ctx context.Context) (*PaymentCollection, error) {
	of, err := together(p.group, "collection", func(rows []document.Payment) (map[billing.PaymentID]*PaymentCollection, error) {
		attempts, err := store.AttemptsOfPayments(ctx, p.group.reader.q(), keys(rows, always(paymentID)))
		if err != nil {
			return nil, err
		}
		found, err := p.group.reader.paymentCollectionsByID(ctx, keys(attempts, always(func(a *collect.Attempt) billing.PaymentCollectionID { return a.CollectionID })))
		of := make(map[billing.PaymentID]*PaymentCollection, len(attempts))
		for n := range attempts {
			of[*attempts[n].PaymentID] = found[attempts[n].CollectionID]
		}
		return of, err
	})
	return of[p.ID], err
}

// Provider is who moved the money.
func (p *Payment) Provider(ctx context.Context) (collect.Provider, error) {
	c, err := p.Collection(ctx)
	if err != nil || c == nil {
		return collect.Manual, err
	}
	return c.Collection.Provider, nil
}

// CollectionState is what has become of the money. A payment is recorded when it has
// arrived, so it can only go back.
func (p *Payment) CollectionState(ctx context.Context) (collect.State, error) {
	attempts, err := p.Attempts(ctx)
	for _, a := range attempts {
		if a.PaymentID != nil && *a.PaymentID == p.ID && a.Outcome == collect.OutReversed {
			return collect.Reversed, err
		}
	}
	return collect.Succeeded, err
}

// Method is the payment method that was charged, nil if the payment was recorded.
func (p *Payment) Method(ctx context.Context) (*PaymentMethod, error) {
	c, err := p.Collection(ctx)
	if err != nil || c == nil {
		return nil, err
	}
	return c.PaymentMethod(ctx)
}

// Fee is what the payment provider kept.
func (p *Payment) Fee(ctx context.Context) (*string, error) {
	c, err := p.Collection(ctx)
	if err != nil || c == nil {
		return nil, err
	}
	return c.Fee(), nil
}

// Attempts are the requests that it came of, none if it was recorded.
func (p *Payment) Attempts(ctx context.Context) ([]*PaymentAttempt, error) {
	c, err := p.Collection(ctx)
	if err != nil || c == nil {
		return []*PaymentAttempt{}, err
	}
	return c.Attempts(ctx)
}

// AmountReturned is what went back.
func (p *Payment) AmountReturned() string { return p.Currency.Format(p.Payment.AmountReturned) }
