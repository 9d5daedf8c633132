package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/drift"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/store"
)

// maxDriftShown is how many tenants of a platform one list shows at the most.
const maxDriftShown = 10_000

// platformDrift is what the application of a platform reported. Its JSON is what
// --json prints.
type platformDrift struct {
	Platform     string          `json:"platform"`
	Provisioning bool            `json:"provisioningEnabled"`
	Policy       drift.Policy    `json:"driftPolicy"`
	PerMinute    int             `json:"driftRepairsPerMinute"`
	LastReport   *fullReport     `json:"lastFullReport"`
	Differing    int             `json:"differing"` // of which tenants has the first
	Tenants      []driftedTenant `json:"tenants"`
}

type fullReport struct {
	Report      string       `json:"report"`
	BegunAt     time.Time    `json:"begunAt"`
	CompletedAt *time.Time   `json:"completedAt"`
	Outcomes    drift.Counts `json:"outcomes"`
	Repaired    int          `json:"repaired"`
	Held        bool         `json:"held"`
}

type driftedTenant struct {
	Code       string             `json:"code"`
	Name       string             `json:"name"`
	Outcome    drift.Outcome      `json:"outcome"`
	Sequence   int                `json:"sequence"`
	Since      time.Time          `json:"since"`
	CheckedAt  time.Time          `json:"checkedAt"`
	Persistent bool               `json:"persistent"`
	Repair     *int               `json:"repairSequence"` // nil if none was sent
	Features   []drift.Difference `json:"features"`
}

// showDrift shows what applications have instead of what they were told. Like doctor,
// it fails if there is something to be done.
func showDrift(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "drift")
	code := f.String("platform", "", "only the platform with this code")
	limit := f.number("limit", 100, "how many tenants of each platform to show at most")
	machine := f.choice("json", "print JSON")
	return task{flags: f, do: func(st *store.Store, _ []string) error {
		if *limit < 1 || *limit > maxDriftShown {
			return usage("--limit must be from 1 to %d, not %d", maxDriftShown, *limit)
		}
		platforms, err := platformsNamed(ctx, st, *code)
		if err != nil {
			return err
		}
		all := make([]platformDrift, len(platforms))
		total := 0
		for i := range platforms {
			if all[i], err = driftOn(ctx, st, &platforms[i], int(*limit)); err != nil {
				return err
			}
			total += all[i].Differing
		}
		if bool(*machine) {
			err = printIndented(p, map[string]any{"platforms": all})
		} else {
			err = printDrift(p.Stdout, all)
		}
		if err == nil && total > 0 {
			return errors.New(differ(total))
		}
		return err
	}}.run(ctx, p, args)
}

// differ says how many tenants are not as they should be.
func differ(n int) string {
	if n == 1 {
		return "1 tenant differs from what its application was told"
	}
	return upTo(n, "tenant") + " differ from what their applications were told"
}

// upTo is a number of things, of which no more are counted than matters.
func upTo(n int, noun string) string {
	if n > store.MostCounted {
		return fmt.Sprintf("more than %d %ss", store.MostCounted, noun)
	}
	return counted(n, noun)
}

// platformsNamed are all platforms, or the one with that code.
func platformsNamed(ctx context.Context, st *store.Store, code string) (all []webhook.Platform, err error) {
	if code != "" {
		p, err := platformByCode(ctx, st, code)
		if err != nil {
			return nil, err
		}
		return []webhook.Platform{*p}, nil
	}
	page := store.Page{Limit: 500}
	for {
		some, err := store.Platforms.List(ctx, st.Queries(), page)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if len(some) < page.Limit {
			return all, nil
		}
		page.After = int64(some[len(some)-1].ID)
	}
}

func platformByCode(ctx context.Context, st *store.Store, code string) (*webhook.Platform, error) {
	p, err := store.Platforms.ByCode(ctx, st.Queries(), code)
	if err == nil && p == nil {
		err = fmt.Errorf("there is no platform %q; \"tenantry drift\" lists them", code)
	}
	return p, err
}

// driftOn reads what the application of a platform reported.
func driftOn(ctx context.Context, st *store.Store, p *webhook.Platform, limit int) (d platformDrift, err error) {
	d = platformDrift{
		Platform: p.Code, Provisioning: p.ProvisioningEnabled, Policy: p.DriftPolicy, PerMinute: p.DriftRepairsPerMinute, Tenants: []driftedTenant{},
	}
	reports, err := store.DriftReportsOf(ctx, st.Queries(), []billing.PlatformID{p.ID}, drift.Recent)
	if err != nil {
		return d, err
	}
	if r := drift.Last(reports[p.ID]); r != nil {
		d.LastReport = &fullReport{r.Name, r.BegunAt, r.CompletedAt, r.Outcomes, r.Repaired, r.Held}
	}
	if d.Differing, err = store.CountDiffering(ctx, st.Queries(), p.ID); err != nil {
		return d, err
	}
	rows, err := store.Differing(ctx, st.Queries(), p.ID, limit)
	if err != nil {
		return d, err
	}
	d.Tenants, err = driftedTenants(ctx, st, rows)
	return d, err
}

// driftedTenants gives tenants their names.
func driftedTenants(ctx context.Context, st *store.Store, rows []*drift.Tenant) ([]driftedTenant, error) {
	ids := make([]billing.TenantID, len(rows))
	for i, row := range rows {
		ids[i] = row.TenantID
	}
	known, err := store.Tenants.ByIDs(ctx, st.Queries(), ids)
	byID := make(map[billing.TenantID]*billing.Tenant, len(known))
	for i := range known {
		byID[known[i].ID] = &known[i]
	}
	list := make([]driftedTenant, 0, len(rows))
	for _, row := range rows {
		t := byID[row.TenantID]
		if t == nil {
			continue // deleted just now
		}
		one := driftedTenant{t.Code, t.Name, row.Outcome, row.Sequence, row.Since, row.CheckedAt, row.Persistent, nil, row.Differences}
		if row.RepairSequence > 0 {
			one.Repair = &row.RepairSequence
		}
		list = append(list, one)
	}
	return list, err
}

// printIndented prints something as JSON, for programs and for people who look at it.
func printIndented(p Process, what any) error {
	encoder := json.NewEncoder(p.Stdout)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(what)
}
