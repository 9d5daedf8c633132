package webhook

import (
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// id writes an id as the API does: as text.
func (w *bodyWriter) id(n int64) *bodyWriter {
	w.body = append(strconv.AppendInt(append(w.body, '"'), n, 10), '"')
	return w
}

// optionalID writes an id that may be missing.
func optionalID[K ~int64](w *bodyWriter, id *K) *bodyWriter {
	if id == nil {
		return w.raw(`null`)
	}
	return w.id(int64(*id))
}

// nullable writes a missing text as null.
func (w *bodyWriter) nullable(s *string) *bodyWriter {
	if s == nil {
		return w.raw(`null`)
	}
	return w.text(*s)
}

func (w *bodyWriter) bool(yes bool) *bodyWriter {
	w.body = strconv.AppendBool(w.body, yes)
	return w
}

// day writes a day that a document may not have.
func (w *bodyWriter) day(d billing.Date) *bodyWriter {
	if d == (billing.Date{}) {
		return w.raw(`null`)
	}
	return w.date(&d)
}

func (w *bodyWriter) amount(c money.Currency, a money.Amount) *bodyWriter { return w.text(c.Format(a)) }

func (w *bodyWriter) invoice(i *document.Invoice) *bodyWriter {
	c := i.Currency
	w.raw(`{"id":`).id(int64(i.ID)).raw(`,"number":`).text(i.Number).raw(`,"kind":`).text(string(i.Kind)).raw(`,"entityId":`).id(int64(i.EntityID))
	optionalID(w.raw(`,"subscriptionId":`), i.SubscriptionID).raw(`,"currencyId":`).text(c.Code)
	w.raw(`,"subtotal":`).amount(c, i.Subtotal).raw(`,"taxAmount":`).amount(c, i.TaxAmount).raw(`,"amount":`).amount(c, i.Amount)
	w.raw(`,"credits":`).amount(c, i.Credits).raw(`,"amountPaid":`).amount(c, i.AmountPaid).raw(`,"amountDue":`).amount(c, i.AmountDue())
	w.raw(`,"issuedAt":`).day(i.IssuedAt).raw(`,"dueAt":`).day(i.DueAt)
	return w.raw(`,"periodStart":`).day(i.PeriodStart).raw(`,"periodEnd":`).day(i.PeriodEnd).raw(`,"poNumber":`).text(i.PONumber).raw(`}`)
}

func (w *bodyWriter) creditNote(n *document.CreditNote) *bodyWriter {
	c := n.Currency
	w.raw(`{"id":`).id(int64(n.ID)).raw(`,"number":`).text(n.Number).raw(`,"kind":`).text(string(n.Kind)).raw(`,"reason":`).text(n.Reason)
	w.raw(`,"entityId":`).id(int64(n.EntityID)).raw(`,"currencyId":`).text(c.Code)
	w.raw(`,"subtotal":`).amount(c, n.Subtotal).raw(`,"taxAmount":`).amount(c, n.TaxAmount).raw(`,"amount":`).amount(c, n.Amount)
	w.raw(`,"amountApplied":`).amount(c, n.AmountApplied).raw(`,"amountUnapplied":`).amount(c, n.AmountUnapplied())
	w.raw(`,"issuedAt":`).day(n.IssuedAt).raw(`,"invoices":[`)
	seen := map[billing.InvoiceID]bool{}
	for _, item := range n.Items {
		if !seen[item.InvoiceID] {
			w.comma(len(seen)).raw(`{"id":`).id(int64(item.InvoiceID)).raw(`,"number":`).text(item.InvoiceNumber).raw(`}`)
			seen[item.InvoiceID] = true
		}
	}
	return w.raw(`]}`)
}

func (w *bodyWriter) subscriptionFacts(s *SubscriptionFacts) *bodyWriter {
	w.raw(`{"id":`).id(int64(s.ID)).raw(`,"code":`).nullable(s.Code).raw(`,"state":`).text(string(s.State))
	w.raw(`,"product":{"id":`).id(int64(s.ProductID)).raw(`,"code":`).text(s.ProductCode)
	w.raw(`},"plan":{"id":`).id(int64(s.PlanID)).raw(`,"code":`).nullable(s.PlanCode)
	w.raw(`},"priceList":{"id":`).id(int64(s.PriceListID)).raw(`,"code":`).text(s.PriceListCode).raw(`},"tenant":`)
	if s.TenantID == nil {
		w.raw(`null`)
	} else {
		w.raw(`{"id":`).id(int64(*s.TenantID)).raw(`,"code":`).nullable(s.TenantCode).raw(`}`)
	}
	w.raw(`,"startDate":`).day(s.StartDate).raw(`,"endDate":`).day(s.EndDate)
	w.raw(`,"trialStartDate":`).date(s.TrialStartDate).raw(`,"trialEndDate":`).date(s.TrialEndDate)
	return w.raw(`,"cancellationDate":`).date(s.CancellationDate).raw(`,"evergreen":`).bool(s.Evergreen).raw(`}`)
}
