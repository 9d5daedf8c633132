package subscriptions

import (
	"cmp"
	"context"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service/calendar"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// SetStandings gives subscriptions their standings, with their history and the events
// that tell their tenants. It locks them in the order of ids; their account is locked. It
// returns those of which something else is owed now, with the first day of that: a
// transaction that bills has to note it once more when it has written how far it came.
func SetStandings(ctx context.Context, tx *store.Tx, ids []billing.SubscriptionID, verdicts map[billing.SubscriptionID]subscription.Verdict, cal calendar.Calendar, actor string) (owed map[billing.SubscriptionID]billing.Date, told []StandingChange, err error) {
	owed = map[billing.SubscriptionID]billing.Date{}
	var tenants []billing.TenantID
	for _, id := range ids {
		sub, err := store.LockSubscription(ctx, tx, id)
		if err != nil {
			return nil, nil, err
		}
		if sub == nil {
			continue
		}
		after, change := sub.SetStanding(verdicts[id], cal.Today)
		if !change.Happened() {
			continue
		}
		if !slices.Equal(after.Pauses, sub.Pauses) {
			if after.NoteChange(sub, cal.Today); after.DirtyFrom != nil { // the pause of one that is over had ended before
				owed[id] = *after.DirtyFrom
			}
		}
		told = append(told, StandingChange{&after, change, sub.StandingInvoiceID})
		if after.TenantID != nil && after.Tells(change) {
			tenants = append(tenants, *after.TenantID)
		}
	}
	if err := lockStreams(ctx, tx, tenants); err != nil {
		return nil, nil, err
	}
	for _, c := range told {
		if err := saveChange(ctx, tx, c.sub, c.change, cal, actor); err != nil {
			return nil, nil, err
		}
	}
	return owed, told, nil
}

// LockAll locks subscriptions in the order of ids, and the streams of their tenants.
func LockAll(ctx context.Context, tx *store.Tx, ids []billing.SubscriptionID) error {
	var told []billing.TenantID
	for _, id := range ids {
		sub, err := store.LockSubscription(ctx, tx, id)
		if err != nil {
			return err
		}
		if sub != nil && sub.TenantID != nil {
			told = append(told, *sub.TenantID)
		}
	}
	return lockStreams(ctx, tx, told)
}

// CancelIn cancels subscriptions that are not over, in the transaction of whatever makes
// it necessary. They are locked.
func CancelIn(ctx context.Context, tx *store.Tx, ids []billing.SubscriptionID, c subscription.Cancellation, cal calendar.Calendar, actor string) error {
	for _, id := range ids {
		sub, err := store.LockSubscription(ctx, tx, id)
		if err != nil {
			return err
		}
		if sub == nil || sub.Problem != nil {
			continue
		}
		before, err := catchUp(ctx, tx, *sub, cal, cal.Today, lifecycleActor)
		if err != nil {
			return err
		}
		if before.State.Ended() {
			continue
		}
		after, change, err := before.Cancel(c, cal.Today)
		if err != nil {
			return err
		}
		if !change.Happened() {
			continue
		}
		change.Detail["reason"] = actor
		after.NoteChange(&before, cal.Today)
		if err := saveChange(ctx, tx, &after, change, cal, actor); err != nil {
			return err
		}
	}
	return nil
}

// withheld says why unpaid invoices keep a tenant from features, as in "suspended:
// invoice INV-2026-000017 is 21 days overdue"; empty if they do not.
func (s *Service) withheld(ctx context.Context, subs []webhook.ProvisioningSubscription) (string, error) {
	var worst *webhook.ProvisioningSubscription
	for n := range subs {
		sub := &subs[n]
		if sub.State.Live() && !sub.Standing.HasAllFeatures() && (worst == nil || sub.Standing.Worse(worst.Standing)) {
			worst = sub
		}
	}
	if worst == nil {
		return "", nil
	}
	return s.WhyStanding(ctx, &worst.Subscription)
}

// WhyStanding says in a sentence why the standing of a subscription is not good; empty
// if it is.
func (s *Service) WhyStanding(ctx context.Context, sub *subscription.Subscription) (string, error) {
	if sub.StandingInvoiceID == nil {
		return "", nil
	}
	tx := s.Store.Snapshot()
	invoice, err := store.Invoices.Get(ctx, tx.Queries, *sub.StandingInvoiceID)
	if err != nil {
		return "", err
	}
	return whyStanding(ctx, tx, sub, invoice)
}

// ToBePaid are the invoices that keep subscriptions from features, those that are due first
// at first: when all of them are paid, everything is given back. Nothing is due of one that
// was written off without giving anything back; no payment helps against that.
func (s *Service) ToBePaid(ctx context.Context, subs []subscription.Subscription) ([]document.Invoice, error) {
	var ids []billing.SubscriptionID
	var accounts []billing.AccountID
	for n := range subs {
		if sub := &subs[n]; sub.State.Live() && !sub.Standing.HasAllFeatures() {
			ids, accounts = append(ids, sub.ID), append(accounts, sub.AccountID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	effects, err := store.EffectsOn(ctx, s.Read(), operation.Unique(accounts), ids)
	if err != nil {
		return nil, err
	}
	var invoices []billing.InvoiceID
	for n := range effects {
		if !effects[n].Standing.HasAllFeatures() {
			invoices = append(invoices, effects[n].InvoiceID)
		}
	}
	rows, err := store.Invoices.ByIDs(ctx, s.Read(), operation.Unique(invoices))
	slices.SortFunc(rows, func(a, b document.Invoice) int {
		return cmp.Compare(slices.Index(invoices, a.ID), slices.Index(invoices, b.ID))
	})
	return rows, err
}

// whyStanding says why an invoice gives a subscription the standing that it has; nothing
// if there is no such invoice.
func whyStanding(ctx context.Context, tx *store.Tx, sub *subscription.Subscription, invoice *document.Invoice) (string, error) {
	if invoice == nil {
		return "", nil
	}
	if sub.Standing == billing.Good {
		return "good: invoice " + invoice.Number + " " + settledWord(invoice), nil
	}
	days, err := provisioning.DaysOn(ctx, tx, []*billing.TestClockID{sub.TestClockID})
	if err != nil {
		return "", err
	}
	why := dunning.Verdict{
		Standing: sub.Standing, Today: days.On(sub.TestClockID),
		Invoice: &dunning.Invoice{Number: invoice.Number, Due: invoice.DueAt, Forfeited: invoice.WrittenOff},
	}
	return why.Why(), nil
}

// settledWord says why nothing is taken away for an invoice any more.
func settledWord(i *document.Invoice) string {
	switch {
	case i.AmountDue() > 0:
		return "takes nothing away any more" // by its policy
	case i.Voided:
		return "was voided"
	case i.WrittenOff:
		return "was written off"
	case i.AmountPaid == 0:
		return "was credited"
	}
	return "is paid"
}
