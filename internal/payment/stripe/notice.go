package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"
	"github.com/tenantry/tenantry/internal/payment"
)

// SignatureTolerance is how old or new a signature may be, so that a request that
// somebody recorded cannot be sent again later.
const SignatureTolerance = 5 * time.Minute

// maxNotice is the size of a webhook, far above what Stripe sends.
const maxNotice = 1 << 20

// Notices reads a webhook of Stripe. One about something that is not ours has none.
func (p *Provider) Notices(r *http.Request) ([]payment.Notice, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxNotice+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", payment.ErrMalformed, err)
	case len(body) > maxNotice:
		return nil, fmt.Errorf("%w: it is larger than %d bytes", payment.ErrMalformed, maxNotice)
	}
	if err := p.verify(body, r.Header.Get("Stripe-Signature")); err != nil {
		return nil, fmt.Errorf("%w: %w", payment.ErrForged, err)
	}
	var event stripe.Event
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("%w: %w", payment.ErrMalformed, err)
	}
	if event.ID == "" || event.Data == nil {
		return nil, fmt.Errorf("%w: it is no event", payment.ErrMalformed)
	}
	notice, ours, err := read(&event)
	if err != nil {
		return nil, fmt.Errorf("%w: event %s: %w", payment.ErrMalformed, event.ID, err)
	}
	if !ours {
		return nil, nil
	}
	notice.ID, notice.At = event.ID, time.Unix(event.Created, 0).UTC()
	return []payment.Notice{notice}, nil
}

// verify checks the signature against every secret.
func (p *Provider) verify(body []byte, header string) error {
	signed, err := signedAt(header)
	if err != nil {
		return err
	}
	if age := p.config.Now().Sub(signed).Abs(); age > SignatureTolerance {
		return fmt.Errorf("it was signed at %s, more than %s from now", signed.Format(time.RFC3339), SignatureTolerance)
	}
	err = errors.New("there is no signing secret")
	for _, secret := range p.config.WebhookSecrets {
		if secret == "" {
			continue // anybody can sign with nothing
		}
		if err = webhook.ValidatePayloadIgnoringTolerance(body, header, secret); err == nil {
			return nil
		}
	}
	return err
}

// signedAt reads the time of a signature: t=1495999758,v1=…. There is only one: of
// several, the signature might be that of another.
func signedAt(header string) (time.Time, error) {
	var times []string
	for part := range strings.SplitSeq(header, ",") {
		if text, ok := strings.CutPrefix(part, "t="); ok {
			times = append(times, text)
		}
	}
	switch len(times) {
	case 0:
		return time.Time{}, webhook.ErrNotSigned
	case 1:
		seconds, err := strconv.ParseInt(times[0], 10, 64)
		if err != nil {
			return time.Time{}, webhook.ErrInvalidHeader
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	return time.Time{}, webhook.ErrInvalidHeader
}

// read turns an event into a notice; ours is false if it is about something else.
func read(event *stripe.Event) (notice payment.Notice, ours bool, err error) {
	switch event.Type {
	case stripe.EventTypePaymentIntentSucceeded, stripe.EventTypePaymentIntentProcessing,
		stripe.EventTypePaymentIntentPaymentFailed, stripe.EventTypePaymentIntentCanceled:
		return readIntent(event)
	case stripe.EventTypeChargeDisputeFundsWithdrawn:
		return readDispute(event, payment.Reversed)
	case stripe.EventTypeChargeDisputeFundsReinstated:
		return readDispute(event, payment.Succeeded)
	case stripe.EventTypeRefundCreated, stripe.EventTypeRefundUpdated, stripe.EventTypeRefundFailed:
		return readRefund(event)
	case stripe.EventTypeSetupIntentSucceeded:
		return readSetup(event)
	case stripe.EventTypePaymentMethodUpdated, stripe.EventTypePaymentMethodAutomaticallyUpdated, stripe.EventTypePaymentMethodDetached:
		return readMethod(event)
	}
	return payment.Notice{}, false, nil
}

func readIntent(event *stripe.Event) (payment.Notice, bool, error) {
	var intent stripe.PaymentIntent
	if err := json.Unmarshal(event.Data.Raw, &intent); err != nil {
		return payment.Notice{}, false, err
	}
	key := intent.Metadata[metadataKey]
	return payment.Notice{Subject: payment.ChargeNotice, Key: key, Outcome: intentOutcome(&intent)}, key != "", nil
}

// readDispute reads that money was taken back, or came back after that. Charging the
// same method again would only be disputed again.
func readDispute(event *stripe.Event, state payment.State) (payment.Notice, bool, error) {
	var dispute stripe.Dispute
	if err := json.Unmarshal(event.Data.Raw, &dispute); err != nil {
		return payment.Notice{}, false, err
	}
	if dispute.PaymentIntent == nil {
		return payment.Notice{}, false, nil
	}
	amount, currency, err := fromStripe(dispute.Amount, dispute.Currency)
	o := payment.Outcome{
		State: state, Code: string(dispute.Reason), Hard: state == payment.Reversed,
		Message: "The customer disputed the charge.", Reference: dispute.PaymentIntent.ID, Amount: amount, Currency: currency,
	}
	if state == payment.Succeeded {
		o.Code, o.Message = "dispute_won", "The dispute was won: the money is back."
	}
	return payment.Notice{Subject: payment.ChargeNotice, Outcome: o}, true, err
}

// readRefund reads also refunds that somebody made at Stripe; they have no key.
func readRefund(event *stripe.Event) (payment.Notice, bool, error) {
	var refund stripe.Refund
	if err := json.Unmarshal(event.Data.Raw, &refund); err != nil {
		return payment.Notice{}, false, err
	}
	if refund.PaymentIntent == nil {
		return payment.Notice{}, false, nil
	}
	return payment.Notice{
		Subject: payment.RefundNotice, Key: refund.Metadata[metadataKey],
		ChargeReference: refund.PaymentIntent.ID, Outcome: refundOutcome(&refund),
	}, true, nil
}

func readSetup(event *stripe.Event) (payment.Notice, bool, error) {
	var setup stripe.SetupIntent
	if err := json.Unmarshal(event.Data.Raw, &setup); err != nil {
		return payment.Notice{}, false, err
	}
	key := setup.Metadata[metadataKey]
	if key == "" || setup.Customer == nil || setup.PaymentMethod == nil {
		return payment.Notice{}, false, nil
	}
	notice := payment.Notice{Subject: payment.MethodSaved, Key: key, Token: tokenOf(setup.Customer.ID, setup.PaymentMethod.ID)}
	if setup.Mandate != nil {
		notice.Mandate = setup.Mandate.ID
	}
	return notice, true, nil
}

func readMethod(event *stripe.Event) (payment.Notice, bool, error) {
	var method stripe.PaymentMethod
	if err := json.Unmarshal(event.Data.Raw, &method); err != nil {
		return payment.Notice{}, false, err
	}
	notice := payment.Notice{Subject: payment.MethodChanged}
	customer := ""
	if method.Customer != nil {
		customer = method.Customer.ID
	}
	if event.Type == stripe.EventTypePaymentMethodDetached {
		notice.Subject = payment.MethodRemoved
		customer, _ = event.Data.PreviousAttributes["customer"].(string) // it has none any more
	}
	notice.Token = tokenOf(customer, method.ID)
	return notice, customer != "", nil
}
