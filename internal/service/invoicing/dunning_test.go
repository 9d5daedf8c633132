package invoicing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/service/subscriptions"
	"github.com/tenantry/tenantry/internal/store"
)

// policy makes a dunning policy with steps, written as "5 RESTRICT".
func (o *office) policy(code string, steps ...string) *dunning.Policy {
	o.T.Helper()
	return servicetest.Must[*dunning.Policy](o.World)(invoicing.DunningPolicies.Create(o.Ctx, o.Invoicing.Runner, func(p *dunning.Policy) error {
		p.Code, p.Name, p.Steps = code, code, nil
		for _, text := range steps {
			var s dunning.Step
			if _, err := fmt.Sscanf(text, "%d %s", &s.Day, &s.Action); err != nil {
				return err
			}
			if s.Action == dunning.Remind {
				s.Template = dunning.TemplateReminder
			}
			p.Steps = append(p.Steps, s)
		}
		return nil
	}))
}

// dunned has the entity dun by a policy.
func (o *office) dunned(p *dunning.Policy) {
	o.T.Helper()
	_, err := invoicing.Entities.Update(o.Ctx, o.Invoicing.Runner, o.entity.ID, func(e *billing.Entity) error {
		e.DunningPolicyID = &p.ID
		return nil
	})
	o.OK(err)
	o.run()
}

// dunnedFree has the entity dun by a policy that does not bill suspended days.
func (o *office) dunnedFree(steps ...string) {
	o.T.Helper()
	policy := o.policy("lenient", steps...)
	_, err := invoicing.DunningPolicies.Update(o.Ctx, o.Invoicing.Runner, policy.ID, func(p *dunning.Policy) error {
		p.BillWhileSuspended = false
		return nil
	})
	o.OK(err)
	o.dunned(policy)
}

// overdue subscribes a customer on 1 January to a fee of 100.00, whose first invoice is
// due on 15 January.
func (o *office) overdue(name string) (*subscription.Subscription, *document.Invoice) {
	o.T.Helper()
	if o.Lists["fee"] == nil {
		o.list("fee", 1, flat("100", catalog.Monthly))
	}
	o.customer(name)
	sub := o.Subscribe("fee", name)
	o.run()
	return sub, o.lastInvoice()
}

func (o *office) lastInvoice() *document.Invoice {
	o.T.Helper()
	all, err := store.Invoices.List(o.Ctx, o.Read(), store.Page{Limit: 1000})
	o.OK(err)
	return &all[len(all)-1]
}

// stands compares the standing of a subscription, what its tenant has, and the steps
// that were carried out for an invoice.
func (o *office) stands(what string, sub *subscription.Subscription, i *document.Invoice, standing billing.Standing, features, steps string) {
	o.T.Helper()
	o.Equal(what+": standing", o.Now(sub).Standing, standing)
	if features != "" {
		o.Equal(what+": features", strings.Contains(o.Features(*sub.TenantID), "users") || o.Features(*sub.TenantID) != "", features == "all")
	}
	done, err := store.DunningSteps(o.Ctx, o.Read(), []billing.InvoiceID{i.ID})
	o.OK(err)
	var texts []string
	for _, s := range done {
		texts = append(texts, fmt.Sprintf("%s %d %s", s.On, s.Day, s.Action))
	}
	o.Equal(what+": steps", strings.Join(texts, ", "), steps)
	o.InSync(*sub.TenantID)
	o.judgeAnew()
}

// judgeAnew recomputes the standings of all subscriptions from scratch.
func (o *office) judgeAnew() {
	o.T.Helper()
	today := func(*billing.TestClockID) billing.Date {
		return billing.DateOf(o.Clock.Now(), servicetest.Moment("2026-01-01 00:00").Location())
	}
	want := servicetest.Standings(o.T, o.Ctx, o.Read(), today)
	subs, err := store.Subscriptions.List(o.Ctx, o.Read(), store.Page{Limit: 1000})
	o.OK(err)
	for n := range subs {
		o.Equal(fmt.Sprintf("standing of subscription %d from scratch", subs[n].ID), subs[n].Standing, want[subs[n].ID])
	}
}

