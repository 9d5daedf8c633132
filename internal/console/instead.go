package console

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/ui"
)

// mostInstead is how many other searches are offered if nothing matches.
const mostInstead = 5

// eventReasons are why tenants are told something. Words are not looked for in them, because
// no index has them.
var eventReasons = []string{
	drift.RepairReason, subscription.KindTenantSync, subscription.KindFeatureAdded, subscription.KindFeatureChanged, subscription.KindFeatureRemoved, subscription.KindProvisioningEnabled,
	subscription.KindCreated, subscription.KindRenewed, subscription.KindStateChanged, subscription.KindQuantityChanged, subscription.KindPlanChanged, subscription.KindTenantChanged,
	subscription.KindTrialExtended, subscription.KindStandingRestricted, subscription.KindStandingSuspended, subscription.KindStandingRestored,
}

// otherReasons are searches for events by a reason that has the words which were typed.
func otherReasons(typed string) []ui.Link {
	return instead("/events", "reason", typed, eventReasons, reasonWord)
}

// otherActions are searches for entries by what was done, in the words that people read.
func otherActions(typed string) []ui.Link {
	return instead("/audit", "action", typed, slices.Sorted(maps.Keys(actionNames)), actionWords)
}

// instead are searches for one value of a field, of those that have all words which were typed.
func instead(path, field, typed string, values []string, wordsOf func(string) string) (links []ui.Link) {
	filter, err := billing.ParseFilter(typed)
	if err != nil || len(filter.Words) == 0 || len(filter.Terms) > 0 {
		return nil
	}
	for _, value := range values {
		text := billing.Fold(value + " " + wordsOf(value))
		lacks := func(word string) bool { return !strings.Contains(text, billing.Fold(word)) }
		if !slices.ContainsFunc(filter.Words, lacks) && len(links) < mostInstead {
			links = append(links, ui.Link{Text: field + ":" + value, Href: path + "?" + url.Values{"q": {field + ":" + value}}.Encode()})
		}
	}
	return links
}
