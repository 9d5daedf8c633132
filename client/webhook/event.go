package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// The types of business events. There may be more one day.
const (
	InvoiceIssued       = "InvoiceIssued"
	CreditNoteIssued    = "CreditNoteIssued"
	InvoicePaid         = "InvoicePaid"
	InvoiceOverdue      = "InvoiceOverdue"
	PaymentFailed       = "PaymentFailed"
	StandingChanged     = "StandingChanged"
	SubscriptionChanged = "SubscriptionChanged"
)

// Event is a business event: something that happened to an account.
type Event struct {
	Delivery Delivery
	// Type says what happened, such as InvoicePaid.
	Type string
	// At is when it was recorded.
	At      time.Time
	Account EventAccount
	// Data has what the type says: see the documentation of business events.
	Data EventData
	// Body is the body as it was received.
	Body []byte
}

// EventAccount is the customer that an event is about. Code is nil if it has none.
type EventAccount struct {
	ID   string  `json:"id"`
	Code *string `json:"code"`
	Name string  `json:"name"`
}

// EventData is what happened. Each type of event has some of the fields.
type EventData struct {
	// Invoice is that of InvoiceIssued, InvoicePaid and InvoiceOverdue, and the reason for
	// a standing.
	Invoice     *EventInvoice    `json:"invoice"`
	DaysOverdue int              `json:"daysOverdue"`
	CreditNote  *EventCreditNote `json:"creditNote"`

	// Collection, Attempt and what follows are those of PaymentFailed. Final says that
	// trying again is of no use; NextAttemptOn is nil if nobody will.
	Collection    *EventCollection `json:"collection"`
	Attempt       int              `json:"attempt"`
	Code          string           `json:"code"`
	Message       string           `json:"message"`
	Final         bool             `json:"final"`
	NextAttemptOn *Date            `json:"nextAttemptOn"`
	Invoices      []EventInvoice   `json:"invoices"`

	// Subscription is that of StandingChanged, with From, To and Reason, and of
	// SubscriptionChanged, with Change.
	Subscription *EventSubscription `json:"subscription"`
	From         string             `json:"from"`
	To           string             `json:"to"`
	Reason       string             `json:"reason"`
	Change       *EventChange       `json:"change"`
}

// EventInvoice is an invoice. Amounts are decimals in its currency.
type EventInvoice struct {
	ID             string  `json:"id"`
	Number         string  `json:"number"`
	Kind           string  `json:"kind"`
	EntityID       string  `json:"entityId"`
	SubscriptionID *string `json:"subscriptionId"`
	CurrencyID     string  `json:"currencyId"`
	Subtotal       string  `json:"subtotal"`
	TaxAmount      string  `json:"taxAmount"`
	Amount         string  `json:"amount"`
	Credits        string  `json:"credits"`
	AmountPaid     string  `json:"amountPaid"`
	AmountDue      string  `json:"amountDue"`
	IssuedAt       Date    `json:"issuedAt"`
	DueAt          Date    `json:"dueAt"`
	PeriodStart    *Date   `json:"periodStart"`
	PeriodEnd      *Date   `json:"periodEnd"`
	PONumber       string  `json:"poNumber"`
}

// EventCreditNote is a credit note. Amounts are decimals in its currency.
type EventCreditNote struct {
	ID              string              `json:"id"`
	Number          string              `json:"number"`
	Kind            string              `json:"kind"`
	Reason          string              `json:"reason"`
	EntityID        string              `json:"entityId"`
	CurrencyID      string              `json:"currencyId"`
	Subtotal        string              `json:"subtotal"`
	TaxAmount       string              `json:"taxAmount"`
	Amount          string              `json:"amount"`
	AmountApplied   string              `json:"amountApplied"`
	AmountUnapplied string              `json:"amountUnapplied"`
	IssuedAt        Date                `json:"issuedAt"`
	Invoices        []EventInvoiceNamed `json:"invoices"`
}

// EventInvoiceNamed names an invoice.
type EventInvoiceNamed struct {
	ID     string `json:"id"`
	Number string `json:"number"`
}

