package graphql

import (
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/graphql/gen"
)

// platformSecrets reads the secrets apart: they are sealed before they are
// kept. Null removes one.
func platformSecrets(in gen.PlatformAttributes) delivery.PlatformSecrets {
	var secrets delivery.PlatformSecrets
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

func editProduct(in gen.ProductAttributes, creating bool) func(*catalog.Product) error {
	return edit(setProduct, in, creating, func(p *patch, pr *catalog.Product) {
		if in.PlatformCode.IsSet() && in.PlatformID.Value() == nil {
			pr.PlatformID = nil // a code that is not null is looked up by the operation
		}
		p.notBoth("platform", in.PlatformID.Value(), in.PlatformCode.Value())
	})
}
