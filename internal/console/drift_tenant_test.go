package console

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/drift"
)

// TestSidesDiffer shows the value that an application made up for a feature that is on or
// off: both sides must not look the same.
func TestSidesDiffer(t *testing.T) {
	names := featureNames{"sso": {Code: "sso", Kind: catalog.Boolean}}
	if told, has := names.side("sso", &drift.Side{}), names.side("sso", &drift.Side{Value: "true"}); told == has || has.Text != "true" {
		t.Errorf("told %+v, has %+v", told, has)
	}
}
