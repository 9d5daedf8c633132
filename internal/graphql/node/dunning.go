package node

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/ledger"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// DunningStep is a step of a dunning policy.
type DunningStep struct{ dunning.Step }

// Template is the template of its e-mail, nil if it has none.
func (s *DunningStep) Template() *string {
	if s.Step.Template == "" {
		return nil
	}
	return &s.Step.Template
}

// Steps are the steps of the policy.
func (p *DunningPolicy) Steps() []*DunningStep {
	steps := make([]*DunningStep, len(p.Policy.Steps))
	for n, step := range p.Policy.Steps {
		steps[n] = &DunningStep{step}
	}
	return steps
}

// Tolerance is an amount as text.
func (p *DunningPolicy) Tolerance() string { return string(p.Policy.Tolerance) }

// InvoiceDunning is the dunning of an invoice.
type InvoiceDunning struct{ *invoicing.Dunning }

// Dunning is the dunning of the invoice, nil if no policy has counted for it.
func (i *Invoice) Dunning(ctx context.Context) (*InvoiceDunning, error) {
	of, err := together(i.group, "dunning", func(rows []document.Invoice) (map[billing.InvoiceID]*invoicing.Dunning, error) {
		return i.group.reader.Service.Invoicing.DunningOf(ctx, rows)
	})
	if err != nil || of[i.ID] == nil {
		return nil, err
	}
	return &InvoiceDunning{of[i.ID]}, nil
}

// NextOn is when the invoice is looked at next.
func (d *InvoiceDunning) NextOn() *billing.Date { return dateOrNone(d.Next) }

// HoldUntil is when steps go on.
func (d *InvoiceDunning) HoldUntil() *billing.Date { return dateOrNone(d.State.HoldUntil) }

// HoldReason is why they wait.
func (d *InvoiceDunning) HoldReason() *string { return textOrNone(d.State.HoldReason) }

// DunningStepDone is a step with the day on which it was or will be carried out.
type DunningStepDone struct {
	DunningStep
	On billing.Date
}

// Steps are those that were carried out.
func (d *InvoiceDunning) Steps() []*DunningStepDone {
	steps := make([]*DunningStepDone, len(d.Dunning.Steps))
	for n, s := range d.Dunning.Steps {
		steps[n] = &DunningStepDone{DunningStep{s.Step}, s.On}
	}
	return steps
}

// Upcoming are those that are to come.
func (d *InvoiceDunning) Upcoming() []*DunningStepDone {
	steps := make([]*DunningStepDone, len(d.Dunning.Upcoming))
	for n, s := range d.Dunning.Upcoming {
		steps[n] = &DunningStepDone{DunningStep{s.Step}, s.Day}
	}
	return steps
}

// BillingPause is days of a subscription that are not billed.
type BillingPause struct{ ledger.Pause }

// To is the last day, nil while the pause goes on.
func (p *BillingPause) To() *billing.Date { return dateOrNone(p.Pause.To) }

// Pauses are the days that are not billed because the subscription was suspended.
func (s *Subscription) Pauses() []*BillingPause {
	pauses := make([]*BillingPause, len(s.Subscription.Pauses))
	for n, p := range s.Subscription.Pauses {
		pauses[n] = &BillingPause{p}
	}
	return pauses
}
