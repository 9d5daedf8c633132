package collect

import (
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Provider is who moves the money.
type Provider string

// The payment providers.
const (
	Stripe Provider = "STRIPE"
	Test   Provider = "TEST" // moves none
	// Manual is nobody: the customer transfers the money, and a person records it. Nothing
	// is charged, so no payment method has it.
	Manual Provider = "MANUAL"
)

// Kind is the kind of a payment method.
type Kind string

// The kinds of payment methods.
const (
	Card      Kind = "CARD"
	SEPADebit Kind = "SEPA_DEBIT"
	TestKind  Kind = "TEST"
)

// MethodState says whether a payment method can be charged.
type MethodState string

// A payment method is in use, or was removed, here or at its provider.
const (
	Active  MethodState = "ACTIVE"
	Removed MethodState = "REMOVED"
)

// Method is what money is collected with.
type Method struct {
	ID        billing.PaymentMethodID
	AccountID billing.AccountID
	Provider  Provider
	Kind      Kind
	// TokenSealed is the provider's name of it, encrypted, and TokenHash finds it.
	TokenSealed, TokenHash string
	// Brand and Last4 are what people know it by.
	Brand, Last4 string
	// Expires is the last month in which it can be charged, such as 2027-03; nil if it
	// does not expire.
	Expires *string
	// Mandate names the permission to debit a bank account.
	Mandate string
	State   MethodState
	// ExpiryTold is how many days before it expires the customer was last told so, nil if
	// that has not happened.
	ExpiryTold *int
	// RefusedAt is when it was declined for good, by the clock of its account; nil if it was
	// not, or if it was renewed since or has turned out to be usable. Policies do not charge
	// it meanwhile.
	RefusedAt *time.Time
	// Revision counts how often it was renewed. What is learned of an attempt that began
	// before is about what it was then.
	Revision             int
	CreatedAt, UpdatedAt time.Time
}

// Words names the method for people.
func (m *Method) Words() string {
	switch {
	case m.Kind == TestKind:
		return "Test method " + m.Last4
	case m.Kind == SEPADebit:
		return "Bank account ending in " + m.Last4
	case m.Brand != "":
		return m.Brand + " card ending in " + m.Last4
	}
	return "Card ending in " + m.Last4
}

// ExpiresOn is the month in which a card of a provider expires.
func ExpiresOn(year, month int) *string {
	if year == 0 {
		return nil
	}
	text := fmt.Sprintf("%04d-%02d", year, month)
	return &text
}

// ExpiryNotices are how many days before a payment method expires its owner is told.
var ExpiryNotices = []int{30, 7}

// LastDay is the last day on which the method can be charged, and whether there is one.
func (m *Method) LastDay() (billing.Date, bool) {
	if m.Expires == nil {
		return billing.Date{}, false
	}
	first, err := billing.ParseDate(*m.Expires + "-01")
	if err != nil {
		return billing.Date{}, false
	}
	return first.AddMonths(1).AddDays(-1), true
}

// ExpiryNotice is which of the notices about its expiry is due on a day: how many days
// before it is, and whether one is. What was missed is made up for, but of two only the
// last; nobody is told of what is over.
func (m *Method) ExpiryNotice(today billing.Date) (days int, due bool) {
	last, expires := m.LastDay()
	left := today.DaysUntil(last)
	if !expires || left < 0 || m.State != Active {
		return 0, false
	}
	for _, notice := range ExpiryNotices {
		if left <= notice && (m.ExpiryTold == nil || *m.ExpiryTold > notice) {
			days, due = notice, true
		}
	}
	return days, due
}
