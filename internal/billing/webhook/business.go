package webhook

import (
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// BusinessType is the type of a business event: something that happened to an
// account, which the operator's other systems are told.
type BusinessType string

// The business events there are.
const (
	InvoiceIssued       BusinessType = "InvoiceIssued"
	CreditNoteIssued    BusinessType = "CreditNoteIssued"
	InvoicePaid         BusinessType = "InvoicePaid"
	InvoiceOverdue      BusinessType = "InvoiceOverdue"
	PaymentFailed       BusinessType = "PaymentFailed"
	StandingChanged     BusinessType = "StandingChanged"
	SubscriptionChanged BusinessType = "SubscriptionChanged"
)

// BusinessTypes lists all types, in the order in which they are shown.
func BusinessTypes() []BusinessType {
	return []BusinessType{InvoiceIssued, CreditNoteIssued, InvoicePaid, InvoiceOverdue, PaymentFailed, StandingChanged, SubscriptionChanged}
}

// Known says whether there is such a type.
func (t BusinessType) Known() bool { return slices.Contains(BusinessTypes(), t) }

// businessTypeNames are all types in a sentence.
func businessTypeNames() string {
	var names []string
	for _, t := range BusinessTypes() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// BusinessEvent is a fact about an account. Unlike the events of a tenant, it does
// not tell a state that a later one replaces: each has to arrive.
type BusinessEvent struct {
	Type      BusinessType
	AccountID billing.AccountID
	// Reason is what caused it, as the log has it.
	Reason string
	data   func(*bodyWriter)
}

// Data is what the event tells, as the member "data" of its body. It is what is
// true now, even if what the event is about changes later.
func (e *BusinessEvent) Data() []byte {
	w := &bodyWriter{}
	e.data(w)
	return w.body
}

// BusinessHead is what the bodies of all business events begin with.
type BusinessHead struct {
	ID       billing.EventID
	Sequence int
	At       time.Time
	Type     BusinessType
	Account  billing.Account
	// Test says that the account is on a test clock.
	Test bool
}

// Body is the webhook as it is sent: compact JSON, as that of tenants.
func (h *BusinessHead) Body(data []byte) []byte {
	w := &bodyWriter{}
	w.raw(`{"type":`).text(string(h.Type)).raw(`,"id":`).id(int64(h.ID)).raw(`,"sequence":`).number(int64(h.Sequence))
	w.raw(`,"timestamp":`).text(h.At.UTC().Format("2006-01-02T15:04:05.000Z"))
	if h.Test {
		w.raw(`,"test":true`)
	}
	w.raw(`,"account":{"id":`).id(int64(h.Account.ID)).raw(`,"code":`).nullable(h.Account.Code).raw(`,"name":`).text(h.Account.Name)
	w.raw(`},"data":`)
	w.body = append(w.body, data...)
	return w.raw(`}`).body
}
