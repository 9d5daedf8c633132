package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/store"
)

// PaymentRefund is money that is given back, in the API.
type PaymentRefund struct{ *collect.Refund }

// PaymentRefunds makes nodes of rows.
func (r *Reader) PaymentRefunds(rows []collect.Refund) []*PaymentRefund {
	nodes := make([]*PaymentRefund, len(rows))
	for n := range rows {
		nodes[n] = &PaymentRefund{&rows[n]}
	}
	return nodes
}

// Refunds are what was given back of the payment.
func (p *Payment) Refunds(ctx context.Context) ([]*PaymentRefund, error) {
	of, err := together(p.group, "refunds", func(rows []document.Payment) (map[billing.PaymentID][]*PaymentRefund, error) {
		ids := make([]billing.PaymentID, len(rows))
		for k := range rows {
			ids[k] = rows[k].ID
		}
		found, err := store.RefundsOf(ctx, p.group.reader.q(), ids)
		return gather(p.group.reader.PaymentRefunds(found), func(r *PaymentRefund) billing.PaymentID { return r.PaymentID }), err
	})
	return of[p.ID], err
}

// CurrencyID is that of the amount.
func (r *PaymentRefund) CurrencyID() string { return r.Currency.Code }

// Amount is how much is given back.
func (r *PaymentRefund) Amount() string { return r.Currency.Format(r.Refund.Amount) }

// Code is the reason for programs.
func (r *PaymentRefund) Code() *string { return textOrNone(r.Refund.Code) }

// Message is the reason for people.
func (r *PaymentRefund) Message() *string { return textOrNone(r.Refund.Message) }

// Reference is the payment provider's name of it.
func (r *PaymentRefund) Reference() *string { return textOrNone(r.Refund.Reference) }
