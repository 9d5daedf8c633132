package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// TypeChange is the type of the event that tells what a tenant may use.
const TypeChange = "TenantProvisioningChange"

// TestTenantCode is the code of the tenant in a test event.
const TestTenantCode = "provisioning-test"

// Change tells all that a tenant may use now. It is the tenant's whole state:
// make the tenant equal to it, whatever came before.
type Change struct {
	Delivery Delivery
	Tenant   Tenant
	// Features must be enabled on the tenant, and no others.
	Features []Feature
	// Subscriptions are those behind the features; usually one.
	Subscriptions []Subscription
	// Body is the body as it was received.
	Body []byte
}

// Delivery is what the headers of a webhook say.
type Delivery struct {
	// ID is the event's, the same in every attempt and resend.
	ID string
	// Sequence is the event's number among those of the tenant.
	Sequence int64
	// Attempt is which attempt this is, from 1.
	Attempt int
	// Forced says that somebody sent an older state again on purpose.
	Forced bool
	// Timestamp is when the request was made.
	Timestamp time.Time
	// Test says that this is a test event with made-up data.
	Test bool
}

// Tenant is a customer's instance in your application. Find it by its code
// within the platform; if there is none, make it.
type Tenant struct {
	ID       int64    `json:"id"`
	Code     string   `json:"code"`
	Name     string   `json:"name"`
	Platform Platform `json:"platform"`
	Account  Account  `json:"account"`
}

// Platform is the application that the tenant is in.
type Platform struct {
	ID   int64  `json:"id"`
	Code string `json:"code"`
	Name string `json:"name"`
}

// Account is the customer.
type Account struct {
	ID         int64     `json:"id"`
	Name       string    `json:"name"`
	BillingDay int       `json:"billing_day"`
	Contacts   []Contact `json:"contacts"`
}

// Contact is a person at the customer. A missing text is empty.
type Contact struct {
	ID        int64  `json:"id"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
}

// Feature is something that the tenant may use.
type Feature struct {
	Code  string `json:"code"`
	Name  string `json:"name"`
	Value string `json:"value"`
	// Quantity is the limit to enforce; nil means that there is none.
	Quantity *int64 `json:"quantity"`
}

// Subscription is one of the contracts that give the tenant its features.
type Subscription struct {
	ID        int64             `json:"id"`
	State     SubscriptionState `json:"state"`
	StartDate Date              `json:"start_date"`
	EndDate   Date              `json:"end_date"`
	// The trial's first and last day are nil when there is no trial.
	TrialStartDate *Date     `json:"trial_start_date"`
	TrialEndDate   *Date     `json:"trial_end_date"`
	Plan           Plan      `json:"plan"`
	PriceList      PriceList `json:"price_list"`
	Product        Product   `json:"product"`
	Features       []Feature `json:"features"`
}

// SubscriptionState is where a subscription stands. There may be more states
// one day; only trial and active give features.
type SubscriptionState string

// The states of a subscription.
const (
	Pending      SubscriptionState = "pending"
	Trial        SubscriptionState = "trial"
	Active       SubscriptionState = "active"
	Suspended    SubscriptionState = "suspended" // unpaid: it gives nothing until it is paid
	Canceled     SubscriptionState = "canceled"
	Expired      SubscriptionState = "expired"
	TrialExpired SubscriptionState = "trial_expired"
)

// Plan is an edition of a product. Its code may be nil.
type Plan struct {
	Code *string `json:"code"`
	Name string  `json:"name"`
}

// PriceList is what the subscription is charged by.
type PriceList struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

// Product is what was bought.
type Product struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

// Date is a calendar day, written YYYY-MM-DD.
type Date string

// Time is the beginning of the day in UTC.
func (d Date) Time() (time.Time, error) { return time.Parse(time.DateOnly, string(d)) }

// Feature returns a feature by its code, and whether the tenant may use it.
func (c Change) Feature(code string) (Feature, bool) {
	for _, f := range c.Features {
		if f.Code == code {
			return f, true
		}
	}
	return Feature{}, false
}

// Suspended reports whether unpaid invoices keep a subscription from giving the tenant
// anything. Keep its people able to sign in, to see why, and to pay: the payment brings a
// change with everything that they had.
func (c Change) Suspended() bool {
	for _, s := range c.Subscriptions {
		if s.State == Suspended {
			return true
		}
	}
	return false
}

// errOtherType is what parse says of an event that this library does not know.
var errOtherType = errors.New("another type of event")

// parse reads the body of a webhook.
func parse(body []byte) (Change, error) {
	var envelope struct {
		Type    *string `json:"type"`
		Payload *struct {
			Tenant *Tenant `json:"tenant"`
			Change *struct {
				Features      []Feature      `json:"features"`
				Subscriptions []Subscription `json:"subscriptions"`
			} `json:"change"`
		} `json:"payload"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return Change{}, fmt.Errorf("the body is not a %s: %w", TypeChange, err)
	}
	switch {
	case envelope.Type == nil:
		return Change{}, fmt.Errorf("the body has no type; if the platform's workflow has a payload program, check requests with a Verifier and read the body yourself")
	case *envelope.Type != TypeChange:
		return Change{}, errOtherType
	case envelope.Payload == nil || envelope.Payload.Tenant == nil || envelope.Payload.Change == nil:
		return Change{}, fmt.Errorf("the body has no payload.tenant and payload.change")
	}
	told := envelope.Payload
	return Change{Tenant: *told.Tenant, Features: told.Change.Features, Subscriptions: told.Change.Subscriptions, Body: body}, nil
}
