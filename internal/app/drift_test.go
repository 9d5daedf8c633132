package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/delivery"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// driftData is a database in which the tenant acme-prod was told of 25 users and SSO.
// It returns the flags that name it.
func driftData(t *testing.T) []string {
	t.Helper()
	data := newData(t)
	mustCommand(t, nil, with(data, "import", "--webhooks", "on", exampleFile)...)
	return data
}

// eachDriftData runs a test on the data of driftData, on each engine.
func eachDriftData(t *testing.T, test func(t *testing.T, data []string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, driftData(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		data := []string{"--db", storetest.Postgres(t)}
		mustCommand(t, nil, with(data, "migrate")...)
		mustCommand(t, env{"TENANTRY_SECRET_KEY": secretKey}, with(data, "import", "--webhooks", "on", exampleFile)...)
		test(t, data)
	})
}

// onData does something to a database beside the commands.
func onData(t *testing.T, data []string, do func(svc *service.Service) error) {
	t.Helper()
	url := data[1]
	if data[0] == "--data-dir" {
		url = "sqlite:" + filepath.Join(url, "tenantry.db")
	}
	st, err := store.Open(t.Context(), store.Options{URL: url, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := do(service.New(st, nil, nil)); err != nil {
		t.Fatal(err)
	}
}

// reports has the application say that acme-prod has only nine users, in a full report.
func reports(t *testing.T, data []string) {
	t.Helper()
	nine, name := 9, "nightly"
	onData(t, data, func(svc *service.Service) error {
		_, err := svc.Drifts.TenantStateReport(t.Context(), drifts.Report{
			PlatformCode: "cloud", Name: &name, Complete: true,
			States: []drift.State{
				{Code: "acme-prod", Sequence: 1, Features: []drift.Feature{{Code: "users", Quantity: &nine}}},
				{Code: "zenith", Sequence: 0, Features: []drift.Feature{}},
			},
		})
		return err
	})
}

func setPlatform(t *testing.T, data []string, edit func(*webhook.Platform)) {
	t.Helper()
	onData(t, data, func(svc *service.Service) error {
		p, err := store.Platforms.ByCode(t.Context(), svc.Read(), "cloud")
		if err != nil {
			return err
		}
		_, err = svc.Delivery.PlatformUpdate(t.Context(), p.ID, func(p *webhook.Platform) error {
			edit(p)
			return nil
		}, delivery.PlatformSecrets{})
		return err
	})
}

// words is a text with single blanks.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestDrift shows both sides of what differs, and fails as long as something does.
func TestDrift(t *testing.T) {
	t.Parallel()
	eachDriftData(t, showDrift)
}

func showDrift(t *testing.T, data []string) {
	t.Helper()
	if said := mustCommand(t, nil, with(data, "drift")...); !strings.Contains(said, "platform     cloud\n") || !strings.Contains(said, "REPORT: differences are shown") ||
		!strings.Contains(said, "no full report has come yet") || !strings.Contains(said, "differing    0 tenants\n") {
		t.Errorf("before any report: %s", said)
	}
	reports(t, data)
	setPlatform(t, data, func(p *webhook.Platform) { p.DriftPolicy = drift.Repair })
	done := command(t, nil, with(data, "drift", "--platform", "cloud")...)
	if done.code != 1 || !strings.Contains(done.stderr, "1 tenant differs from what its application was told") {
		t.Errorf("exits with %d and says %q", done.code, done.stderr)
	}
	for _, part := range []string{"at most 60 a minute", "nightly: 1 behind, 1 differs, 0 repaired for it", "TENANT OUTCOME EVENT NOTICED FEATURE TOLD HAS", " users 25 9", " sso yes nothing", "acme-prod differs 1 "} {
		if !strings.Contains(words(done.stdout), part) {
			t.Errorf("there is no %q in\n%s", part, done.stdout)
		}
	}
	if strings.Contains(done.stdout, "zenith") {
		t.Errorf("a webhook that is under way differs:\n%s", done.stdout)
	}
}

// TestDriftAsJSON is for programs.
func TestDriftAsJSON(t *testing.T) {
	t.Parallel()
	data := driftData(t)
	setPlatform(t, data, func(p *webhook.Platform) { p.DriftPolicy = drift.Repair })
	reports(t, data)
	done := command(t, nil, with(data, "drift", "--json")...)
	var got struct {
		Platforms []struct {
			Platform, DriftPolicy string
			LastFullReport        struct {
				Report   string
				Outcomes map[string]int
				Held     bool
			}
			Differing int
			Tenants   []struct {
				Code, Outcome  string
				Sequence       int
				RepairSequence *int
				Persistent     bool
				Since          time.Time
				Features       []struct {
					Code, Kind       string
					Expected, Actual *struct{ Quantity *int }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(done.stdout), &got); err != nil || done.code != 1 || len(got.Platforms) != 1 {
		t.Fatalf("%v: exits with %d and prints %s", err, done.code, done.stdout)
	}
	p := got.Platforms[0]
	if p.Platform != "cloud" || p.DriftPolicy != "REPAIR" || !p.LastFullReport.Held || p.LastFullReport.Report != "nightly" || p.LastFullReport.Outcomes["DRIFTED"] != 1 {
		t.Errorf("the platform: %s", done.stdout)
	}
	if p.Differing != 1 || len(p.Tenants) != 1 || len(p.Tenants[0].Features) != 2 {
		t.Fatalf("the tenants: %s", done.stdout)
	}
	tenant := p.Tenants[0]
	if tenant.Code != "acme-prod" || tenant.Outcome != "DRIFTED" || tenant.Sequence != 1 || tenant.RepairSequence != nil || tenant.Persistent || tenant.Since.IsZero() {
		t.Errorf("the tenant: %s", done.stdout)
	}
	sso, users := tenant.Features[0], tenant.Features[1]
	if sso.Code != "sso" || sso.Kind != "MISSING" || sso.Expected == nil || sso.Actual != nil || users.Kind != "WRONG_QUANTITY" || *users.Expected.Quantity != 25 || *users.Actual.Quantity != 9 {
		t.Errorf("the features: %s", done.stdout)
	}
	next := "tonight" // which is not complete, and says nothing yet
	onData(t, data, func(svc *service.Service) error {
		_, err := svc.Drifts.TenantStateReport(t.Context(), drifts.Report{PlatformCode: "cloud", Name: &next, States: []drift.State{{Code: "zenith", Features: []drift.Feature{}}}})
		return err
	})
	if held := command(t, nil, with(data, "drift")...).stdout; !strings.Contains(held, `run "tenantry drift repair --platform cloud"`) {
		t.Errorf("a report that is held: %s", held)
	}
}

// TestDriftRepair repairs all of a platform, and then a tenant by name.
func TestDriftRepair(t *testing.T) {
	t.Parallel()
	eachDriftData(t, repairDrift)
}

func repairDrift(t *testing.T, data []string) {
	t.Helper()
	none := command(t, nil, with(data, "drift", "repair", "--platform", "cloud")...)
	if none.code != 1 || !strings.Contains(none.stderr, `no tenant of the platform "cloud" differs`) {
		t.Errorf("nothing differs: exits with %d and says %q", none.code, none.stderr)
	}
	reports(t, data)
	if said := mustCommand(t, nil, with(data, "drift", "repair", "--platform", "cloud")...); said != "acme-prod is told its state with event 2\nrepaired 1 tenant\n" {
		t.Errorf("all of a platform: %q", said)
	}
	if listed := mustCommand(t, nil, with(data, "events", "list", "--filter", "tenant:acme-prod")...); strings.Count(listed, "drift.repair") != 1 {
		t.Errorf("the events: %s", listed)
	}
	setPlatform(t, data, func(p *webhook.Platform) { p.DriftRepairsPerMinute = 1 })
	if said := mustCommand(t, nil, with(data, "drift", "repair", "acme-prod")...); said != "repaired 0 tenants; 1 tenant left: no more are repaired in one minute, and they follow by themselves\n" {
		t.Errorf("over the limit: %q", said)
	}
	setPlatform(t, data, func(p *webhook.Platform) { p.DriftRepairsPerMinute = 60 })
	if said := mustCommand(t, nil, with(data, "drift", "repair", "acme-prod", "zenith", "--platform", "cloud")...); said != "acme-prod is told its state with event 3\nrepaired 1 tenant\n" {
		t.Errorf("by name: %q", said)
	}
	onData(t, data, func(svc *service.Service) error {
		entries, err := store.AuditEntries.List(t.Context(), svc.Read(), store.Page{Limit: 1000})
		found := 0
		for _, e := range entries {
			if e.Action == "driftRepair" && strings.HasPrefix(e.Actor, "command") {
				found++
			}
		}
		if found != 2 {
			t.Errorf("the audit log has %d entries of two repairs", found)
		}
		return err
	})
}

func TestDriftMistakes(t *testing.T) {
	t.Parallel()
	data := driftData(t)
	reports(t, data)
	file := filepath.Join(t.TempDir(), "twin.jsonl")
	writeFile(t, file, `{"type":"platform","code":"other","name":"Other","provisioningEnabled":true}`+"\n"+
		`{"type":"tenant","platform":"other","code":"zenith","account":"zenith"}`+"\n")
	mustCommand(t, nil, with(data, "import", file)...)
	mistakes := []struct {
		args string
		code int
		says string
	}{
		{"drift now", 2, "takes no arguments"},
		{"drift --limit 0", 2, "--limit must be from 1 to 10000, not 0"},
		{"drift --platform none", 1, `there is no platform "none"`},
		{"drift repair", 2, "name tenants, or give --platform"},
		{"drift repair --platform none", 1, `there is no platform "none"`},
		{"drift repair nobody", 1, `there is no tenant "nobody"`},
		{"drift repair --platform cloud nobody", 1, `the platform "cloud" has no tenant "nobody"`},
		{"drift repair zenith", 1, `tenants "zenith" on several platforms; say which one with --platform`},
		{"drift repair --platform cloud zenith", 1, "none of these tenants differs"},
		{"drift repair --platform other", 1, `no tenant of the platform "other" differs`},
	}
	for _, c := range mistakes {
		if done := command(t, nil, with(data, strings.Fields(c.args)...)...); done.code != c.code || !strings.Contains(done.stderr, c.says) || done.stdout != "" {
			t.Errorf("%s exits with %d, says %q and prints %q", c.args, done.code, done.stderr, done.stdout)
		}
	}
	for says, edit := range map[string]func(*webhook.Platform){
		"takes no reports: its driftPolicy is OFF": func(p *webhook.Platform) { p.DriftPolicy = drift.Off },
		"does not provision tenants":               func(p *webhook.Platform) { p.ProvisioningEnabled = false },
	} {
		setPlatform(t, data, func(p *webhook.Platform) {
			p.DriftPolicy, p.ProvisioningEnabled = drift.Report, true
			edit(p)
		})
		if done := command(t, nil, with(data, "drift", "repair", "acme-prod")...); done.code != 1 || !strings.Contains(done.stderr, says) {
			t.Errorf("exits with %d and says %q, want %q", done.code, done.stderr, says)
		}
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
