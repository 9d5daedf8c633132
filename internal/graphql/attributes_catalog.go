package graphql

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/service"
)

func editPlatform(in gen.PlatformAttributes, creating bool) func(*billing.Platform) error {
	return func(pf *billing.Platform) error {
		p := &patch{creating: creating}
		need(p, "code", in.Code, &pf.Code)
		need(p, "name", in.Name, &pf.Name)
		need(p, "provisioningEnabled", in.ProvisioningEnabled, &pf.ProvisioningEnabled)
		may(in.WebhookURL, &pf.WebhookURL)
		may(in.PlainSignatureHeader, &pf.PlainSignatureHeader)
		may(in.PlainSignatureAlgorithm, &pf.PlainSignatureAlgorithm)
		return p.problems.Err()
	}
}

// platformSecrets reads the secrets apart: they are sealed before they are
// kept. Null removes one.
func platformSecrets(in gen.PlatformAttributes) service.PlatformSecrets {
	var secrets service.PlatformSecrets
	none := ""
	if token, set := in.WebhookAuthToken.ValueOK(); set {
		if secrets.AuthToken = token; token == nil {
			secrets.AuthToken = &none
		}
	}
	if key, set := in.PlainSignatureKey.ValueOK(); set {
		if secrets.PlainSignatureKey = key; key == nil {
			secrets.PlainSignatureKey = &none
		}
	}
	return secrets
}

func editProduct(in gen.ProductAttributes, creating bool) func(*billing.Product) error {
	return func(pr *billing.Product) error {
		p := &patch{creating: creating}
		need(p, "code", in.Code, &pr.Code)
		need(p, "name", in.Name, &pr.Name)
		may(in.Description, &pr.Description)
		mayID(in.PlatformID, &pr.PlatformID)
		if in.PlatformCode.IsSet() && in.PlatformID.Value() == nil {
			pr.PlatformID = nil // a code that is not null is looked up by the operation
		}
		if in.PlatformID.Value() != nil && in.PlatformCode.Value() != nil {
			p.problems = append(p.problems, billing.Fail(billing.Invalid, "platformCode", "Give platformId or platformCode, not both."))
		}
		return p.problems.Err()
	}
}

func editFeature(in gen.FeatureAttributes, creating bool) func(*billing.Feature) error {
	return func(f *billing.Feature) error {
		p := &patch{creating: creating}
		need(p, "code", in.Code, &f.Code)
		need(p, "name", in.Name, &f.Name)
		may(in.Description, &f.Description)
		need(p, "kind", in.Kind, &f.Kind)
		need(p, "position", in.Position, &f.Position)
		need(p, "isProvisioned", in.IsProvisioned, &f.IsProvisioned)
		may(in.UnitName, &f.UnitName)
		return p.problems.Err()
	}
}

func editPlan(in gen.PlanAttributes, creating bool) func(*billing.Plan) error {
	return func(pl *billing.Plan) error {
		p := &patch{creating: creating}
		needID(p, "productId", in.ProductID, &pl.ProductID)
		may(in.Code, &pl.Code)
		need(p, "name", in.Name, &pl.Name)
		may(in.Description, &pl.Description)
		need(p, "addon", in.Addon, &pl.Addon)
		need(p, "isVisible", in.IsVisible, &pl.IsVisible)
		return p.problems.Err()
	}
}

func editPlanFeature(in gen.PlanFeatureAttributes, creating bool) func(*billing.PlanFeature) error {
	return func(pf *billing.PlanFeature) error {
		p := &patch{creating: creating}
		need(p, "value", in.Value, &pf.Value)
		return p.problems.Err()
	}
}
