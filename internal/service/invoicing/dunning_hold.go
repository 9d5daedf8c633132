package invoicing

import (
	"context"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// InvoiceDunningHold lets the steps of an unpaid invoice wait until a day, on which they
// go on; a nil day lets them go on now. Days count on meanwhile.
func (s *Service) InvoiceDunningHold(ctx context.Context, id billing.InvoiceID, until *billing.Date, reason string) (*document.Invoice, error) {
	invoice, _, err := operation.Write(ctx, s.Runner, func(ctx context.Context, tx *store.Tx) (*document.Invoice, error) {
		account, err := accountOfInvoice("id", id)(ctx, tx)
		if err != nil {
			return nil, err
		}
		r, b, err := openBook(ctx, tx, account)
		if err != nil {
			return nil, err
		}
		i, err := r.invoice(ctx, "id", id)
		if err != nil {
			return nil, err
		}
		if i.Number == "" || i.AmountDue() <= 0 {
			return nil, billing.Fail(billing.NotAllowed, "id", "Nothing is due of invoice %s, so there are no steps to hold.", i.Number)
		}
		if err := checkHold(until, reason, r.cal.Today); err != nil {
			return nil, err
		}
		found, err := store.DunningOf(ctx, tx.Queries, []billing.InvoiceID{id})
		if err != nil {
			return nil, err
		}
		record := found[id]
		if record == nil {
			record = &dunning.Record{InvoiceID: id, AccountID: i.AccountID, EntityID: i.EntityID, TestClockID: i.TestClockID, Standing: billing.Good}
			found[id] = record
		}
		before := record.State
		record.State.HoldUntil, record.State.HoldReason = billing.Date{}, ""
		if until != nil {
			record.State.HoldUntil, record.State.HoldReason = *until, reason
		}
		r.claims.known, b.touched[i] = found, true
		if err := r.issue(ctx); err != nil {
			return nil, err
		}
		return i, operation.Audit(ctx, tx, "invoiceDunningHold", "invoice", int64(id), billing.Changes(holdWords(&before), holdWords(&record.State)))
	})
	s.Wake()
	return invoice, err
}

func checkHold(until *billing.Date, reason string, today billing.Date) error {
	if until == nil {
		return nil
	}
	if !until.After(today) {
		return billing.Fail(billing.Invalid, "until", "A hold ends on a day to come, not on %s. Omit the day to let the steps go on now.", *until)
	}
	if last := today.AddDays(dunning.MaxDay); until.After(last) {
		return billing.Fail(billing.Invalid, "until", "A hold lasts until %s at most, not until %s.", last, *until)
	}
	return checkReason(reason)
}

func holdWords(s *dunning.State) map[string]any {
	words := map[string]any{}
	if s.HoldUntil != (billing.Date{}) {
		words["holdUntil"], words["holdReason"] = s.HoldUntil.String(), s.HoldReason
	}
	return words
}

// Dunning is the dunning of an invoice, for people: what happened, and what is to come
// if it stays unpaid.
type Dunning struct {
	dunning.Record
	Steps    []dunning.Carried
	Upcoming []dunning.Planned
}

// DunningOf returns the dunning of invoices, of those that a policy has counted for.
func (s *Service) DunningOf(ctx context.Context, invoices []document.Invoice) (map[billing.InvoiceID]*Dunning, error) {
	tx := s.Store.Snapshot()
	ids := make([]billing.InvoiceID, len(invoices))
	accounts, clocks := make([]billing.AccountID, len(invoices)), map[billing.TestClockID]billing.TestClock{}
	for n := range invoices {
		ids[n], accounts[n] = invoices[n].ID, invoices[n].AccountID
	}
	records, err := store.DunningOf(ctx, tx.Queries, ids)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	steps, err := store.DunningSteps(ctx, tx.Queries, ids)
	if err != nil {
		return nil, err
	}
	last, err := store.LastCollections(ctx, tx.Queries, ids)
	if err != nil {
		return nil, err
	}
	owners, err := store.Accounts.ByIDs(ctx, tx.Queries, operation.Unique(accounts))
	if err != nil {
		return nil, err
	}
	var methods []billing.PaymentMethodID
	for n := range owners {
		if id := owners[n].PaymentMethodID; id != nil {
			methods = append(methods, *id)
		}
	}
	refused, err := store.RefusedMethods(ctx, tx.Queries, methods)
	if err != nil {
		return nil, err
	}
	moments, err := s.momentsOf(ctx, tx, owners, clocks)
	if err != nil {
		return nil, err
	}
	found := make(map[billing.InvoiceID]*Dunning, len(records))
	for n := range invoices {
		i := &invoices[n]
		record := records[i.ID]
		if record == nil {
			continue
		}
		d := &Dunning{Record: *record}
		for k := range steps {
			if steps[k].InvoiceID == i.ID {
				d.Steps = append(d.Steps, steps[k])
			}
		}
		for k := range owners {
			if owners[k].ID == i.AccountID {
				d.Upcoming = moments.upcoming(&owners[k], i, record, last[i.ID], refused)
				if i.AmountDue() <= 0 || !d.State.HoldUntil.After(moments.of(&owners[k], i).Day) {
					d.State.HoldUntil, d.State.HoldReason = billing.Date{}, "" // nothing waits any more
				}
			}
		}
		found[i.ID] = d
	}
	return found, nil
}
