package webhook

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// InvoiceEvent tells of an invoice: that it was issued, or that nothing is due of
// it any more.
func InvoiceEvent(kind BusinessType, i *document.Invoice) BusinessEvent {
	return BusinessEvent{Type: kind, AccountID: i.AccountID, Reason: reasons[kind], data: func(w *bodyWriter) {
		w.raw(`{"invoice":`).invoice(i).raw(`}`)
	}}
}

// OverdueEvent tells that an invoice is not paid, so many days after its due day.
func OverdueEvent(i *document.Invoice, days int) BusinessEvent {
	return BusinessEvent{Type: InvoiceOverdue, AccountID: i.AccountID, Reason: reasons[InvoiceOverdue], data: func(w *bodyWriter) {
		w.raw(`{"invoice":`).invoice(i).raw(`,"daysOverdue":`).number(int64(days)).raw(`}`)
	}}
}

// CreditNoteEvent tells that a credit note was issued.
func CreditNoteEvent(c *document.CreditNote) BusinessEvent {
	return BusinessEvent{Type: CreditNoteIssued, AccountID: c.AccountID, Reason: reasons[CreditNoteIssued], data: func(w *bodyWriter) {
		w.raw(`{"creditNote":`).creditNote(c).raw(`}`)
	}}
}

// PaymentFailure is an attempt to collect money that failed.
type PaymentFailure struct {
	AccountID    billing.AccountID
	CollectionID billing.PaymentCollectionID
	Currency     money.Currency
	Amount       money.Amount
	// Attempt is the number of the attempt, from 1.
	Attempt int
	// Code and Message are the provider's; Hard says that trying again is of no use.
	Code, Message string
	Hard          bool
	// Invoices are those that the payment is for.
	Invoices []*document.Invoice
	// NextAttemptOn is when it is tried again, nil if it is not.
	NextAttemptOn *billing.Date
}

// PaymentFailedEvent tells that money could not be collected.
func PaymentFailedEvent(f PaymentFailure) BusinessEvent {
	return BusinessEvent{Type: PaymentFailed, AccountID: f.AccountID, Reason: reasons[PaymentFailed], data: func(w *bodyWriter) {
		w.raw(`{"collection":{"id":`).id(int64(f.CollectionID)).raw(`,"currencyId":`).text(f.Currency.Code).raw(`,"amount":`).amount(f.Currency, f.Amount)
		w.raw(`},"attempt":`).number(int64(f.Attempt)).raw(`,"code":`).text(f.Code).raw(`,"message":`).text(f.Message)
		w.raw(`,"final":`).bool(f.Hard).raw(`,"nextAttemptOn":`).date(f.NextAttemptOn).raw(`,"invoices":[`)
		for n, i := range f.Invoices {
			w.comma(n).invoice(i)
		}
		w.raw(`]}`)
	}}
}

// StandingChange is a subscription whose standing is another than before.
type StandingChange struct {
	Subscription SubscriptionFacts
	From, To     string
	// Why says it in words.
	Why string
	// Invoice is the reason for it: the one that is unpaid, or that was until now. It is nil
	// if there is none.
	Invoice *document.Invoice
}

// StandingEvent tells that what a subscription gives has become less or more,
// because of what is not paid.
func StandingEvent(c StandingChange) BusinessEvent {
	return BusinessEvent{Type: StandingChanged, AccountID: c.Subscription.AccountID, Reason: reasons[StandingChanged], data: func(w *bodyWriter) {
		w.raw(`{"subscription":`).subscriptionFacts(&c.Subscription).raw(`,"from":`).text(c.From).raw(`,"to":`).text(c.To)
		w.raw(`,"reason":`).text(c.Why).raw(`,"invoice":`)
		if c.Invoice == nil {
			w.raw(`null}`)
			return
		}
		w.invoice(c.Invoice).raw(`}`)
	}}
}

// SubscriptionFacts is a subscription with the codes of what it refers to.
type SubscriptionFacts struct {
	subscription.Subscription
	PlanID                     billing.PlanID
	ProductCode, PriceListCode string
	PlanCode, TenantCode       *string
}

// SubscriptionEvent tells that something happened to a subscription.
func SubscriptionEvent(s SubscriptionFacts, c subscription.Change) BusinessEvent {
	return BusinessEvent{Type: SubscriptionChanged, AccountID: s.AccountID, Reason: c.Kind, data: func(w *bodyWriter) {
		w.raw(`{"subscription":`).subscriptionFacts(&s).raw(`,"change":{"kind":`).text(c.Kind).raw(`,"from":`)
		if c.From == "" {
			w.raw(`null`)
		} else {
			w.text(string(c.From))
		}
		w.raw(`,"to":`).text(string(c.To)).raw(`}}`)
	}}
}

// reasons are what the log says of events that have one cause.
var reasons = map[BusinessType]string{
	InvoiceIssued: "invoice.issued", CreditNoteIssued: "credit_note.issued", InvoicePaid: "invoice.paid", InvoiceOverdue: "invoice.overdue",
	PaymentFailed: "payment.failed", StandingChanged: "standing.changed",
}
