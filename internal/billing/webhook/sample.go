package webhook

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// Made-up payloads: for trying a receiver out, and for checking what turns
// payloads into others before a real one depends on it.

// TestTenantCode is the code of the tenant in a test event.
const TestTenantCode = "provisioning-test"

// TestState is the state that a test event tells of: a tenant that does not
// exist, on the given platform, with a subscription that has all there is.
func TestState(platform Platform) *ProvisioningState {
	s := sampleState(TestTenantCode, sampleSubscription(subscription.StateActive))
	s.Tenant.Name, s.Platform = "Provisioning test", platform
	s.Tenant.ID, s.Account.ID, s.Subscriptions[0].ID = 0, 0, 0 // so that no real one is meant
	return s
}

// SampleStates are states of tenants in which every state of a subscription
// and every field that can be null or empty appears. The code of each tenant
// says what it is a sample of.
func SampleStates() []*ProvisioningState {
	var all []*ProvisioningState
	for _, state := range []subscription.State{subscription.StatePending, subscription.StateTrial, subscription.StateActive, subscription.StateCanceled, subscription.StateExpired, subscription.StateTrialExpired} {
		all = append(all, sampleState("sample-"+state.Wire(), sampleSubscription(state)))
	}
	withTrial := sampleSubscription(subscription.StateActive)
	withTrial.TrialStartDate, withTrial.TrialEndDate = sampleDay(2025, 12, 18), sampleDay(2025, 12, 31)
	inTrial := withTrial
	inTrial.State, inTrial.Features = subscription.StateCanceled, nil
	noCode, bare := sampleSubscription(subscription.StateActive), sampleSubscription(subscription.StateActive)
	noCode.Plan.Code, bare.Features = nil, nil
	second, third := sampleSubscription(subscription.StateTrial), sampleSubscription(subscription.StateExpired)
	second.ID, second.ProductID, second.Product = 13, 2, catalog.Product{Code: "analytics", Name: "Analytics"}
	third.ID, third.ProductID, third.Product = 14, 3, catalog.Product{Code: "backup", Name: "Backup"}

	noContacts, emptyContacts := sampleState("sample-no-contacts", sampleSubscription(subscription.StateActive)), sampleState("sample-empty-contacts", sampleSubscription(subscription.StateActive))
	noContacts.Contacts, emptyContacts.Contacts = nil, []billing.Contact{{ID: 8}}
	texts := sampleState("sample-texts", sampleSubscription(subscription.StateActive))
	texts.Tenant.Name, texts.Account.Name, texts.Platform.Name = "Müller & \"Söhne\" <GmbH>", "naïve \\ 👩‍👧 line\u2028end", "a\tb\nc"
	return append(all,
		sampleState("sample-active-after-trial", withTrial),
		sampleState("sample-canceled-in-trial", inTrial),
		sampleState("sample-no-plan-code", noCode),
		sampleState("sample-no-features", bare),
		sampleState("sample-several-products", sampleSubscription(subscription.StateActive), second, third),
		sampleState("sample-no-subscription"),
		noContacts, emptyContacts, texts,
	)
}

func sampleState(code string, subscriptions ...ProvisioningSubscription) *ProvisioningState {
	last, email := "Lee", "ann.lee@example.com"
	return &ProvisioningState{
		Tenant:        billing.Tenant{ID: 31, Code: code, Name: "Sample"},
		Platform:      Platform{ID: 2, Code: "crm", Name: "CRM"},
		Account:       billing.Account{ID: 5, Name: "Sample Ltd", BillingDay: 15},
		Contacts:      []billing.Contact{{ID: 8, FirstName: "Ann", LastName: &last, Email: &email}},
		Subscriptions: subscriptions,
	}
}

// sampleSubscription is a subscription in a state, with a feature of each kind
// if it gives any.
func sampleSubscription(state subscription.State) ProvisioningSubscription {
	code, users, none := "pro", 25, 0
	s := ProvisioningSubscription{
		Subscription: subscription.Subscription{ID: 12, ProductID: 1, State: state, StartDate: *sampleDay(2026, 1, 1), EndDate: *sampleDay(2026, 12, 31)},
		Plan:         catalog.Plan{Code: &code, Name: "Pro"},
		PriceList:    catalog.PriceList{Code: "yearly", Name: "Yearly"},
		Product:      catalog.Product{Code: "suite", Name: "Suite"},
	}
	if state == subscription.StateTrial || state == subscription.StateTrialExpired {
		s.TrialStartDate, s.TrialEndDate = sampleDay(2025, 12, 18), sampleDay(2025, 12, 31)
	}
	if state.Live() {
		s.Features = []subscription.ProvisionedFeature{
			{Code: "users", Name: "Users", Quantity: &users, Kind: catalog.Quantity, Position: 1},
			{Code: "projects", Name: "Projects", Quantity: &none, Kind: catalog.Quantity, Position: 2},
			{Code: "storage", Name: "Storage", Kind: catalog.Quantity, Position: 3},
			{Code: "sso", Name: "Single sign-on", Kind: catalog.Boolean, Position: 4},
			{Code: "region", Name: "Region", Value: "eu", Kind: catalog.Value, Position: 5},
		}
	}
	return s
}

func sampleDay(year, month, day int) *billing.Date {
	return &billing.Date{Year: year, Month: time.Month(month), Day: day}
}

// TestAccount is the account of a test of an event endpoint, which does not exist.
func TestAccount() billing.Account {
	code := TestTenantCode
	return billing.Account{Code: &code, Name: "Provisioning test"}
}

// TestBusinessEvent is what a test of an event endpoint tells: an invoice that does
// not exist.
func TestBusinessEvent() BusinessEvent {
	return InvoiceEvent(InvoiceIssued, &document.Invoice{
		Number: "TEST", Kind: document.OneOffInvoice, Currency: money.Currency{Code: "EUR", Digits: 2}, Subtotal: 100, TaxAmount: 19, Amount: 119,
		IssuedAt: *sampleDay(2026, 1, 1), DueAt: *sampleDay(2026, 1, 15),
	})
}
