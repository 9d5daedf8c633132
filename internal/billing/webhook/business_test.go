package webhook

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/billingtest"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

var euro = money.Currency{Code: "EUR", Digits: 2}

func exampleInvoice() *document.Invoice {
	return &document.Invoice{
		ID: 17, Number: "INV-2026-000017", Kind: document.SubscriptionInvoice, EntityID: 1, AccountID: 5, Currency: euro,
		IssuedAt: *date("2026-03-01"), DueAt: *date("2026-03-15"), PeriodStart: *date("2026-03-01"), PeriodEnd: *date("2026-03-31"),
		Subtotal: 10000, TaxAmount: 1900, Amount: 11900, PONumber: "PO 4711",
	}
}

func exampleFacts() SubscriptionFacts {
	s := SubscriptionFacts{PlanID: 4, ProductCode: "suite", PriceListCode: "monthly", PlanCode: new("pro"), TenantCode: new("acme")}
	s.Subscription = subscription.Subscription{
		ID: 12, AccountID: 5, ProductID: 1, PriceListID: 9, TenantID: new(billing.TenantID(31)), State: subscription.StateActive,
		StartDate: *date("2026-03-01"), EndDate: *date("2026-03-31"), Evergreen: true,
	}
	return s
}

// businessEvents are the cases of the golden files.
func businessEvents() map[string]BusinessEvent {
	paid, zero := exampleInvoice(), exampleInvoice()
	paid.AmountPaid, paid.Credits, paid.SubscriptionID = 11000, 900, new(billing.SubscriptionID(12))
	zero.Currency, zero.Subtotal, zero.TaxAmount, zero.Amount, zero.PONumber = money.Currency{Code: "JPY"}, 5000, 500, 5500, ""
	alone := exampleFacts()
	alone.TenantID, alone.TenantCode, alone.PlanCode, alone.CancellationDate = nil, nil, nil, date("2026-04-01")
	alone.Code, alone.TrialStartDate, alone.TrialEndDate = new("SUB-1"), date("2026-02-15"), date("2026-02-28")
	note := &document.CreditNote{
		ID: 3, Number: "CN-2026-000003", Kind: document.ManualCredit, Reason: "\"Wrong\" <price>", EntityID: 1, AccountID: 5, Currency: euro, IssuedAt: *date("2026-03-05"),
		Subtotal: 1000, TaxAmount: 190, Amount: 1190, AmountApplied: 190,
		Items: []document.CreditItem{{InvoiceID: 17, InvoiceNumber: "INV-2026-000017"}, {InvoiceID: 17, InvoiceNumber: "INV-2026-000017"}, {InvoiceID: 18, InvoiceNumber: "INV-2026-000018"}},
	}
	return map[string]BusinessEvent{
		"invoice-issued":         InvoiceEvent(InvoiceIssued, exampleInvoice()),
		"invoice-issued-in-yen":  InvoiceEvent(InvoiceIssued, zero),
		"invoice-paid":           InvoiceEvent(InvoicePaid, paid),
		"invoice-overdue":        OverdueEvent(exampleInvoice(), 21),
		"credit-note-issued":     CreditNoteEvent(note),
		"subscription-created":   SubscriptionEvent(exampleFacts(), subscription.Change{Kind: subscription.KindCreated, To: subscription.StateActive}),
		"subscription-scheduled": SubscriptionEvent(alone, subscription.Change{Kind: subscription.KindCancelScheduled, From: subscription.StateActive, To: subscription.StateActive}),
		"payment-failed": PaymentFailedEvent(PaymentFailure{
			AccountID: 5, CollectionID: 7, Currency: euro, Amount: 11900, Attempt: 2, Code: "card_declined", Message: "Your card was declined.",
			Invoices: []*document.Invoice{exampleInvoice()}, NextAttemptOn: date("2026-03-18"),
		}),
		"payment-failed-for-good": PaymentFailedEvent(PaymentFailure{AccountID: 5, CollectionID: 7, Currency: euro, Amount: 11900, Attempt: 1, Code: "stolen_card", Hard: true}),
		"standing-suspended": StandingEvent(StandingChange{
			Subscription: exampleFacts(), From: "PAST_DUE", To: "SUSPENDED", Why: "invoice INV-2026-000017 is 21 days overdue", Invoice: exampleInvoice(),
		}),
		"standing-good": StandingEvent(StandingChange{Subscription: exampleFacts(), From: "SUSPENDED", To: "GOOD", Why: "good: invoice INV-2026-000017 is paid", Invoice: exampleInvoice()}),
	}
}

