package billing_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/dunning"
	"github.com/tenantry/tenantry/internal/billing/tax"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// TestEveryFieldIsDescribed holds each description to its struct: every field is
// described under the name that JSON has for it, and the description leads to
// that field.
func TestEveryFieldIsDescribed(t *testing.T) {
	describes(t, billing.AccountFields, "billingProblem", "paymentMethodId")
	describes(t, billing.ContactFields)
	describes(t, webhook.PlatformFields, "previousSecretUntil", "webhookAuthTokenFor", "plainSignatureKeyFor")
	describes(t, webhook.EventEndpointFields, "types", "previousSecretUntil")
	describes(t, catalog.ProductFields)
	describes(t, catalog.FeatureFields)
	describes(t, catalog.PlanFields)
	describes(t, catalog.PlanFeatureFields)
	describes(t, catalog.PriceListFields)
	describes(t, catalog.ChargeFields, "priceListChargeTiers")
	describes(t, billing.EntityFields)
	describes(t, tax.RateFields)
	describes(t, dunning.PolicyFields, "steps")
	describes(t, billing.TenantFields)
	describes(t, billing.ClientFields, "clientId", "scopes", "oldSecretUntil", "tokenGeneration")
}

// describes checks one description; special are the fields that have code of
// their own in every layer.
func describes[T any](t *testing.T, fields billing.Fields[T], special ...string) {
	t.Helper()
	var row T
	at := map[string]any{"id": nil, "createdAt": nil, "updatedAt": nil, "-": nil}
	for _, name := range special {
		at[name] = nil
	}
	for f := range fields.All() {
		if _, twice := at[f.Name]; twice {
			t.Errorf("%T: %s is described twice", row, f.Name)
		}
		at[f.Name] = f.At(&row)
	}
	value := reflect.ValueOf(&row).Elem()
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		pointer, described := at[name]
		if !described || pointer != nil && pointer != value.Field(i).Addr().Interface() {
			t.Errorf("%T: the description of %s does not lead to it", row, value.Type().Field(i).Name)
		}
		if name != "-" {
			delete(at, name)
		}
	}
	for name := range at {
		if name != "-" {
			t.Errorf("%T has no field %s", row, name)
		}
	}
}
