package billing

// Every resource has an id type of its own, so that a contact's id cannot be
// handed in where an account's is meant. Ids are database integers below 2^53.
type (
	AccountID     int64
	ContactID     int64
	PlatformID    int64
	ProductID     int64
	FeatureID     int64
	PlanID        int64
	PlanFeatureID int64
	PriceListID   int64
	ChargeID      int64
	ClientID      int64
	AuditID       int64
	UserID        int64
)

// The ids of what subscriptions bring with them.
type (
	SubscriptionID       int64
	SubscriptionChargeID int64
	TenantID             int64
)

// The ids of what invoices need.
type (
	EntityID  int64
	TaxRateID int64
)

// The ids of what time and webhooks bring.
type (
	TestClockID int64
	EventID     int64
	DeliveryID  int64
	AttemptID   int64
	StreamID    int64
	WorkflowID  int64
	JobID       int64
	ChangeID    int64
	// EventEndpointID is that of an event endpoint. Platforms and event endpoints are
	// numbered together: to those who send webhooks, both are where they go.
	EventEndpointID int64
)

// The ids of what invoicing brings.
type (
	InvoiceID           int64
	DunningPolicyID     int64
	InvoiceItemID       int64
	CreditNoteID        int64
	CreditNoteItemID    int64
	PaymentID           int64
	PaymentMethodID     int64
	PaymentCollectionID int64
	PaymentAttemptID    int64
	PaymentRefundID     int64
	ApplicationID       int64
	PendingItemID       int64
	BillingEventID      int64
	AccountEntryID      int64
	SeriesID            int64
)

// The ids of what people are told.
type (
	EmailID         int64
	EmailTemplateID int64
	// DriftReportID identifies a full report of what an application has.
	DriftReportID int64
)
