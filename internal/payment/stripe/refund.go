package stripe

import (
	"context"

	"github.com/stripe/stripe-go/v85"
	"github.com/tenantry/tenantry/internal/payment"
)

// Refund gives money of a PaymentIntent back.
func (p *Provider) Refund(ctx context.Context, r payment.Refund) (payment.Outcome, error) {
	amount, err := toStripe(r.Amount, r.Currency)
	if err != nil {
		return payment.Outcome{State: payment.Failed, Code: "unsupported_currency", Message: err.Error()}, nil
	}
	params := &stripe.RefundCreateParams{
		PaymentIntent: stripe.String(r.Reference), Amount: stripe.Int64(amount),
		Metadata: map[string]string{metadataKey: r.Key},
	}
	params.SetIdempotencyKey("refund/" + r.Key)
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	params.Context = ctx
	refund := &stripe.Refund{}
	if err := p.post("/v1/refunds", params, refund); err != nil {
		return refused(err)
	}
	return refundOutcome(refund), nil
}

// refundOutcome reads what has become of a refund.
func refundOutcome(refund *stripe.Refund) payment.Outcome {
	o := payment.Outcome{Reference: refund.ID}
	switch refund.Status {
	case stripe.RefundStatusSucceeded:
		o.State = payment.Succeeded
	case stripe.RefundStatusPending, stripe.RefundStatusRequiresAction:
		o.State = payment.Pending
	case stripe.RefundStatusFailed:
		o.State, o.Code, o.Message = payment.Failed, string(refund.FailureReason), "The money could not be given back."
	case stripe.RefundStatusCanceled:
		o.State, o.Code, o.Message = payment.Failed, "canceled", "The refund was canceled at Stripe."
	default:
		return unknown("unexpected_status", "Stripe does not say what has become of the refund.")
	}
	amount, currency, err := fromStripe(refund.Amount, refund.Currency)
	if err != nil {
		return unknown("unexpected_amount", err.Error())
	}
	o.Amount, o.Currency = amount, currency
	return o
}
