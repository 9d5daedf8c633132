package catalog

import "testing"

func TestPlanValuesFitTheKind(t *testing.T) {
	for _, c := range []struct {
		kind  FeatureKind
		value string
		fits  bool
	}{
		{Boolean, "true", true}, {Boolean, "false", true}, {Boolean, "", false}, {Boolean, "yes", false},
		{Quantity, "", true}, {Quantity, "0", true}, {Quantity, "25", true}, {Quantity, "1000000000", true},
		{Quantity, "1000000001", false}, {Quantity, "-1", false}, {Quantity, "1.5", false}, {Quantity, "025", false},
		{Quantity, "+5", false}, {Quantity, "many", false},
		{Value, "", true}, {Value, "gold <&> plated", true},
	} {
		pf := PlanFeature{Value: c.value, WhenRestricted: KeepWhenRestricted}
		if got := len(pf.CheckFor(c.kind)) == 0; got != c.fits {
			t.Errorf("%s %q: fits is %v, want %v", c.kind, c.value, got, c.fits)
		}
		if !c.kind.Allows(c.kind.DefaultValue()) {
			t.Errorf("the default of %s is not allowed", c.kind)
		}
	}
	if len((&PlanFeature{Value: "\x00", WhenRestricted: KeepWhenRestricted}).CheckFor(Value)) != 1 {
		t.Error("NUL in a value was accepted")
	}
}