func (o *office) pays(i *document.Invoice, amount string) *invoicing.Outcome {
	o.T.Helper()
	return servicetest.Must[*invoicing.Outcome](o.World)(o.Invoicing.PaymentCreate(o.Ctx, invoicing.PaymentAttributes{
		AccountID: i.AccountID, Amount: amount, CurrencyID: "EUR", InvoiceIDs: []billing.InvoiceID{i.ID},
	}))
}

// TestUnpaidInvoicesDecideWhatTheTenantHas takes a customer from an unpaid invoice over
// restriction and suspension to the payment, which gives everything back in its own
// transaction.
func TestUnpaidInvoicesDecideWhatTheTenantHas(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "3 REMIND", "5 RESTRICT", "9 SUSPEND", "20 CANCEL", "20 WRITE_OFF"))
		sub, i := o.overdue("acme")
		other, _ := o.overdue("other")
		tenant := *sub.TenantID
		o.days("2026-01-29")
		o.stands("on the due date", sub, i, billing.Good, "all", "")
		o.days("2026-01-30")
		o.stands("a day later", sub, i, billing.PastDue, "all", "")
		o.WasTold(tenant, "subscription.created")
		o.days("2026-02-03")
		o.stands("restricted", sub, i, billing.Restricted, "all", "2026-02-01 3 REMIND, 2026-02-03 5 RESTRICT")
		o.days("2026-02-07")
		steps := "2026-02-01 3 REMIND, 2026-02-03 5 RESTRICT, 2026-02-07 9 SUSPEND"
		o.stands("suspended", sub, i, billing.Suspended, "none", steps)
		events := o.Events(tenant)
		last := events[len(events)-1]
		if last.Reason != subscription.KindStandingSuspended || !strings.Contains(last.Body, `"state":"suspended"`) || !strings.Contains(last.Body, `"features":[]`) {
			t.Errorf("the webhook is %s: %s", last.Reason, last.Body)
		}
		access, err := o.Subscriptions.FeatureAccess(o.Ctx, "acme", nil, "users")
		o.OK(err)
		o.Equal("why", access.Reason, "suspended: invoice "+i.Number+" is 9 days overdue")
		o.pays(i, "50.00")
		o.stands("partly paid", sub, i, billing.Suspended, "none", steps)
		o.pays(i, "69.00")
		o.stands("paid", sub, i, billing.Good, "all", steps)
		events = o.Events(tenant)
		if last := events[len(events)-1]; last.Reason != subscription.KindStandingRestored || !strings.Contains(last.Body, `"state":"active"`) {
			t.Errorf("the webhook is %s: %s", last.Reason, last.Body)
		}
		o.Equal("the other customer", o.Now(other).Standing, billing.Suspended)
		o.days("2026-02-18")
		o.Equal("the other customer's subscription", o.Now(other).State, subscription.StateCanceled)
		o.Equal("its unpaid invoice", o.QueryText(`SELECT stage FROM invoice WHERE id = 2`), "UNPAID")
		o.Equal("kept standing", o.Now(other).Standing, billing.Suspended)
	})
}

// TestStepsWaitForAHold holds the steps of an invoice; what was missed happens once.
func TestStepsWaitForAHold(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "1 REMIND", "3 REMIND", "5 RESTRICT", "9 SUSPEND"))
		sub, i := o.overdue("acme")
		hold := func(until, reason string) error {
			_, err := o.Invoicing.InvoiceDunningHold(o.Ctx, i.ID, servicetest.On(until), reason)
			return err
		}
		o.days("2026-01-30")
		o.Refused("a day that has passed", hold("2026-01-30", "Asked"), "INVALID until")
		o.Refused("too long", hold("2027-02-01", "Asked"), "INVALID until")
		o.Refused("no reason", hold("2026-02-10", ""), "REQUIRED reason")
		o.OK(hold("2026-02-10", "A question is open"))
		o.days("2026-02-09")
		o.stands("held", sub, i, billing.PastDue, "all", "2026-01-30 1 REMIND")
		o.days("2026-02-10")
		o.stands("afterwards", sub, i, billing.Suspended, "none", "2026-01-30 1 REMIND, 2026-02-10 3 REMIND, 2026-02-10 5 RESTRICT, 2026-02-10 9 SUSPEND")
		_, err := o.Invoicing.InvoiceWriteOff(o.Ctx, i.ID, "Goodwill", false, false)
		o.OK(err)
		o.Equal("written off without giving back", o.Now(sub).Standing, billing.Suspended)
		o.judgeAnew()
	})
}

