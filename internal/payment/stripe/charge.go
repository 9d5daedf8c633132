package stripe

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/form"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/payment"
)

// LostAfter is when a charge that Stripe does not know has never arrived: by then no
// request is under way any more.
const LostAfter = 10 * time.Minute

// maxSkew is how far Stripe's clock may be behind ours.
const maxSkew = 5 * time.Minute

// withFee makes Stripe tell what it kept of a charge.
const withFee = "latest_charge.balance_transaction"

// Charge makes and confirms a PaymentIntent.
func (p *Provider) Charge(ctx context.Context, c payment.Charge) (payment.Outcome, error) {
	customer, method, err := splitToken(c.Token)
	if err != nil {
		return payment.Outcome{State: payment.Failed, Code: "invalid_token", Message: err.Error(), Hard: true}, nil
	}
	amount, err := toStripe(c.Amount, c.Currency)
	if err != nil {
		return payment.Outcome{State: payment.Failed, Code: "unsupported_currency", Message: err.Error()}, nil
	}
	params := &stripe.PaymentIntentCreateParams{
		Amount: stripe.Int64(amount), Currency: stripe.String(strings.ToLower(c.Currency.Code)),
		Customer: stripe.String(customer), PaymentMethod: stripe.String(method),
		Confirm: stripe.Bool(true), OffSession: stripe.Bool(true),
		AutomaticPaymentMethods: &stripe.PaymentIntentCreateAutomaticPaymentMethodsParams{
			Enabled: stripe.Bool(true), AllowRedirects: stripe.String("never"),
		},
		Metadata: map[string]string{metadataKey: c.Key},
	}
	if c.Text != "" {
		params.Description = stripe.String(c.Text)
	}
	params.AddExpand(withFee)
	params.SetIdempotencyKey("charge/" + c.Key)
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	params.Context = ctx
	intent := &stripe.PaymentIntent{}
	if err := p.post("/v1/payment_intents", params, intent); err != nil {
		return refused(err)
	}
	if intent.Metadata[metadataKey] != c.Key {
		return unknown("unexpected_answer", "Stripe answered about something else."), nil
	}
	return intentOutcome(intent), nil
}

// Lookup finds the PaymentIntent of a charge in the list of its customer's. Unlike
// a search, the list has everything that was made.
func (p *Provider) Lookup(ctx context.Context, c payment.Charge) (payment.Outcome, error) {
	customer, _, err := splitToken(c.Token)
	if err != nil {
		return payment.Outcome{State: payment.Failed, Code: "invalid_token", Message: err.Error(), Hard: true}, nil
	}
	now := p.config.Now() // before the request: what arrives later is not in the list
	params := &stripe.PaymentIntentListParams{
		Customer:     stripe.String(customer),
		CreatedRange: &stripe.RangeQueryParams{GreaterThanOrEqual: c.At.Add(-maxSkew).Unix()},
	}
	params.Limit = stripe.Int64(100)
	params.AddExpand("data." + withFee)
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	for more := true; more; {
		query, page := &form.Values{}, &stripe.PaymentIntentList{}
		form.AppendTo(query, params)
		if err := p.backend.CallRaw(http.MethodGet, "/v1/payment_intents", p.config.APIKey, []byte(query.Encode()), &stripe.Params{Context: ctx}, page); err != nil {
			return payment.Outcome{}, fmt.Errorf("look up charge %s: %w", c.Key, short(err))
		}
		for _, intent := range page.Data {
			if intent.Metadata[metadataKey] == c.Key {
				return intentOutcome(intent), nil
			}
			params.StartingAfter = stripe.String(intent.ID)
		}
		more = page.HasMore && len(page.Data) > 0
	}
	if now.Sub(c.At) < LostAfter {
		return unknown("not_found", "Stripe does not know the charge yet."), nil
	}
	return payment.Outcome{State: payment.Failed, Code: payment.CodeLost, Message: "The request never arrived at Stripe."}, nil
}

func unknown(code, message string) payment.Outcome {
	return payment.Outcome{State: payment.Unknown, Code: code, Message: message}
}

// intentOutcome reads what has become of a PaymentIntent.
func intentOutcome(intent *stripe.PaymentIntent) payment.Outcome {
	o := payment.Outcome{Reference: intent.ID}
	switch intent.Status {
	case stripe.PaymentIntentStatusSucceeded:
		o.State = payment.Succeeded
		return withAmounts(o, intent)
	case stripe.PaymentIntentStatusProcessing:
		o.State = payment.Pending
	case stripe.PaymentIntentStatusRequiresPaymentMethod:
		o.State, o.Code, o.Message = payment.Declined, "declined", "The payment was declined."
		if e := intent.LastPaymentError; e != nil {
			o.Code, o.Message = reason(e)
		}
		o.Hard = isHard(o.Code)
	case stripe.PaymentIntentStatusRequiresAction:
		o.State, o.Code, o.Hard = payment.Declined, string(stripe.DeclineCodeAuthenticationRequired), true
		o.Message = "The bank wants the customer to confirm the payment."
	case stripe.PaymentIntentStatusCanceled:
		o.State, o.Code, o.Message = payment.Failed, "canceled", "The payment was canceled at Stripe."
	default:
		o.State, o.Code, o.Message = payment.Unknown, "unexpected_status", fmt.Sprintf("Stripe says that the payment is %q.", intent.Status)
	}
	return o
}

// withAmounts adds what was moved, and the fee if it is in the same currency.
func withAmounts(o payment.Outcome, intent *stripe.PaymentIntent) payment.Outcome {
	amount, currency, err := fromStripe(intent.AmountReceived, intent.Currency)
	if err != nil {
		return unknown("unexpected_amount", err.Error())
	}
	o.Amount, o.Currency = amount, currency
	if theirs, err := digits(currency); err == nil && theirs == currency.Digits {
		if step := stepOf(theirs); step > 1 {
			o.Step = money.Amount(step)
		}
	}
	if charge := intent.LatestCharge; charge != nil && charge.BalanceTransaction != nil && charge.BalanceTransaction.Currency == intent.Currency {
		if fee, _, err := fromStripe(charge.BalanceTransaction.Fee, intent.Currency); err == nil {
			o.Fee = fee
		}
	}
	return o
}
