package subscription

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
)

func TestFeaturesUnderStanding(t *testing.T) {
	t.Parallel()
	limited := func(most int, f catalog.IncludedFeature) catalog.IncludedFeature {
		f.RestrictedQuantity = &most
		return f
	}
	removed := included(3, "sso", catalog.Boolean, 0, "true")
	removed.WhenRestricted = catalog.RemoveWhenRestricted
	plan := &catalog.PlanContents{Features: []catalog.IncludedFeature{
		removed, included(4, "audit", catalog.Boolean, 1, "true"), limited(2, included(usersID, "users", catalog.Quantity, 2, "3")),
		limited(50, included(storageID, "storage", catalog.Quantity, 3, "10")), limited(7, included(8, "calls", catalog.Quantity, 4, "")),
	}}
	all := "sso=:- audit=:- users=:5 storage=:10 calls=:-"
	for _, c := range []struct {
		standing    billing.Standing
		state, want string
	}{
		{"", "active", all}, {billing.Good, "active", all}, {billing.PastDue, "active", all},
		{billing.Restricted, "active", "audit=:- users=:2 storage=:10 calls=:7"}, {billing.Suspended, "suspended", ""},
	} {
		y := newStory(t, "2026-01-01", splitID, Draft{Quantities: []QuantityOrder{order("seats", 5), order("extra", 0)}})
		y.s.Standing = c.standing
		if got := shown(y.s.FeaturesOn(y.today, plan)); got != c.want || y.s.WireState() != c.state {
			t.Errorf("%s: %q and %s, want %q and %s", c.standing, got, y.s.WireState(), c.want, c.state)
		}
	}
}

func TestSetStanding(t *testing.T) {
	t.Parallel()
	invoice := new(billing.InvoiceID(7))
	for _, c := range []struct {
		from, to billing.Standing
		kind     string
		told     bool
	}{
		{billing.Good, billing.Good, "", false},
		{billing.Good, billing.PastDue, KindStandingChanged, false}, {billing.PastDue, billing.Good, KindStandingChanged, false},
		{billing.PastDue, billing.Restricted, KindStandingRestricted, true}, {billing.Restricted, billing.Suspended, KindStandingSuspended, true},
		{billing.Suspended, billing.Restricted, KindStandingRestricted, true}, {billing.Suspended, billing.PastDue, KindStandingRestored, true},
		{billing.Restricted, billing.Good, KindStandingRestored, true},
	} {
		y := newStory(t, "2026-01-01", splitID, Draft{Quantities: []QuantityOrder{order("seats", 5), order("extra", 0)}})
		if y.s.Standing != billing.Good {
			t.Fatalf("a new subscription is %s", y.s.Standing)
		}
		y.s.Standing = c.from
		reason := invoice
		if c.to == billing.Good {
			reason = nil
		}
		after, change := y.s.SetStanding(Verdict{Standing: c.to, InvoiceID: reason}, y.today)
		if change.Kind != c.kind || change.Happened() && after.Tells(change) != c.told || after.Standing != c.to || after.StandingInvoiceID != reason {
			t.Errorf("%s to %s: %+v, told %v", c.from, c.to, change, after.Tells(change))
		}
		after.State = StateCanceled
		if c.told && after.Tells(change) {
			t.Errorf("%s to %s is told of a subscription that is over", c.from, c.to)
		}
	}
}

func TestOnlyLiveSubscriptionsAreSuspended(t *testing.T) {
	t.Parallel()
	for _, state := range allStates {
		y := inState(t, state)
		y.s.Standing = billing.Suspended
		if got := y.s.WireState(); (got == "suspended") != (state == StateTrial || state == StateActive) {
			t.Errorf("%s is told as %s", state, got)
		}
	}
}
