package console_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/collect"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/ui"
)

// TestDunningTimeline shows the steps of an unpaid invoice, those to come and those carried
// out, and why they wait, as long as they do.
func TestDunningTimeline(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		s.bill()
		page := fmt.Sprintf("/invoices/%d", s.office.open)
		v := s.as(billing.Editor)
		v.wants(v.get(page), 200, "No dunning policy counts for this invoice.")
		policy := must[*dunning.Policy](s)(invoicing.DunningPolicies.Create(s.ctx, s.service.Runner, func(p *dunning.Policy) error {
			*p = dunning.NewPolicy()
			p.Steps = []dunning.Step{{Day: 0, Action: dunning.Collect}, {Day: 1, Action: dunning.Remind, Template: dunning.TemplateReminder}, {Day: 3, Action: dunning.Suspend}, {Day: 45, Action: dunning.WriteOff}}
			return nil
		}))
		i := must[*document.Invoice](s)(store.Invoices.Get(s.ctx, s.service.Read(), s.office.open))
		must[*billing.Entity](s)(invoicing.Entities.Update(s.ctx, s.service.Runner, i.EntityID, func(e *billing.Entity) error {
			e.DunningPolicyID = &policy.ID
			return nil
		}))
		// One that begins to count for an invoice that is overdue counts from that day on.
		eventually(t, "the policy to count", func() bool {
			record := must[map[billing.InvoiceID]*dunning.Record](s)(store.DunningOf(s.ctx, s.service.Read(), []billing.InvoiceID{i.ID}))[i.ID]
			return record != nil && record.State.Begun
		})
		v.wants(v.get(page), 200, "Remind by e-mail", "1 day after", "Suspend the subscriptions", "3 days after", "Write the invoice off", "45 days after", ui.DayText(i.DueAt.AddDays(3)))

		until := i.DueAt.AddDays(5)
		v.does(page+"/hold", "A question is open", "on", until.String(), "reason", "A question is open")
		note := "Steps wait until " + ui.DayText(until) + ": A question is open"
		v.wants(v.get(page), 200, note)
		s.clock.Advance(time.Duration(i.IssuedAt.DaysUntil(until)+1) * 24 * time.Hour)
		v = s.as(billing.Editor)
		s.service.Invoicing.Wake()
		eventually(t, "the steps to go on", func() bool { return strings.Contains(v.get(page).body, ">done<") })
		if a := v.wants(v.get(page), 200, "Suspend the subscriptions", "Write the invoice off", "to come, if it stays unpaid"); strings.Contains(unescape(a.body), "Steps wait until") {
			t.Error("it says that steps wait after the hold has ended")
		}
	})
}

// TestPastDueFromATimeOfDay looks at an invoice on the day after it was due: it counts as
// past due when the steps of the day are carried out, and the page says when that is.
func TestPastDueFromATimeOfDay(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	s.bill()
	i := must[*document.Invoice](s)(store.Invoices.Get(s.ctx, s.service.Read(), s.office.open))
	policy := must[*dunning.Policy](s)(invoicing.DunningPolicies.Create(s.ctx, s.service.Runner, func(p *dunning.Policy) error {
		*p = dunning.NewPolicy()
		return nil
	}))
	must[*billing.Entity](s)(invoicing.Entities.Update(s.ctx, s.service.Runner, i.EntityID, func(e *billing.Entity) error {
		e.DunningPolicyID = &policy.ID
		return nil
	}))
	page := fmt.Sprintf("/invoices/%d", i.ID)
	v := s.as(billing.Editor)
	// One that begins to count for an invoice that is overdue counts from that day on.
	eventually(t, "the policy to count", func() bool {
		record := must[map[billing.InvoiceID]*dunning.Record](s)(store.DunningOf(s.ctx, s.service.Read(), []billing.InvoiceID{i.ID}))[i.ID]
		return record != nil && record.State.Begun
	})
	at := func(hour int) {
		day := i.DueAt.AddDays(1)
		s.clock.Advance(time.Date(day.Year, day.Month, day.Day, hour, 0, 0, 0, time.UTC).Sub(s.clock.Now()))
		v = s.as(billing.Editor)
		s.service.Invoicing.Wake()
	}
	const note = "It counts as past due from 09:00 on today"
	at(8)
	eventually(t, "the page to say it", func() bool { return strings.Contains(v.get(page).text(), note) })
	at(10)
	eventually(t, "the invoice to be past due", func() bool { return !strings.Contains(v.get(page).text(), note) })
	eventually(t, "a subscription to be past due", func() bool {
		subs := must[[]subscription.Subscription](s)(store.Subscriptions.List(s.ctx, s.service.Read(), store.Page{Limit: store.NoLimit}))
		return slices.ContainsFunc(subs, func(sub subscription.Subscription) bool { return sub.Standing == billing.PastDue })
	})
}

// TestPaymentShowsItsAttempts leads from a payment to the attempts it came of, which began
// by the time of their account, and offers only credit that waits for a refund.
func TestPaymentShowsItsAttempts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		s := openOn(t, db)
		s.fill()
		s.bill()
		v := s.as(billing.Editor)
		invoice, id := s.unanswered(s.accounts[1].ID)
		if db.Engine == "sqlite" { // whose file can be changed
			s.change(fmt.Sprintf(`UPDATE payment_attempt SET started_at = %d WHERE payment_collection_id = %d`, time.Date(2031, 5, 6, 7, 8, 9, 0, time.UTC).UnixMilli(), id))
			v.wants(v.get(fmt.Sprintf("/collections/%d", id)), 200, "Begun 6 May 2031, 07:08:09 UTC")
			v.wants(v.get("/collections"), 200, "6 May 2031, 07:08:09 UTC")
		}
		must[*collect.Collection](s)(s.service.Invoicing.PaymentCollectionSettle(s.ctx, id, true, "pi_42"))
		payment := must[*collect.Collection](s)(store.Collections.Get(s.ctx, s.service.Read(), id)).PaymentID
		page := fmt.Sprintf("/payments/%d", *payment)
		v.wants(v.get(page), 200, "Payment provider Test, which moves no money", fmt.Sprintf("/collections/%d", id), "Attempts", "A person found that it was charged.")
		v.wants(v.get(fmt.Sprintf("/payments/%d", s.office.payment)), 200, "Payment provider none: it was recorded")

		v.wants(v.get(page+"/refund"), 200, "Nothing waits that could be given back. Credit the invoice first")
		other := must[*document.Invoice](s)(store.Invoices.Get(s.ctx, s.service.Read(), s.office.open)) // which credit would pay
		must[*invoicing.Outcome](s)(s.service.Invoicing.PaymentCreate(s.ctx, invoicing.PaymentAttributes{
			AccountID: other.AccountID, Amount: other.Currency.Format(other.AmountDue()), CurrencyID: "EUR", InvoiceIDs: []billing.InvoiceID{other.ID},
		}))
		must[*invoicing.Outcome](s)(s.service.Invoicing.InvoiceCredit(s.ctx, invoice, nil, "Nobody came"))
		if a := v.wants(v.get(page+"/refund"), 200, "Credit note", "EUR 119.00"); strings.Contains(a.body, "EUR 0.00") {
			t.Error("it offers to give back nothing")
		}
	})
}
