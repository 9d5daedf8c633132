package invoicing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/service/servicetest"
	"github.com/tenantry/tenantry/internal/store"
)

// endpoint is told of all business events.
func (o *office) endpoint(types ...webhook.BusinessType) *webhook.EventEndpoint {
	o.T.Helper()
	return servicetest.Must[*webhook.EventEndpoint](o.World)(o.Delivery.EventEndpointCreate(o.Ctx, func(e *webhook.EventEndpoint) error {
		e.URL, e.Types = "https://books.example.com/", types
		return nil
	}))
}

// business are the business events so far: number, type and reason, and their bodies.
func (o *office) business() (words, bodies []string) {
	o.T.Helper()
	events, err := log.ListEvents(o.Ctx, o.Read(), store.Page{Limit: 1000})
	o.OK(err)
	for i := range events {
		if events[i].Subject.Kind != webhook.SubjectAccount {
			continue
		}
		found, err := log.EventBodies(o.Ctx, o.Read(), []billing.EventID{events[i].ID})
		o.OK(err)
		words = append(words, fmt.Sprintf("%d %s %s", events[i].Sequence, events[i].Type, events[i].Reason))
		bodies = append(bodies, found[events[i].ID].Body)
	}
	return words, bodies
}

// TestBusinessEvents tells of a subscription from its beginning to its end, with what
// is invoiced, paid and credited, each in the transaction of its change.
func TestBusinessEvents(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("year", 12, flat("1200", catalog.Annual))
		o.endpoint(webhook.BusinessTypes()...)
		o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		sub := o.Subscribe("year", "acme")
		o.run()
		o.pay("acme", "1000.00")
		o.pay("acme", "200.00")
		o.at("2026-04-01")
		_, err := o.Subscriptions.SubscriptionCancel(o.Ctx, servicetest.IDs(sub), subscription.Cancellation{})
		o.OK(err)
		o.run()
		words, bodies := o.business()
		o.Equal("what was told", words, []string{
			"1 SubscriptionChanged subscription.created", "2 InvoiceIssued invoice.issued", "3 InvoicePaid invoice.paid",
			"4 SubscriptionChanged state.changed", "5 CreditNoteIssued credit_note.issued",
		})
		for i, want := range []string{
			`"product":{"id":"1","code":"crm"},"plan":{"id":"1","code":"basic"}`,
			`"number":"INV-2026-000001","kind":"SUBSCRIPTION","entityId":"1","subscriptionId":null,"currencyId":"EUR","subtotal":"1200.00","taxAmount":"0.00","amount":"1200.00","credits":"0.00","amountPaid":"0.00","amountDue":"1200.00","issuedAt":"2026-01-15"`,
			`"amountPaid":"1200.00","amountDue":"0.00"`, `"change":{"kind":"state.changed","from":"ACTIVE","to":"CANCELED"}`, `"number":"CN-2026-000001"`,
		} {
			if i < len(bodies) && (!strings.Contains(bodies[i], want) || !strings.Contains(bodies[i], `"code":"acme","name":"acme"`)) {
				t.Errorf("event %d says %s\nwant %s", i+1, bodies[i], want)
			}
		}
	})
}

// TestBusinessEventsOfTypes tells an endpoint only of what it wants, and nothing of
// accounts on test clocks.
func TestBusinessEventsOfTypes(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("month", 1, flat("10", catalog.Monthly))
		o.endpoint(webhook.InvoiceIssued, webhook.SubscriptionChanged)
		o.AccountOn("tested", &o.NewClock("2026-01-15 12:00").ID)
		o.Subscribe("month", "tested")
		o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.Subscribe("month", "acme")
		o.run()
		o.pay("acme", "10.00")
		words, _ := o.business()
		o.Equal("what was told", words, []string{"1 SubscriptionChanged subscription.created", "2 InvoiceIssued invoice.issued"})
	})
}

// TestBusinessEventsOfTestClocks tells an endpoint that asks for them of accounts on
// test clocks too, and says that these are tests.
func TestBusinessEventsOfTestClocks(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("month", 1, flat("10", catalog.Monthly))
		e := o.endpoint(webhook.SubscriptionChanged)
		o.OK(second(o.Delivery.EventEndpointUpdate(o.Ctx, e.ID, func(e *webhook.EventEndpoint) error { e.TestClocks = true; return nil })))
		o.AccountOn("tested", &o.NewClock("2026-01-15 12:00").ID)
		o.Subscribe("month", "tested")
		o.customer("acme", func(a *billing.Account) { a.TaxExempt = true })
		o.Subscribe("month", "acme")
		_, bodies := o.business()
		var tests []bool
		for _, body := range bodies {
			tests = append(tests, strings.Contains(body, `"test":true`))
		}
		o.Equal("which are tests", tests, []bool{true, false})
	})
}