// The golden files are written anew with
//
//	TENANTRY_UPDATE=1 go test -run TestBusinessBodies ./internal/billing/webhook
func TestBusinessBodies(t *testing.T) {
	cases, types := businessEvents(), map[BusinessType]bool{}
	for name, event := range cases {
		types[event.Type] = true
		head := BusinessHead{
			ID: 812, Sequence: 4, At: time.Date(2026, 3, 1, 9, 0, 0, 250e6, time.FixedZone("", 3600)), Type: event.Type,
			Account: billing.Account{ID: 5, Code: new("acme"), Name: "Müller & <Söhne>"},
		}
		if event.AccountID != 5 || event.Reason == "" {
			t.Errorf("%s is of account %d for the reason %q", name, event.AccountID, event.Reason)
		}
		path, body := filepath.Join("testdata", "business", name+".json"), head.Body(event.Data())
		if os.Getenv("TENANTRY_UPDATE") == "1" {
			if err := os.WriteFile(path, body, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(body, want) || !json.Valid(body) {
			t.Errorf("%s: body is\n%s\nwant\n%s", name, body, want)
		}
	}
	if len(types) != len(BusinessTypes()) {
		t.Errorf("of %d types, %d have an example", len(BusinessTypes()), len(types))
	}
	files, err := filepath.Glob(filepath.Join("testdata", "business", "*"))
	if err != nil || len(files) != len(cases) {
		t.Errorf("there are %d files for %d cases: %v", len(files), len(cases), err)
	}
}

// An account need not have a code.
func TestBusinessBodyWithoutCode(t *testing.T) {
	head := BusinessHead{ID: 1, Sequence: 1, At: time.UnixMilli(0), Type: InvoicePaid, Account: billing.Account{ID: 5, Name: "A"}}
	const want = `{"type":"InvoicePaid","id":"1","sequence":1,"timestamp":"1970-01-01T00:00:00.000Z","account":{"id":"5","code":null,"name":"A"},"data":{}}`
	if have := string(head.Body([]byte("{}"))); have != want {
		t.Errorf("the body is %s, want %s", have, want)
	}
}

func TestEventEndpoint(t *testing.T) {
	e := EventEndpoint{URL: "https://Hooks.example.com:8443/t", Types: []BusinessType{InvoicePaid, InvoiceIssued, InvoicePaid}, Enabled: true}
	e.Normalize()
	if e.Name != "Hooks.example.com:8443" || e.Code != "hooks.example.com:8443" || !slices.Equal(e.Types, []BusinessType{InvoiceIssued, InvoicePaid}) {
		t.Errorf("an endpoint is named by its host, and its types are in order: %+v", e)
	}
	if p := e.Check(); p != nil {
		t.Errorf("an endpoint is refused: %v", p)
	}
	if !e.Wants(InvoicePaid) || e.Wants(InvoiceOverdue) {
		t.Error("it wants what it does not have, or not what it has")
	}
	if e.Enabled = false; e.Wants(InvoicePaid) {
		t.Error("one that is off wants something")
	}
	for _, c := range []struct {
		change func(*EventEndpoint)
		code   billing.Code
		field  string
		says   string
	}{
		{func(e *EventEndpoint) { e.URL = "" }, billing.Required, "url", "give url"},
		{func(e *EventEndpoint) { e.URL = "ftp://example.com" }, billing.Invalid, "url", "https://"},
		{func(e *EventEndpoint) { e.Types = nil }, billing.Required, "types", "InvoiceIssued, CreditNoteIssued"},
		{func(e *EventEndpoint) { e.Types = []BusinessType{"Invoice"} }, billing.Invalid, "types", `no business event "Invoice"`},
	} {
		wrong := e
		c.change(&wrong)
		billingtest.Refused(t, &wrong, c.code, c.field, c.says)
	}
}

// What happened to an account is not taken back by something older, and nothing
// gives way to something newer.
func TestFactsInAStream(t *testing.T) {
	s := Stream{Subject: OfAccount(5), LastSequence: 3, LastPosition: 4, NewestPosition: 3, DonePosition: 3, DeliveredSequence: 3, HighestSequence: 3}
	if s.GoesBack(1) {
		t.Error("an older event goes back in time")
	}
	s.Delivered(1, streamNow)
	if !s.InSync() || s.DeliveredSequence != 3 {
		t.Errorf("a resent event took the stream back to %d", s.DeliveredSequence)
	}
	if tenant := (Stream{Subject: OfTenant(5), HighestSequence: 3}); !tenant.GoesBack(1) {
		t.Error("an older state does not go back in time")
	}
	if w := EventWorkflow(7); w.Order != Strict || w.PlatformID != 7 || w.Check() != nil || !slices.Equal(w.RetryDelays, DefaultRetryDelays()) {
		t.Errorf("the workflow of an endpoint is %+v: %v", w, w.Check())
	}
	if OfAccount(5).Tenant() != 0 || OfTenant(5).Account() != 0 || OfAccount(5).Account() != 5 {
		t.Error("a subject is taken for another kind")
	}
}