// TestWrittenOffAndTakenBack gives back what was taken with a write-off, and begins
// again when a payment is taken back.
func TestWrittenOffAndTakenBack(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "5 SUSPEND"))
		sub, i := o.overdue("acme")
		lost, written := o.overdue("lost")
		o.days("2026-02-03")
		o.Equal("suspended", o.Now(lost).Standing, billing.Suspended)
		_, err := o.Invoicing.InvoiceWriteOff(o.Ctx, written.ID, "Goodwill", false, true)
		o.OK(err)
		o.stands("written off", lost, written, billing.Good, "all", "2026-02-03 5 SUSPEND")
		paid := o.pays(i, "119.00")
		o.days("2026-02-05")
		_, err = o.Invoicing.PaymentUnapplyFromInvoices(o.Ctx, paid.PaymentID, []billing.InvoiceID{i.ID})
		o.OK(err)
		o.stands("a payment taken back", sub, i, billing.Good, "all", "2026-02-03 5 SUSPEND")
		o.days("2026-02-09")
		o.stands("never straight to suspension", sub, i, billing.PastDue, "all", "2026-02-03 5 SUSPEND")
		o.days("2026-02-10")
		o.stands("but by and by", sub, i, billing.Suspended, "none", "2026-02-03 5 SUSPEND, 2026-02-10 5 SUSPEND")
	})
}

// TestForfeitedAndTakenBack takes back a payment for part of an invoice whose rest the
// policy wrote off: the part is claimed again from day 0, and what was taken away is not
// given back by that.
func TestForfeitedAndTakenBack(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "1 REMIND", "5 SUSPEND", "9 WRITE_OFF"))
		sub, i := o.overdue("acme")
		paid := o.pays(i, "19.00")
		o.days("2026-02-07")
		steps := "2026-01-30 1 REMIND, 2026-02-03 5 SUSPEND, 2026-02-07 9 WRITE_OFF"
		o.stands("written off", sub, i, billing.Suspended, "none", steps)
		o.days("2026-02-10")
		_, err := o.Invoicing.PaymentUnapplyFromInvoices(o.Ctx, paid.PaymentID, []billing.InvoiceID{i.ID})
		o.OK(err)
		o.Equal("the part is open", o.invoiceState(i), "OPEN 0")
		o.stands("taken back", sub, i, billing.Suspended, "none", steps)
		o.days("2026-02-19")
		steps += ", 2026-02-11 1 REMIND, 2026-02-19 9 WRITE_OFF"
		o.stands("from day 0 again", sub, i, billing.Suspended, "none", steps)
		o.Equal("the part is given up", o.invoiceState(i), "UNPAID 0")
	})
}

// TestAnotherPolicy changes what counts for an invoice that is overdue already.
func TestAnotherPolicy(t *testing.T) {
	eachOffice(t, func(o *office) {
		sub, i := o.overdue("acme")
		o.days("2026-02-20")
		o.stands("without a policy", sub, i, billing.Good, "all", "")
		policy := o.policy("strict", "5 SUSPEND")
		o.dunned(policy)
		o.stands("from today on", sub, i, billing.Good, "all", "")
		o.days("2026-02-25")
		o.stands("five days later", sub, i, billing.Suspended, "none", "2026-02-25 5 SUSPEND")
		exempt := func(yes bool) {
			_, err := o.Customers.AccountUpdate(o.Ctx, sub.AccountID, func(a *billing.Account) error { a.DunningExempt = yes; return nil }, nil)
			o.OK(err)
			o.run()
		}
		exempt(true)
		o.stands("exempt", sub, i, billing.Good, "all", "2026-02-25 5 SUSPEND")
		exempt(false)
		o.stands("not exempt", sub, i, billing.Suspended, "none", "2026-02-25 5 SUSPEND")
		_, err := invoicing.DunningPolicies.Update(o.Ctx, o.Invoicing.Runner, policy.ID, func(p *dunning.Policy) error {
			p.Tolerance = "500"
			return nil
		})
		o.OK(err)
		o.run()
		o.stands("tolerated", sub, i, billing.Good, "all", "2026-02-25 5 SUSPEND")
		o.Refused("a policy in use", servicetest.ErrorOf(invoicing.DunningPolicies.Delete(o.Ctx, o.Invoicing.Runner, policy.ID)), "IN_USE id")
	})
}