// TestBusinessEventsCostNothing counts statements: an endpoint that nothing is recorded
// for costs none, and one that is told of something a few, however much is billed.
func TestBusinessEventsCostNothing(t *testing.T) {
	eachOffice(t, func(o *office) {
		o.list("month", 1, flat("10", catalog.Monthly))
		exempt := func(a *billing.Account) { a.TaxExempt = true }
		o.customer("acme", exempt)
		o.Subscribe("month", "acme")
		o.run()
		paying := func() int64 {
			before := o.Store.Statements()
			o.pay("acme", "0.10")
			return o.Store.Statements() - before
		}
		paying()
		without := paying()
		e := o.endpoint(webhook.BusinessTypes()...)
		o.OK(second(o.Delivery.EventEndpointUpdate(o.Ctx, e.ID, func(e *webhook.EventEndpoint) error { e.Enabled = false; return nil })))
		o.Equal("statements with an endpoint that is off", paying(), without)
		o.OK(second(o.Delivery.EventEndpointUpdate(o.Ctx, e.ID, func(e *webhook.EventEndpoint) error { e.Enabled = true; return nil })))
		o.Equal("statements with nothing to tell", paying(), without)
		before := o.Store.Statements()
		o.pay("acme", "9.60") // with which it is paid
		if n := o.Store.Statements() - before; n > without+7 {
			t.Errorf("%d statements for a payment that is told of, %d for one that is not", n, without)
		}
		words, _ := o.business()
		o.Equal("what was told", words, []string{"1 InvoicePaid invoice.paid"})
	})
}

// TestStandingIsToldAfterWhatCausedIt tells of a payment first, and then of the standing
// that follows, with its reason.
func TestStandingIsToldAfterWhatCausedIt(t *testing.T) {
	for name, c := range map[string]struct {
		settle func(o *office, i *document.Invoice)
		words  []string
		reason string
	}{
		"paid": {func(o *office, _ *document.Invoice) { o.pay("acme", "119.00") }, []string{"InvoicePaid", "StandingChanged"}, "is paid"},
		"credited": {func(o *office, i *document.Invoice) {
			o.OK(second(o.Invoicing.InvoiceCredit(o.Ctx, i.ID, nil, "Mistake")))
		}, []string{"CreditNoteIssued", "InvoicePaid", "StandingChanged"}, "was credited"},
		"written off": {func(o *office, i *document.Invoice) {
			o.OK(second(o.Invoicing.InvoiceWriteOff(o.Ctx, i.ID, "Gone", false, true)))
		}, []string{"CreditNoteIssued", "StandingChanged"}, "was written off"},
	} {
		t.Run(name, func(t *testing.T) {
			eachOffice(t, func(o *office) {
				o.dunned(o.policy("strict", "2 SUSPEND"))
				o.endpoint(webhook.CreditNoteIssued, webhook.InvoicePaid, webhook.InvoiceOverdue, webhook.StandingChanged)
				_, i := o.overdue("acme")
				o.days(i.DueAt.AddDays(2).String())
				_, bodies := o.business()
				o.Equal("overdue first, then the standing", []bool{
					strings.Contains(bodies[0], `"InvoiceOverdue"`), strings.Contains(bodies[1], `"to":"PAST_DUE","reason":"past due: invoice `+i.Number),
					strings.Contains(bodies[2], `"to":"SUSPENDED","reason":"suspended: invoice `+i.Number),
				}, []bool{true, true, true})
				before := len(bodies)
				c.settle(o, i)
				words, bodies := o.business()
				for n := range c.words {
					if n+before >= len(words) || !strings.Contains(words[n+before], c.words[n]) {
						t.Fatalf("told %q, want %q last", words, c.words)
					}
				}
				last := bodies[len(bodies)-1]
				if want := `"to":"GOOD","reason":"good: invoice ` + i.Number + " " + c.reason + `","invoice":{"id":"`; !strings.Contains(last, want) {
					t.Errorf("%s\nwant %s", last, want)
				}
			})
		})
	}
}

func second[T any](_ T, err error) error { return err }
