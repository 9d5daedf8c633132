package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// tenant is a tenant as the sample shows it.
func (d *demo) tenant(t *testing.T, of string) (tenant sampleTenant) {
	t.Helper()
	d.get(t, d.sample+"/tenants/"+of, &tenant)
	return tenant
}

// breaks changes a tenant of the sample by hand.
func (d *demo) breaks(t *testing.T, of string) {
	t.Helper()
	if status := d.post(t, "/tenants/"+of+"/break"); status != http.StatusOK {
		t.Fatalf("%s cannot be changed by hand: %d", of, status)
	}
}

// comesBack waits until a tenant that was changed by hand is in sync, and returns what
// became of it.
func (d *demo) comesBack(t *testing.T, of string) (steps []string) {
	t.Helper()
	var last sampleTenant
	eventually(t, patience, of+" to come back", func() bool {
		last = d.tenant(t, of)
		return last.Hand != nil && last.Hand.Stage == "in sync"
	})
	for _, s := range last.Hand.Steps {
		steps = append(steps, s.Text)
	}
	return steps
}

// TestTheDemoRepairsWhatIsChangedByHand changes a tenant of the sample in every way it
// can be, and then in the first one again.
func TestTheDemoRepairsWhatIsChangedByHand(t *testing.T) {
	t.Parallel()
	needPrograms(t, "sh", "curl", "sed")
	d := startDemo(t)
	token := strings.TrimSpace(paste(t, d.commands[0]))
	eventually(t, patience, "all history at the sample", func() bool {
		is, _ := d.inSync(t, token)
		return is && d.limit(t) == 25
	})
	const of = "harbour/nordlicht"
	before := d.tenant(t, of)
	number := 0
	for n, want := range []string{"Single sign-on taken away|lacks Single sign-on", "Mailboxes 18 → 37|Mailboxes is 37 instead of 18", "Audit log for nothing|has Audit log, which it was not told", "Single sign-on taken away|lacks Single sign-on"} {
		d.breaks(t, of)
		if broken := d.tenant(t, of); broken.Hand.Stage != "changed" || fmt.Sprint(broken.Features) == fmt.Sprint(before.Features) {
			t.Errorf("%d: it was changed by hand, and is %+v", n, broken)
		}
		if status := d.post(t, "/tenants/"+of+"/break"); status != http.StatusConflict {
			t.Errorf("%d: it is changed by hand twice: %d", n, status)
		}
		did, found, _ := strings.Cut(want, "|")
		steps := d.comesBack(t, of)
		if len(steps) != 4 || steps[0] != "changed by hand: "+did || steps[1] != "found: "+found || steps[3] != "reported again: in sync" {
			t.Fatalf("%d: %q, want %s", n, steps, want)
		}
		match := regexp.MustCompile(`^repaired by webhook #(\d+)$`).FindStringSubmatch(steps[2])
		if match == nil || match[1] != fmt.Sprint(d.tenant(t, of).Hand.Steps[2].Event) {
			t.Fatalf("%d: it is %q", n, steps)
		}
		number = d.tenant(t, of).Hand.Steps[2].Event
		if after := d.tenant(t, of); features(after) != features(before) {
			t.Errorf("%d: it comes back as %+v, and was %+v", n, after.Features, before.Features)
		}
	}
	answer := ask(t, d.url, token, `{ tenants(filter: "platform:harbour code:nordlicht") { drift { outcome sequence persistent } } }`, nil)
	if want := fmt.Sprintf(`{"outcome":"IN_SYNC","sequence":%d,"persistent":false}`, number); !strings.Contains(answer.body, want) {
		t.Errorf("Tenantry has %s, want %s", answer.body, want)
	}
}

// features are what a tenant has, whatever of it is used.
func features(tenant sampleTenant) string {
	text := ""
	for _, f := range tenant.Features {
		limit := -1
		if f.Limit != nil {
			limit = *f.Limit
		}
		text += fmt.Sprint(f.Code, f.Bought, limit, " ")
	}
	return text
}

// TestTheDemoRepairsSeveral changes more of a platform than Tenantry would believe of a
// full report, and while the sample is stopped: then it reports nothing.
func TestTheDemoRepairsSeveral(t *testing.T) {
	t.Parallel()
	needPrograms(t, "sh", "curl", "sed")
	d := startDemo(t)
	eventually(t, patience, "all history at the sample", func() bool { return d.limit(t) == 25 })
	token := strings.TrimSpace(paste(t, d.commands[0]))
	type report struct {
		Held     bool
		Outcomes struct{ InSync, Drifted, Missing int }
	}
	full := func() (all map[string][]report) {
		var got struct {
			Data struct {
				Platforms []struct {
					Code         string
					DriftReports []report
				}
			}
		}
		answer := ask(t, d.url, token, `{ platforms { code driftReports { held outcomes { inSync drifted missing } } } }`, nil)
		if err := json.Unmarshal([]byte(answer.body), &got); err != nil {
			t.Fatalf("%v: %s", err, answer.body)
		}
		all = map[string][]report{}
		for _, p := range got.Data.Platforms {
			all[p.Code] = p.DriftReports
		}
		return all
	}
	eventually(t, patience, "the first full reports", func() bool { r := full(); return len(r["harbour"]) > 0 && len(r["beacon"]) > 0 })
	d.post(t, "/stop")
	var all struct{ Tenants []sampleTenant }
	d.get(t, d.sample+"/tenants", &all)
	var broken []string
	for _, tenant := range all.Tenants {
		if tenant.Platform == "beacon" {
			broken = append(broken, "beacon/"+tenant.Code)
			d.breaks(t, "beacon/"+tenant.Code)
		}
	}
	d.post(t, "/start")
	for _, of := range broken {
		if steps := d.comesBack(t, of); !strings.HasPrefix(strings.Join(steps, "|"), "changed by hand: ") || !strings.Contains(strings.Join(steps, "|"), "|repaired by webhook #") {
			t.Errorf("%s: %q", of, steps)
		}
	}
	for platform, reports := range full() {
		for _, r := range reports {
			if r.Held || r.Outcomes.InSync == 0 || r.Outcomes.Drifted+r.Outcomes.Missing > 0 {
				t.Errorf("a full report of %s: %+v", platform, r)
			}
		}
	}
}