// TestSuspendedDaysAreNotBilled has a policy that does not bill suspended days: a fee of
// 31.00 for the 31 days from 15 January on, suspended from 3 February on.
func TestSuspendedDaysAreNotBilled(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunnedFree("5 SUSPEND", "30 CANCEL")
		o.list("fee", 1, flat("31", catalog.Monthly))
		soon, first := o.overdue("soon")
		late, second := o.overdue("late")
		never, third := o.overdue("never")
		ended, _ := o.overdue("ended")
		o.OK(servicetest.ErrorOf(o.Subscriptions.SubscriptionUpdate(o.Ctx, ended.ID, subscription.Update{Evergreen: new(false)})))
		o.news()
		o.days("2026-02-12")
		for _, sub := range []*subscription.Subscription{soon, late, never, ended} {
			o.Equal("suspended", o.Now(sub).Standing, billing.Suspended)
			o.Equal("paused", fmt.Sprint(o.Now(sub).Pauses), "[{2026-02-03 0000-00-00}]")
		}
		o.expect("nothing new", "")
		o.days("2026-02-13")
		o.pays(first, "36.89")
		o.expect("a credit waits for an invoice", "")
		o.stands("paid", soon, first, billing.Good, "all", "2026-02-03 5 SUSPEND")
		o.days("2026-02-15")
		o.expect("ten days and the next month, twelve days to the end of a term", "CN-2026-000001 2026-02-15: INV-2026-000001/1 10.00 = 10.00+1.90; "+
			"CN-2026-000002 2026-02-15: INV-2026-000004/1 12.00 = 12.00+2.28; INV-2026-000005 2026-02-15: Fee of fee ×1 2026-02-15–2026-03-14 31.00 = 31.00+5.89, due 24.99")
		o.days("2026-02-25")
		o.expect("nothing for who is suspended", "")
		o.pays(second, "36.89")
		o.expect("twelve days, and what is left of the month", "CN-2026-000003 2026-02-25: INV-2026-000002/1 12.00 = 12.00+2.28; "+
			"INV-2026-000006 2026-02-25: Fee of fee ×1 2026-02-25–2026-03-14 19.93 = 19.93+3.79, due 9.44")
		o.days("2026-03-05")
		o.Equal("never paid", o.Now(never).State, subscription.StateCanceled)
		o.expect("twelve days, and nothing else", "CN-2026-000004 2026-02-28: INV-2026-000003/1 12.00 = 12.00+2.28")
		o.pays(third, "22.61")
		o.Equal("paid after all", o.Now(never).Standing, billing.Good)
		o.expect("and nothing follows from that", "")
		o.verify()
	})
}

// TestRestoredByTheRunThatBills lets a credit of one subscription settle the invoice that
// another is suspended for, in the transaction that bills both: the suspended days are
// credited afterwards.
func TestRestoredByTheRunThatBills(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunnedFree("5 SUSPEND")
		o.list("fee", 1, flat("31", catalog.Monthly))
		o.list("year", 12, flat("1200", catalog.Annual))
		o.customer("acme", func(a *billing.Account) {
			a.TaxExempt, a.BillingDay, a.Collection = true, 15, billing.CollectOnBillingDay
		})
		year := o.Subscribe("year", "acme")
		o.run()
		o.pays(o.lastInvoice(), "1200.00")
		sub := o.Subscribe("fee", "acme", servicetest.InTenant("other"))
		o.run()
		unpaid := o.lastInvoice()
		o.days("2026-02-05")
		o.Equal("suspended", o.Now(sub).Standing, billing.Suspended)
		_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(year), subscription.Cancellation{})
		o.OK(err)
		o.days("2026-02-14")
		o.Equal("still suspended", o.Now(sub).Standing, billing.Suspended)
		o.days("2026-02-15") // the credit of the year settles the invoice
		o.Equal("restored", o.Now(sub).Standing, billing.Good)
		o.Equal("paid", o.invoiceState(unpaid)[:4], "PAID")
		o.days("2026-03-15")
		o.Equal("credited", o.QueryText(fmt.Sprintf(`SELECT COALESCE(SUM(credited), 0) FROM invoice_item WHERE subscription_id = %d`, sub.ID)), "1200")
		o.verify()
	})
}

