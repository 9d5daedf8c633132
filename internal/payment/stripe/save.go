package stripe

import (
	"context"
	"fmt"
	"net/http"

	"github.com/stripe/stripe-go/v85"
	"github.com/tenantry/tenantry/internal/payment"
)

// kinds are Stripe's names of the kinds of payment methods.
var kinds = map[payment.Kind]string{payment.Card: "card", payment.SEPADebit: "sepa_debit"}

// Save returns the address of a Checkout page that saves a payment method. An
// account that has no method yet becomes a new customer at Stripe.
func (p *Provider) Save(ctx context.Context, s payment.Setup) (string, error) {
	var types []*string
	for _, kind := range s.Kinds {
		name, ok := kinds[kind]
		if !ok {
			return "", fmt.Errorf("payment methods of the kind %s cannot be saved with Stripe", kind)
		}
		types = append(types, stripe.String(name))
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	customer, err := p.customer(ctx, s)
	if err != nil {
		return "", err
	}
	metadata := map[string]string{metadataKey: s.Key}
	params := &stripe.CheckoutSessionCreateParams{
		Mode: stripe.String("setup"), Customer: stripe.String(customer), PaymentMethodTypes: types,
		ClientReferenceID: stripe.String(s.Key), Metadata: metadata,
		SetupIntentData: &stripe.CheckoutSessionCreateSetupIntentDataParams{Metadata: metadata},
		SuccessURL:      stripe.String(s.SuccessURL), CancelURL: stripe.String(s.CancelURL),
	}
	params.SetIdempotencyKey("session/" + s.Key)
	params.Context = ctx
	session := &stripe.CheckoutSession{}
	if err := p.post("/v1/checkout/sessions", params, session); err != nil {
		return "", fmt.Errorf("open a page of Stripe: %w", short(err))
	}
	return session.URL, nil
}

// customer is the customer of a token, or a new one.
func (p *Provider) customer(ctx context.Context, s payment.Setup) (string, error) {
	if s.Token != "" {
		customer, _, err := splitToken(s.Token)
		return customer, err
	}
	params := &stripe.CustomerCreateParams{Metadata: map[string]string{metadataKey: s.Key}}
	if s.Name != "" {
		params.Name = stripe.String(s.Name)
	}
	if s.Email != "" {
		params.Email = stripe.String(s.Email)
	}
	params.SetIdempotencyKey("customer/" + s.Key)
	params.Context = ctx
	customer := &stripe.Customer{}
	if err := p.post("/v1/customers", params, customer); err != nil {
		return "", fmt.Errorf("create a customer at Stripe: %w", short(err))
	}
	return customer.ID, nil
}

// Method reads what people may see of a payment method.
func (p *Provider) Method(ctx context.Context, token string) (payment.Method, error) {
	_, id, err := splitToken(token)
	if err != nil {
		return payment.Method{}, err
	}
	ctx, cancel := withTimeout(ctx)
	defer cancel()
	params := &stripe.PaymentMethodRetrieveParams{}
	params.Context = ctx
	method := &stripe.PaymentMethod{}
	if err := p.backend.Call(http.MethodGet, stripe.FormatURLPath("/v1/payment_methods/%s", id), p.config.APIKey, params, method); err != nil {
		return payment.Method{}, fmt.Errorf("read a payment method of Stripe: %w", short(err))
	}
	seen := payment.Method{Token: token}
	switch {
	case method.Card != nil:
		seen.Kind, seen.Brand, seen.Last4 = payment.Card, string(method.Card.Brand), method.Card.Last4
		seen.ExpiresYear, seen.ExpiresMonth = int(method.Card.ExpYear), int(method.Card.ExpMonth)
	case method.SEPADebit != nil:
		seen.Kind, seen.Last4 = payment.SEPADebit, method.SEPADebit.Last4
	default:
		return payment.Method{}, fmt.Errorf("payment methods of Stripe's type %q are not used here", method.Type)
	}
	return seen, nil
}
