package collect

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Refund is money of a payment that is given back. It comes of waiting credit: that of
// a credit note, or what is left of the payment.
type Refund struct {
	ID           billing.PaymentRefundID
	UUID         string
	AccountID    billing.AccountID
	PaymentID    billing.PaymentID
	CreditNoteID *billing.CreditNoteID
	Currency     money.Currency
	Amount       money.Amount
	Provider     Provider
	// ChargeReference is the provider's name of the charge, and Reference that of the
	// refund.
	ChargeReference string
	State           State
	Code, Message   string
	Reference       string
	// NextAt is when the request is sent; nil for never.
	NextAt               *time.Time
	TestClockID          *billing.TestClockID
	CreatedAt, UpdatedAt time.Time
}

// ResendFor is how long a request for a refund may be sent again: providers know a key
// for a day.
const ResendFor = 23 * time.Hour

// Take notes what a provider says about a refund. It reports whether that failed, so
// that the credit waits again. What has failed stays so.
func (r *Refund) Take(res Result) (failed bool) {
	if r.State == Failed {
		return false
	}
	r.Code, r.Message, r.NextAt = res.Code, res.Message, nil
	if res.Reference != "" {
		r.Reference = res.Reference
	}
	switch res.Outcome {
	case OutSucceeded:
		r.State = Succeeded
	case OutDeclined, OutFailed:
		r.State = Failed
		return true
	}
	return false
}
