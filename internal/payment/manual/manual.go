// Package manual is the payment provider of those who transfer money by themselves.
// It moves none: a person records what arrives, with the number of the invoice as
// reference, and makes the transfers that give money back.
package manual

import (
	"context"
	"net/http"

	"github.com/tenantry/tenantry/internal/payment"
)

// Code is the reason why nothing was charged.
const Code = "manual"

// Provider is the payment provider of transfers.
type Provider struct{}

var _ payment.Provider = Provider{}

var notCharged = payment.Outcome{State: payment.Failed, Code: Code, Message: "The customer transfers the money. Record the payment when it has arrived."}

// Charge charges nothing.
func (Provider) Charge(context.Context, payment.Charge) (payment.Outcome, error) {
	return notCharged, nil
}

// Lookup tells that nothing was charged.
func (Provider) Lookup(context.Context, payment.Charge) (payment.Outcome, error) {
	return notCharged, nil
}

// Refund is pending until a person has made the transfer and says so.
func (Provider) Refund(_ context.Context, r payment.Refund) (payment.Outcome, error) {
	return payment.Outcome{State: payment.Pending, Code: Code, Message: "Transfer the amount to the customer, then mark the refund as done.", Amount: r.Amount, Currency: r.Currency}, nil
}

// Notices returns payment.ErrNoNotices.
func (Provider) Notices(*http.Request) ([]payment.Notice, error) { return nil, payment.ErrNoNotices }
