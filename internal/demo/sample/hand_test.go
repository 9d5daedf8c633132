package sample

import (
	"strings"
	"testing"

	"github.com/tenantry/tenantry/client"
)

// TestHand goes through what can become of a tenant that was changed by hand: webhooks
// and answers to reports come in any order.
func TestHand(t *testing.T) {
	lacks := &client.DifferingTenant{Code: "acme", Features: []client.FeatureDifference{{Code: "sso", Kind: client.DriftKindMissing}}}
	report := func(h *hand) { h.reporting, h.by = h.Stage == changed, 0 }
	for name, c := range map[string]struct {
		do    func(h *hand)
		stage stage
		said  string
	}{
		"nothing yet": {func(*hand) {}, changed, "changed"},
		"found": {func(h *hand) {
			report(h)
			h.reported(2, "harbour", changed, lacks)
		}, found, "changed|found: lacks Single sign-on"},
		"repaired before the answer came": {func(h *hand) {
			report(h)
			h.told(2, 7)
			h.reported(3, "harbour", changed, lacks)
		}, repaired, "changed|found: lacks Single sign-on|repaired by webhook #7"},
		"repaired later, and reported": {func(h *hand) {
			report(h)
			h.reported(2, "harbour", changed, lacks)
			h.told(3, 7)
			report(h)
			h.reported(4, "harbour", repaired, nil)
		}, inSync, "changed|found: lacks Single sign-on|repaired by webhook #7|reported again: in sync"},
		"another webhook before a report": {func(h *hand) { h.told(2, 7) }, repaired, "changed|replaced by webhook #7 before it was reported"},
		"a webhook, and the report was lost": {func(h *hand) {
			report(h)
			h.told(2, 7)
			h.notReported(3, "")
		}, repaired, "changed|replaced by webhook #7 before it was reported"},
		"a report from before the repair says nothing of it": {func(h *hand) {
			report(h)
			h.reported(2, "harbour", changed, lacks)
			report(h) // of what was found
			h.told(3, 7)
			h.reported(4, "harbour", found, nil)
		}, repaired, "changed|found: lacks Single sign-on|repaired by webhook #7"},
	} {
		h := &hand{}
		h.add(1, changed, "changed", 0)
		c.do(h)
		var said []string
		for _, s := range h.Steps {
			said = append(said, s.Text)
		}
		if got := strings.Join(said, "|"); h.Stage != c.stage || got != c.said {
			t.Errorf("%s: %s, %s; want %s, %s", name, h.Stage, got, c.stage, c.said)
		}
	}
}

// TestNothingIsRepaired says so where the platform only shows what differs, until a person
// repairs it.
func TestNothingIsRepaired(t *testing.T) {
	lacks := client.DifferingTenant{Code: "acme", Features: []client.FeatureDifference{{Code: "sso", Kind: client.DriftKindMissing}}}
	h := &hand{}
	h.add(1, changed, "changed", 0)
	h.reported(2, "harbour", changed, &lacks)
	if h.Stage != found || h.Repairing {
		t.Errorf("it is %+v, and nothing was sent", h)
	}
	lacks.Repaired = true
	h.reported(3, "harbour", found, &lacks)
	if h.Stage != found || !h.Repairing {
		t.Errorf("it is %+v, and a repair was sent", h)
	}
}

// TestAReportThatIsRefused says why, until one is taken.
func TestAReportThatIsRefused(t *testing.T) {
	h := &hand{}
	h.add(1, changed, "changed", 0)
	h.reporting = true
	h.notReported(2, "The platform takes no reports.")
	if h.Stage != changed || h.Problem == "" || h.reporting {
		t.Errorf("it is %+v", h)
	}
	h.reported(3, "harbour", changed, nil)
	if h.Problem != "" {
		t.Errorf("it is %+v", h)
	}
}
