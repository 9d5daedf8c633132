package abuse

import (
	"slices"
	"testing"
)

// TestCosts: what is much work is refused before any of it is done, and what
// programs ask for is not.
func TestCosts(t *testing.T) {
	s := start(t)
	s.sell(t)
	base := harmlessUsage(t, func() { s.ask(t, harmless, nil) })
	aliases := func(n int, field string) string { return "{" + repeat(n, " a%d: "+field) + " }" }
	const (
		program = `workflowPreview(workflowId: 1, payloadProgram: "[range(200000)] | length")`
		event   = `id type tenant { id code name } platform { id code name } sequence reason payload createdAt updatedAt state nextAttemptAt
			supersededBy { id type sequence state } url responseCode responseBody`
	)
	for name, c := range map[string]struct {
		document string
		refused  bool
	}{
		"1,000 programs":             {aliases(1_000, program), true},
		"24 programs":                {aliases(24, `workflowPreview(workflowId: 1)`), false},
		"1,000 previews":             {aliases(1_000, `subscriptionPreview(id: 1)`), true},
		"20 previews":                {aliases(20, `subscriptionPreview(id: 1)`), false},
		"1,000 searches":             {aliases(1_000, `accounts(filter: "a", limit: 1) { id }`), true},
		"50 searches":                {aliases(50, `accounts(filter: "a", limit: 1) { id }`), false},
		"100 filters":                {aliases(100, `accounts(filter: "code:acme", limit: 1) { id }`), false},
		"searches in 1,000":          {`{ accounts(limit: 1000) { subscriptions(filter: "a") { id } } }`, true},
		"filters in 1,000":           {`{ accounts(limit: 1000) { subscriptions(filter: "state:active") { id } } }`, false},
		"1,000 counts":               {aliases(1_000, `accountsConnection(first: 1) { totalCount }`), true},
		"a page with a count":        {`{ webhookEventsConnection(first: 1000) { nodes { ` + event + ` } pageInfo { endCursor hasNextPage } totalCount } }`, false},
		"a page of events":           {`{ webhookEvents(limit: 1000) { ` + event + ` } }`, false},
		"240 bodies of 1,000 events": {"{ webhookEvents(limit: 1000) {" + repeat(240, " b%d: payload") + " } }", true},
		"differences of 1,000":       {"{ webhookEvents(limit: 1000) {" + repeat(3, " b%d: difference") + " } }", true},
		"600 programs saved":         {"mutation {" + repeat(600, ` a%d: workflowUpdate(id: 1, attributes: {recipe: {payloadProgram: "."}}) { errors }`) + " }", true},
		"1,000 tests of an endpoint": {"mutation {" + repeat(1_000, " a%d: platformWebhookTest(id: 1) { errors }") + " }", true},
		"200 changes":                {"mutation {" + repeat(200, ` a%d: accountUpdate(id: 1, attributes: {name: "A"}) { errors }`) + " }", false},
	} {
		t.Run(name, func(t *testing.T) {
			var a answer
			ask := func() { a = s.ask(t, c.document, nil) }
			if c.refused {
				atMost(t, base, 5, 5, ask)
			} else {
				ask()
			}
			if refused := slices.Contains(a.codes(t), "LIMIT_EXCEEDED"); refused != c.refused || !refused && len(a.codes(t)) > 0 {
				t.Errorf("refused: %t, want %t: %s", refused, c.refused, a.start())
			}
		})
	}
}
