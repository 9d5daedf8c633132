package stripe

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"

	"github.com/stripe/stripe-go/v85"
	"github.com/tenantry/tenantry/internal/payment"
)

// hardCodes are the reasons after which the same method will not be charged again:
// it was stolen, closed or revoked, or the customer has to be present.
var hardCodes = []string{
	string(stripe.DeclineCodeAuthenticationRequired),
	string(stripe.DeclineCodeDoNotTryAgain),
	string(stripe.DeclineCodeIncorrectNumber),
	string(stripe.DeclineCodeInvalidAccount),
	string(stripe.DeclineCodeInvalidNumber),
	string(stripe.DeclineCodeLostCard),
	string(stripe.DeclineCodePickupCard),
	string(stripe.DeclineCodeRevocationOfAllAuthorizations),
	string(stripe.DeclineCodeRevocationOfAuthorization),
	string(stripe.DeclineCodeStolenCard),
	string(stripe.DeclineCodeStopPaymentOrder),
	string(stripe.DeclineCodeTransactionNotAllowed),
	"highest_risk_level",
	string(stripe.ErrorCodeAccountClosed),
	string(stripe.ErrorCodeBankAccountUnusable),
	string(stripe.ErrorCodeDebitNotAuthorized),
	string(stripe.ErrorCodeNoAccount),
	string(stripe.ErrorCodePaymentIntentMandateInvalid),
	string(stripe.ErrorCodePaymentMethodBankAccountBlocked),
	string(stripe.ErrorCodePaymentMethodUnactivated),
	string(stripe.ErrorCodeResourceMissing),
}

func isHard(code string) bool { return slices.Contains(hardCodes, code) }

// reason is why something was refused, for programs and for people.
func reason(e *stripe.Error) (code, message string) {
	code = string(e.Code)
	if e.DeclineCode != "" {
		code = string(e.DeclineCode)
	}
	if code == "" {
		code = string(e.Type)
	}
	return code, e.Msg
}

// refused turns the error of a request that moves money into its outcome. It is an
// error if Stripe certainly did nothing and another try may do better.
func refused(err error) (payment.Outcome, error) {
	var e *stripe.Error
	if !errors.As(err, &e) {
		if notSent(err) {
			return payment.Outcome{}, fmt.Errorf("no connection to Stripe: %w", err)
		}
		return unknown("no_answer", "Stripe did not answer."), nil
	}
	code, message := reason(e)
	o := payment.Outcome{Code: code, Message: message}
	if e.PaymentIntent != nil {
		o.Reference = e.PaymentIntent.ID
	}
	switch status := e.HTTPStatusCode; {
	case status >= http.StatusInternalServerError, status == http.StatusConflict, e.Type == stripe.ErrorTypeIdempotency:
		o.State = payment.Unknown
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return payment.Outcome{}, fmt.Errorf("refused by Stripe: %w", short(err))
	case status == http.StatusPaymentRequired:
		o.State, o.Hard = payment.Declined, isHard(code)
	default:
		o.State, o.Hard = payment.Failed, isHard(code)
	}
	return o, nil
}

// notSent reports whether there was no connection, so that nothing arrived.
func notSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// short is an error without the whole answer in it, which may have data of customers.
func short(err error) error {
	var e *stripe.Error
	if !errors.As(err, &e) {
		return err
	}
	code, message := reason(e)
	return fmt.Errorf("status %d, %s: %s", e.HTTPStatusCode, code, message)
}
