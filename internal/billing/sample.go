package billing

import "time"

// Made-up payloads: for trying a receiver out, and for checking what turns
// payloads into others before a real one depends on it.

// TestTenantCode is the code of the tenant in a test event.
const TestTenantCode = "provisioning-test"

// TestState is the state that a test event tells of: a tenant that does not
// exist, on the given platform, with a subscription that has all there is.
func TestState(platform Platform) *ProvisioningState {
	s := sampleState(TestTenantCode, sampleSubscription(StateActive))
	s.Tenant.Name, s.Platform = "Provisioning test", platform
	s.Tenant.ID, s.Account.ID, s.Subscriptions[0].ID = 0, 0, 0 // so that no real one is meant
	return s
}

// SampleStates are states of tenants in which every state of a subscription
// and every field that can be null or empty appears. The code of each tenant
// says what it is a sample of.
func SampleStates() []*ProvisioningState {
	var all []*ProvisioningState
	for _, state := range []SubscriptionState{StatePending, StateTrial, StateActive, StateCanceled, StateExpired, StateTrialExpired} {
		all = append(all, sampleState("sample-"+state.Wire(), sampleSubscription(state)))
	}
	withTrial := sampleSubscription(StateActive)
	withTrial.TrialStartDate, withTrial.TrialEndDate = sampleDay(2025, 12, 18), sampleDay(2025, 12, 31)
	inTrial := withTrial
	inTrial.State, inTrial.Features = StateCanceled, nil
	noCode, bare := sampleSubscription(StateActive), sampleSubscription(StateActive)
	noCode.Plan.Code, bare.Features = nil, nil
	second, third := sampleSubscription(StateTrial), sampleSubscription(StateExpired)
	second.ID, second.ProductID, second.Product = 13, 2, Product{Code: "analytics", Name: "Analytics"}
	third.ID, third.ProductID, third.Product = 14, 3, Product{Code: "backup", Name: "Backup"}

	noContacts, emptyContacts := sampleState("sample-no-contacts", sampleSubscription(StateActive)), sampleState("sample-empty-contacts", sampleSubscription(StateActive))
	noContacts.Contacts, emptyContacts.Contacts = nil, []Contact{{ID: 8}}
	texts := sampleState("sample-texts", sampleSubscription(StateActive))
	texts.Tenant.Name, texts.Account.Name, texts.Platform.Name = "Müller & \"Söhne\" <GmbH>", "naïve \\ 👩‍👧 line\u2028end", "a\tb\nc"
	return append(all,
		sampleState("sample-active-after-trial", withTrial),
		sampleState("sample-canceled-in-trial", inTrial),
		sampleState("sample-no-plan-code", noCode),
		sampleState("sample-no-features", bare),
		sampleState("sample-several-products", sampleSubscription(StateActive), second, third),
		sampleState("sample-no-subscription"),
		noContacts, emptyContacts, texts,
	)
}

func sampleState(code string, subscriptions ...ProvisioningSubscription) *ProvisioningState {
	last, email := "Lee", "ann.lee@example.com"
	return &ProvisioningState{
		Tenant:        Tenant{ID: 31, Code: code, Name: "Sample"},
		Platform:      Platform{ID: 2, Code: "crm", Name: "CRM"},
		Account:       Account{ID: 5, Name: "Sample Ltd", BillingDay: 15},
		Contacts:      []Contact{{ID: 8, FirstName: "Ann", LastName: &last, Email: &email}},
		Subscriptions: subscriptions,
	}
}

// sampleSubscription is a subscription in a state, with a feature of each kind
// if it gives any.
func sampleSubscription(state SubscriptionState) ProvisioningSubscription {
	code, users, none := "pro", 25, 0
	s := ProvisioningSubscription{
		Subscription: Subscription{ID: 12, ProductID: 1, State: state, StartDate: *sampleDay(2026, 1, 1), EndDate: *sampleDay(2026, 12, 31)},
		Plan:         Plan{Code: &code, Name: "Pro"},
		PriceList:    PriceList{Code: "yearly", Name: "Yearly"},
		Product:      Product{Code: "suite", Name: "Suite"},
	}
	if state == StateTrial || state == StateTrialExpired {
		s.TrialStartDate, s.TrialEndDate = sampleDay(2025, 12, 18), sampleDay(2025, 12, 31)
	}
	if state.Live() {
		s.Features = []ProvisionedFeature{
			{Code: "users", Name: "Users", Quantity: &users, Kind: Quantity, Position: 1},
			{Code: "projects", Name: "Projects", Quantity: &none, Kind: Quantity, Position: 2},
			{Code: "storage", Name: "Storage", Kind: Quantity, Position: 3},
			{Code: "sso", Name: "Single sign-on", Kind: Boolean, Position: 4},
			{Code: "region", Name: "Region", Value: "eu", Kind: Value, Position: 5},
		}
	}
	return s
}

func sampleDay(year, month, day int) *Date {
	return &Date{Year: year, Month: time.Month(month), Day: day}
}