// EventCollection is money that was asked for.
type EventCollection struct {
	ID         string `json:"id"`
	CurrencyID string `json:"currencyId"`
	Amount     string `json:"amount"`
}

// EventSubscription is a subscription. State is written as in the API, such as ACTIVE.
type EventSubscription struct {
	ID               string      `json:"id"`
	Code             *string     `json:"code"`
	State            string      `json:"state"`
	Product          EventNamed  `json:"product"`
	Plan             EventNamed  `json:"plan"`
	PriceList        EventNamed  `json:"priceList"`
	Tenant           *EventNamed `json:"tenant"`
	StartDate        Date        `json:"startDate"`
	EndDate          Date        `json:"endDate"`
	TrialStartDate   *Date       `json:"trialStartDate"`
	TrialEndDate     *Date       `json:"trialEndDate"`
	CancellationDate *Date       `json:"cancellationDate"`
	Evergreen        bool        `json:"evergreen"`
}

// EventNamed is something with an id, and a code that may be nil.
type EventNamed struct {
	ID   string  `json:"id"`
	Code *string `json:"code"`
}

// EventChange is what happened to a subscription: its kind as in the history, and the
// states before and after. From is nil for a new one.
type EventChange struct {
	Kind string  `json:"kind"`
	From *string `json:"from"`
	To   string  `json:"to"`
}

// OnEvent is called for a business event. If it fails, the event is sent again later, and
// those of the same account that follow wait for it. An event can come more than once,
// with the same Delivery.ID: remember those that you have handled.
type OnEvent func(ctx context.Context, event Event) error

// EventHandler receives business events; it is an http.Handler.
type EventHandler struct {
	handler Handler
	on      OnEvent
}

// NewEventHandler makes a handler for business events that are signed with any of the
// secrets. WithTests does not matter to it: a test event tells of an invoice with the
// number TEST, and has Delivery.Test set.
func NewEventHandler(secrets []string, on OnEvent, options ...Option) (*EventHandler, error) {
	if on == nil {
		return nil, errors.New("webhook: a function to call is needed")
	}
	verifier, err := NewVerifier(secrets...)
	if err != nil {
		return nil, err
	}
	h := &EventHandler{handler: Handler{verifier: verifier, maxBody: DefaultMaxBody, log: slog.Default()}, on: on}
	for _, option := range options {
		option(&h.handler)
	}
	return h, nil
}

// ServeHTTP answers as Handler does.
func (h *EventHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "send webhooks with POST", http.StatusMethodNotAllowed)
		return
	}
	event, no := h.read(w, r)
	if no != nil {
		h.handler.log.WarnContext(r.Context(), "a business event was refused", "status", no.status, "reason", no.reason)
		http.Error(w, no.reason, no.status)
		return
	}
	if err := h.on(r.Context(), event); err != nil {
		h.handler.log.ErrorContext(r.Context(), "a business event was not handled", "type", event.Type, "id", event.Delivery.ID, "error", err)
		failed(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// read verifies a request and reads its event.
func (h *EventHandler) read(w http.ResponseWriter, r *http.Request) (Event, *refusal) {
	body, delivery, no := h.handler.verified(w, r)
	if no != nil {
		return Event{}, no
	}
	if err := delivery.number(r.Header); err != nil {
		return Event{}, &refusal{http.StatusBadRequest, err.Error()}
	}
	var told struct {
		Type      *string       `json:"type"`
		ID        string        `json:"id"`
		Timestamp time.Time     `json:"timestamp"`
		Account   *EventAccount `json:"account"`
		Data      *EventData    `json:"data"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return Event{}, &refusal{http.StatusUnprocessableEntity, fmt.Sprintf("the body is not a business event: %s", err)}
	}
	if told.Type == nil || told.Account == nil || told.Data == nil {
		return Event{}, &refusal{http.StatusUnprocessableEntity, "the body has no type, account and data: is this the address of an event endpoint?"}
	}
	delivery.Test = told.ID == "0"
	return Event{Delivery: delivery, Type: *told.Type, At: told.Timestamp, Account: *told.Account, Data: *told.Data, Body: body}, nil
}
