package email

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// State is what has become of an e-mail.
type State string

// The states of an e-mail.
const (
	Waiting State = "WAITING"  // it will be sent, or sent again
	Sent    State = "SENT"     // the mail server has taken it
	Failed  State = "FAILED"   // the mail server refused it, or did not take it in time
	NotSent State = "NOT_SENT" // nobody tries: see Reason
)

// Why an e-mail is not sent.
const (
	NoAddress   = "The account has no address for e-mail: give it an e-mail for invoices, or a billing contact with an e-mail."
	OnTestClock = "The account is on a test clock."
	OnlyShown   = "No mail server is set up: e-mail is only shown here."
	Settled     = "The invoice was settled before the e-mail could be sent."
	Removed     = "The payment method was removed before the e-mail could be sent."
)

// Email is a message to a customer. What it says was true when it was recorded, and does
// not change.
type Email struct {
	ID        billing.EmailID
	UUID      string
	AccountID billing.AccountID
	EntityID  billing.EntityID
	// Template is the name of the template.
	Template string
	// What it is about, as far as it is about that.
	InvoiceID       *billing.InvoiceID
	CreditNoteID    *billing.CreditNoteID
	PaymentID       *billing.PaymentID
	PaymentMethodID *billing.PaymentMethodID

	Locale string
	// To is empty if nobody knows where to send it.
	To                  string
	Subject, Text, HTML string

	State State
	// Reason is why it was not sent, or why the last attempt failed, for people.
	Reason   string
	Attempts int
	// Copies counts how often it was sent again on purpose, each time as a message of its
	// own.
	Copies int
	// NextAt is when the next attempt is made, nil for none.
	NextAt *time.Time
	SentAt *time.Time
	// At is when it was recorded, by the clock of the account.
	At          time.Time
	TestClockID *billing.TestClockID

	CreatedAt, UpdatedAt time.Time
}

// Outcome is what an attempt has come to.
type Outcome int

// The outcomes of an attempt.
const (
	Taken       Outcome = iota // the mail server has it
	Refused                    // it will never take it
	Deferred                   // it asks to try again later
	Unreachable                // it is not there, which no message can help
)

// waitForServer is how long to wait for a mail server that is not there.
const waitForServer = time.Minute

// Take notes the outcome of an attempt. A message that is deferred is tried again at the
// times at which webhooks are, and given up after the last; while the server cannot be
// reached, it waits for as long as that takes. jitter is 0.8 to 1.2 and stretches the
// delay.
func (e *Email) Take(o Outcome, reason string, jitter float64, now time.Time) {
	e.Reason, e.NextAt = reason, nil
	delays := webhook.DefaultRetryDelays()
	if o != Unreachable {
		e.Attempts++
	}
	switch {
	case o == Taken:
		e.State, e.SentAt, e.Reason = Sent, &now, ""
	case o == Unreachable:
		e.waitUntil(now.Add(waitForServer))
	case o == Deferred && e.Attempts <= len(delays):
		e.waitUntil(now.Add(time.Duration(float64(delays[e.Attempts-1]) * jitter * float64(time.Second))))
	default:
		e.State = Failed
	}
}

func (e *Email) waitUntil(at time.Time) { e.State, e.NextAt = Waiting, &at }

// Drop notes that an e-mail is not sent.
func (e *Email) Drop(reason string) { e.State, e.Reason, e.NextAt = NotSent, reason, nil }

// SendAgain has an e-mail sent to an address, as another message if it was sent before.
func (e *Email) SendAgain(to string, now time.Time) error {
	switch {
	case e.TestClockID != nil:
		return billing.Fail(billing.NotAllowed, "id", "The account is on a test clock, so its e-mail is never sent.")
	case e.State == Waiting:
		return billing.Fail(billing.NotAllowed, "id", "The e-mail is waiting to be sent already.")
	case to == "":
		return billing.Fail(billing.NotAllowed, "id", "%s", NoAddress)
	}
	if e.Attempts > 0 {
		e.Copies++
	}
	e.To, e.State, e.Reason, e.Attempts, e.SentAt, e.NextAt = to, Waiting, "", 0, nil, &now
	return nil
}
