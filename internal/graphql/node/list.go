package node

// The pages of each list.
type (
	AccountConnection         = Connection[Account]
	ContactConnection         = Connection[Contact]
	PlatformConnection        = Connection[Platform]
	ProductConnection         = Connection[Product]
	FeatureConnection         = Connection[Feature]
	PlanConnection            = Connection[Plan]
	PlanFeatureConnection     = Connection[PlanFeature]
	PriceListConnection       = Connection[PriceList]
	PriceListChargeConnection = Connection[PriceListCharge]
	ApiClientConnection       = Connection[ApiClient]
	SubscriptionConnection    = Connection[Subscription]
	TenantConnection          = Connection[Tenant]
	TestClockConnection       = Connection[TestClock]
	JobConnection             = Connection[Job]
	AuditEntryConnection      = Connection[AuditEntry]
	WorkflowConnection        = Connection[Workflow]
	WebhookEventConnection    = Connection[WebhookEvent]
)

// The places in each list.
type (
	AccountEdge         = Edge[Account]
	ContactEdge         = Edge[Contact]
	PlatformEdge        = Edge[Platform]
	ProductEdge         = Edge[Product]
	FeatureEdge         = Edge[Feature]
	PlanEdge            = Edge[Plan]
	PlanFeatureEdge     = Edge[PlanFeature]
	PriceListEdge       = Edge[PriceList]
	PriceListChargeEdge = Edge[PriceListCharge]
	ApiClientEdge       = Edge[ApiClient]
	SubscriptionEdge    = Edge[Subscription]
	TenantEdge          = Edge[Tenant]
	TestClockEdge       = Edge[TestClock]
	JobEdge             = Edge[Job]
	AuditEntryEdge      = Edge[AuditEntry]
	WorkflowEdge        = Edge[Workflow]
	WebhookEventEdge    = Edge[WebhookEvent]
)
