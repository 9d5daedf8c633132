package node

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/billing"
)

// Every resource has an id type of its own; on the wire they are all ID. The
// generated code looks for a pair of functions for each type.

// MarshalAccountID writes the id of Account.
func MarshalAccountID(id billing.AccountID) graphql.Marshaler { return digits(id) }

// UnmarshalAccountID reads the id of Account.
func UnmarshalAccountID(v any) (billing.AccountID, error) {
	id, err := UnmarshalID(v)
	return billing.AccountID(id), err
}

// MarshalContactID writes the id of Contact.
func MarshalContactID(id billing.ContactID) graphql.Marshaler { return digits(id) }

// UnmarshalContactID reads the id of Contact.
func UnmarshalContactID(v any) (billing.ContactID, error) {
	id, err := UnmarshalID(v)
	return billing.ContactID(id), err
}

// MarshalPlatformID writes the id of Platform.
func MarshalPlatformID(id billing.PlatformID) graphql.Marshaler { return digits(id) }

// UnmarshalPlatformID reads the id of Platform.
func UnmarshalPlatformID(v any) (billing.PlatformID, error) {
	id, err := UnmarshalID(v)
	return billing.PlatformID(id), err
}

// MarshalProductID writes the id of Product.
func MarshalProductID(id billing.ProductID) graphql.Marshaler { return digits(id) }

// UnmarshalProductID reads the id of Product.
func UnmarshalProductID(v any) (billing.ProductID, error) {
	id, err := UnmarshalID(v)
	return billing.ProductID(id), err
}

// MarshalFeatureID writes the id of Feature.
func MarshalFeatureID(id billing.FeatureID) graphql.Marshaler { return digits(id) }

// UnmarshalFeatureID reads the id of Feature.
func UnmarshalFeatureID(v any) (billing.FeatureID, error) {
	id, err := UnmarshalID(v)
	return billing.FeatureID(id), err
}

// MarshalPlanID writes the id of Plan.
func MarshalPlanID(id billing.PlanID) graphql.Marshaler { return digits(id) }

// UnmarshalPlanID reads the id of Plan.
func UnmarshalPlanID(v any) (billing.PlanID, error) {
	id, err := UnmarshalID(v)
	return billing.PlanID(id), err
}

// MarshalPlanFeatureID writes the id of PlanFeature.
func MarshalPlanFeatureID(id billing.PlanFeatureID) graphql.Marshaler { return digits(id) }

// UnmarshalPlanFeatureID reads the id of PlanFeature.
func UnmarshalPlanFeatureID(v any) (billing.PlanFeatureID, error) {
	id, err := UnmarshalID(v)
	return billing.PlanFeatureID(id), err
}

// MarshalPriceListID writes the id of PriceList.
func MarshalPriceListID(id billing.PriceListID) graphql.Marshaler { return digits(id) }

// UnmarshalPriceListID reads the id of PriceList.
func UnmarshalPriceListID(v any) (billing.PriceListID, error) {
	id, err := UnmarshalID(v)
	return billing.PriceListID(id), err
}

// MarshalChargeID writes the id of Charge.
func MarshalChargeID(id billing.ChargeID) graphql.Marshaler { return digits(id) }

// UnmarshalChargeID reads the id of Charge.
func UnmarshalChargeID(v any) (billing.ChargeID, error) {
	id, err := UnmarshalID(v)
	return billing.ChargeID(id), err
}

// MarshalClientID writes the id of Client.
func MarshalClientID(id billing.ClientID) graphql.Marshaler { return digits(id) }

// UnmarshalClientID reads the id of Client.
func UnmarshalClientID(v any) (billing.ClientID, error) {
	id, err := UnmarshalID(v)
	return billing.ClientID(id), err
}

// MarshalAuditID writes the id of Audit.
func MarshalAuditID(id billing.AuditID) graphql.Marshaler { return digits(id) }

// UnmarshalAuditID reads the id of Audit.
func UnmarshalAuditID(v any) (billing.AuditID, error) {
	id, err := UnmarshalID(v)
	return billing.AuditID(id), err
}

// MarshalSubscriptionID writes the id of Subscription.
func MarshalSubscriptionID(id billing.SubscriptionID) graphql.Marshaler { return digits(id) }

// UnmarshalSubscriptionID reads the id of Subscription.
func UnmarshalSubscriptionID(v any) (billing.SubscriptionID, error) {
	id, err := UnmarshalID(v)
	return billing.SubscriptionID(id), err
}

// MarshalTenantID writes the id of Tenant.
func MarshalTenantID(id billing.TenantID) graphql.Marshaler { return digits(id) }

// UnmarshalTenantID reads the id of Tenant.
func UnmarshalTenantID(v any) (billing.TenantID, error) {
	id, err := UnmarshalID(v)
	return billing.TenantID(id), err
}

// MarshalTestClockID writes the id of TestClock.
func MarshalTestClockID(id billing.TestClockID) graphql.Marshaler { return digits(id) }

// UnmarshalTestClockID reads the id of TestClock.
func UnmarshalTestClockID(v any) (billing.TestClockID, error) {
	id, err := UnmarshalID(v)
	return billing.TestClockID(id), err
}

// MarshalEventID writes the id of Event.
func MarshalEventID(id billing.EventID) graphql.Marshaler { return digits(id) }

// UnmarshalEventID reads the id of Event.
func UnmarshalEventID(v any) (billing.EventID, error) {
	id, err := UnmarshalID(v)
	return billing.EventID(id), err
}

// MarshalJobID writes the id of Job.
func MarshalJobID(id billing.JobID) graphql.Marshaler { return digits(id) }

// UnmarshalJobID reads the id of Job.
func UnmarshalJobID(v any) (billing.JobID, error) {
	id, err := UnmarshalID(v)
	return billing.JobID(id), err
}

// MarshalWorkflowID writes the id of Workflow.
func MarshalWorkflowID(id billing.WorkflowID) graphql.Marshaler { return digits(id) }

// UnmarshalWorkflowID reads the id of Workflow.
func UnmarshalWorkflowID(v any) (billing.WorkflowID, error) {
	id, err := UnmarshalID(v)
	return billing.WorkflowID(id), err
}

// MarshalAttemptID writes the id of WebhookAttempt.
func MarshalAttemptID(id billing.AttemptID) graphql.Marshaler { return digits(id) }

// UnmarshalAttemptID reads the id of WebhookAttempt.
func UnmarshalAttemptID(v any) (billing.AttemptID, error) {
	id, err := UnmarshalID(v)
	return billing.AttemptID(id), err
}
