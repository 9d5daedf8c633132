package worker_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/service/drifts"
)

// plant changes what the application has of a tenant, as somebody does who edits a row by
// hand. The application still names the webhook that it acted on last.
func (m *moody) plant(id billing.TenantID, number int) {
	knows := m.knows[id]
	var features []map[string]any
	if err := json.Unmarshal([]byte(knows.features), &features); err != nil {
		m.fault("tenant %d has no features: %v", id, err)
	}
	if len(features) > 0 && number%2 == 0 {
		features = features[1:]
	}
	text, err := json.Marshal(append(features, map[string]any{"code": fmt.Sprintf("planted-%d", number), "value": "", "quantity": number}))
	if err != nil {
		m.fault("%v", err)
	}
	knows.features, knows.planted = string(text), true
	m.knows[id] = knows
}

// stateOf is a tenant as the application reports it.
func (m *moody) stateOf(id billing.TenantID) drift.State {
	s := drift.State{Code: m.knows[id].code, Sequence: m.knows[id].sequence}
	if err := json.Unmarshal([]byte(m.knows[id].features), &s.Features); err != nil {
		m.fault("tenant %d has no features: %v", id, err)
	}
	return s
}

// reportSome has the application report some tenants, or all, after it changed one of them
// by itself now and then. What was changed must be found, and nothing else: a webhook that
// is under way is no drift.
func (c *convergence) reportSome(all bool) {
	c.t.Helper()
	states, planted := map[string][]drift.State{}, map[string]bool{}
	m := c.receiver
	m.mu.Lock()
	for _, id := range slices.Sorted(maps.Keys(m.knows)) {
		if !all && c.random.IntN(4) > 0 {
			continue
		}
		if !all && c.random.IntN(20) == 0 && !m.knows[id].planted {
			c.planted++
			m.plant(id, c.planted)
		}
		s, hall := m.stateOf(id), m.knows[id].hall
		states[hall] = append(states[hall], s)
		if m.knows[id].planted {
			planted[hall+s.Code] = true
		}
	}
	m.mu.Unlock()
	for hall, some := range states {
		outcome, err := c.service.Drifts.TenantStateReport(c.ctx(), drifts.Report{PlatformCode: hall, States: some})
		if err != nil {
			if problems, known := billing.AsProblems(err); !known || !strings.Contains(problems.Error(), "provisioning") {
				c.t.Fatal(err)
			}
			continue // it is off just now
		}
		c.repaired += outcome.Repaired
		differing := map[string]drift.Outcome{}
		for _, d := range outcome.Differing {
			differing[d.Code] = d.Outcome
		}
		for _, s := range some {
			switch found := differing[s.Code]; {
			case planted[hall+s.Code] && found != drift.Drifted:
				c.t.Errorf("what was planted in %s was not found: %q", s.Code, found)
			case planted[hall+s.Code]:
				c.found++
			case found == drift.Drifted || found == drift.Ahead:
				c.t.Errorf("%s is said to be %s, and has what it was told with %d", s.Code, found, s.Sequence)
			}
		}
	}
}

// repairDrift reports all tenants until nothing is left of what was planted.
func (c *convergence) repairDrift() {
	c.t.Helper()
	end := time.After(2 * time.Minute)
	for {
		c.reportSome(true)
		c.awaitIdle()
		c.receiver.mu.Lock()
		left := slices.ContainsFunc(slices.Collect(maps.Values(c.receiver.knows)), func(b believed) bool { return b.planted })
		c.receiver.mu.Unlock()
		if !left {
			return
		}
		select {
		case <-end:
			c.t.Fatal("what was planted is not repaired")
		case <-time.After(200 * time.Millisecond):
		}
	}
}
