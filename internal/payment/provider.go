// Package payment says how money is collected and given back: what a payment
// provider does, what can come of a request to it, and when to ask again about one
// without an answer. The providers are the packages below it. It stores nothing, and
// card numbers never come here.
package payment

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/tenantry/tenantry/internal/billing/money"
)

// Provider moves money. Requests are made outside of database transactions, after
// the attempt with its key was committed.
type Provider interface {
	// Charge collects money. An error means that this request charged nothing, and
	// that the same charge may be tried again later; whatever is not certain is the
	// outcome Unknown.
	Charge(ctx context.Context, c Charge) (Outcome, error)
	// Lookup tells what has become of a charge, which is handed in as it was made.
	// It moves no money. An error means that nothing was learned.
	Lookup(ctx context.Context, c Charge) (Outcome, error)
	// Refund gives money back. If the outcome is Unknown, the same refund with the
	// same key may be sent again: it happens once.
	Refund(ctx context.Context, r Refund) (Outcome, error)
	// Notices verifies a request of the provider and returns what it tells. A
	// request that is not the provider's is refused with ErrForged, and one that
	// cannot be read with ErrMalformed.
	Notices(r *http.Request) ([]Notice, error)
}

// What is wrong with a request that brings notices.
var (
	ErrForged    = errors.New("the request is not signed by the payment provider")
	ErrMalformed = errors.New("the request of the payment provider cannot be read")
	ErrNoNotices = errors.New("this payment provider sends no notices")
)

// Saver is a Provider that saves payment methods on pages of its own.
type Saver interface {
	// Save returns the address of a page on which a customer saves a payment method.
	// A notice tells when it was saved.
	Save(ctx context.Context, s Setup) (url string, err error)
	// Method returns what people may see of a saved payment method.
	Method(ctx context.Context, token string) (Method, error)
}

// RequestTimeout is how long a request to a provider may take. After that its
// outcome is unknown.
const RequestTimeout = 30 * time.Second

// Charge is money to collect with a payment method.
type Charge struct {
	// Key is the idempotency key: the id of the payment and the number of the
	// attempt. All requests with one key move money once. Other installations may
	// share the account at the provider, so the id is one that is unique everywhere.
	Key      string
	Amount   money.Amount
	Currency money.Currency
	// Token is the provider's name of the payment method.
	Token string
	// Text is what the customer sees, such as the number of the invoice.
	Text string
	// At is when the attempt was committed.
	At time.Time
}

// Refund is money to give back of a charge.
type Refund struct {
	Key string
	// Reference is the provider's name of the charge.
	Reference string
	Amount    money.Amount
	Currency  money.Currency
	At        time.Time
}

// Setup is a payment method that somebody wants to save.
type Setup struct {
	Key string
	// Token is that of a method which the account has already, empty if it has none.
	Token       string
	Name, Email string
	Kinds       []Kind
	// SuccessURL and CancelURL are where the customer comes back to.
	SuccessURL, CancelURL string
}

// Kind is the kind of a payment method.
type Kind string

// The kinds of payment methods.
const (
	Card      Kind = "CARD"
	SEPADebit Kind = "SEPA_DEBIT"
	Test      Kind = "TEST"
)

// Method is what people may see of a payment method.
type Method struct {
	Token string
	Kind  Kind
	Brand string
	Last4 string
	// ExpiresYear and ExpiresMonth are 0 for methods that do not expire.
	ExpiresYear, ExpiresMonth int
}