// TestImportedInvoicesAreDunned imports an invoice of another system that is long overdue:
// its customer is reminded from then on, and one that is settled there is left alone.
func TestImportedInvoicesAreDunned(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "1 REMIND", "3 REMIND", "5 SUSPEND"))
		o.customer("acme")
		imports := func(paid string) {
			_, err := o.Invoicing.ImportInvoices(o.Ctx, []invoicing.InvoiceImport{{AccountCode: "acme", History: document.History{
				Number: "OLD-1", CurrencyID: "EUR", IssuedAt: servicetest.On("2025-11-01"), DueAt: servicetest.On("2025-11-15"), Amount: new("119.00"), AmountPaid: &paid,
			}}})
			o.OK(err)
			o.run()
		}
		steps := func() string {
			done, err := store.DunningSteps(o.Ctx, o.Read(), []billing.InvoiceID{o.lastInvoice().ID})
			o.OK(err)
			var texts []string
			for _, s := range done {
				texts = append(texts, fmt.Sprintf("%s %d %s", s.On, s.Day, s.Action))
			}
			return strings.Join(texts, ", ")
		}
		imports("19.00")
		o.Equal("not on the day of the import", steps(), "")
		o.days("2026-01-16")
		o.Equal("a day later", steps(), "2026-01-16 1 REMIND")
		imports("119.00")
		o.days("2026-02-01")
		o.Equal("paid there", steps(), "2026-01-16 1 REMIND")
	})
}

// TestStepsOnATestClock carries out steps as a clock is advanced, in one leap.
func TestStepsOnATestClock(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.dunned(o.policy("strict", "3 REMIND", "5 RESTRICT", "9 SUSPEND", "20 CANCEL"))
		o.list("fee", 1, flat("100", catalog.Monthly))
		clock := o.NewClock("2026-01-15 00:00")
		country := "DE"
		account := servicetest.Must[*billing.Account](o.World)(o.Customers.AccountCreate(o.Ctx, func(a *billing.Account) error {
			a.Name, a.BillingCountry, a.BillingDay, a.TestClockID = "On a clock", &country, 1, &clock.ID
			return nil
		}, nil))
		code := "fee"
		n := subscriptions.NewSubscription{AccountID: &account.ID, PriceList: subscriptions.PriceListRef{Code: &code}, Tenant: &subscriptions.TenantRef{Code: "clocked"}}
		n.Draft.Evergreen = true
		sub := o.Sub(o.Subscriptions.SubscriptionCreate(o.Ctx, n))
		advance := func(to string) {
			_, _, err := o.Subscriptions.TestClockAdvance(o.Ctx, clock.ID, servicetest.Moment(to))
			o.OK(err)
		}
		o.at("2026-08-01") // somebody changes a policy, at a time long after what the clock shows
		o.policy("another", "9 SUSPEND")
		o.run()
		advance("2026-02-07 08:59")
		o.Equal("before the time of day", o.Now(sub).Standing, billing.Restricted)
		advance("2026-02-07 09:00")
		o.Equal("at the time of day", o.Now(sub).Standing, billing.Suspended)
		advance("2026-03-01 00:00")
		o.Equal("in the end", o.Now(sub).State, subscription.StateCanceled)
		o.WasTold(*sub.TenantID, "subscription.created", "standing.restricted", "standing.suspended", "subscription.renewed", "state.changed")
	})
}

// TestDunningCostsNothingWithoutAPolicy issues an invoice and pays it without a word to
// the tables of dunning.
func TestDunningCostsNothingWithoutAPolicy(t *testing.T) {
	eachOffice(t, func(o *office) {
		_, i := o.overdue("acme")
		o.pays(i, "119.00")
		o.Equal("records", o.QueryText(`SELECT count(*) FROM dunning`), "0")
	})
}
