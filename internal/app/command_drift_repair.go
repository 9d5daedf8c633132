package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/webhook"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/drifts"
	"github.com/tenantry/tenantry/internal/store"
)

// repairDrift tells tenants that differ their state again: those that are named, or all
// of a platform.
func repairDrift(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "drift repair")
	code := f.String("platform", "", "the code of a platform: all its tenants that differ, or where those that are named are")
	shown := f.preview()
	return task{flags: f, arguments: []string{"[TENANT_CODE...]"}, do: func(st *store.Store, codes []string) error {
		if *code == "" && len(codes) == 0 {
			return usage("name tenants, or give --platform")
		}
		if err := shown.check(); err != nil {
			return err
		}
		var platform *webhook.Platform
		var err error
		if *code != "" {
			if platform, err = platformByCode(ctx, st, *code); err != nil {
				return err
			}
		}
		meant := repairOf{platform: platform}
		if meant.tenants, err = tenantsNamed(ctx, st, platform, codes); err != nil {
			return err
		}
		svc := service.New(st, nil, nil)
		if bool(*shown.on) {
			return shown.show(byCommand(ctx), p, svc.Impact.Foretell, func(ctx context.Context) error {
				_, err := meant.do(ctx, svc)
				return err
			})
		}
		done, err := meant.do(byCommand(ctx), svc)
		if err != nil {
			return err
		}
		return printRepaired(ctx, p.Stdout, st, done)
	}}.run(ctx, p, args)
}

// repairOf is what somebody wants to have repaired: tenants, or if there are none all of
// a platform.
type repairOf struct {
	platform *webhook.Platform
	tenants  []billing.TenantID
}

// do repairs them. It is an error if there is nothing to repair, so that nobody thinks
// that something was.
func (r repairOf) do(ctx context.Context, svc *service.Service) (*drifts.Repaired, error) {
	var platform *billing.PlatformID
	if len(r.tenants) == 0 {
		platform = &r.platform.ID
	}
	done, err := svc.Drifts.DriftRepair(ctx, platform, r.tenants)
	switch {
	case err != nil:
		return nil, eventProblems(err)
	case len(done.Tenants) > 0 || done.Waiting > 0:
		return done, nil
	case len(r.tenants) > 0:
		return nil, errors.New("nothing was sent: none of these tenants differs, or they were told their state already and have not reported since")
	}
	return nil, fmt.Errorf("nothing was sent: no tenant of the platform %q differs, or they were told their state already and have not reported since", r.platform.Code)
}

// tenantsNamed finds tenants by their codes, which only a platform makes unique.
func tenantsNamed(ctx context.Context, st *store.Store, platform *webhook.Platform, codes []string) (ids []billing.TenantID, err error) {
	for _, code := range codes {
		t, err := tenantNamed(ctx, st, platform, code)
		if err != nil {
			return nil, err
		}
		ids = append(ids, t.ID)
	}
	return ids, nil
}

func tenantNamed(ctx context.Context, st *store.Store, platform *webhook.Platform, code string) (*billing.Tenant, error) {
	if platform != nil {
		t, err := store.TenantByCode(ctx, st.Queries(), platform.ID, code)
		if err == nil && t == nil {
			err = fmt.Errorf("the platform %q has no tenant %q", platform.Code, code)
		}
		return t, err
	}
	found, err := store.TenantsByBareCode(ctx, st.Queries(), code)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, fmt.Errorf("there is no tenant %q", code)
	case len(found) > 1:
		return nil, fmt.Errorf("there are tenants %q on several platforms; say which one with --platform", code)
	}
	return &found[0], nil
}

// printRepaired says who is told, with which event, and how many wait.
func printRepaired(ctx context.Context, out io.Writer, st *store.Store, done *drifts.Repaired) error {
	tenants, err := store.Tenants.ByIDs(ctx, st.Queries(), done.Tenants)
	if err != nil {
		return err
	}
	rows, err := store.DriftOf(ctx, st.Queries(), done.Tenants)
	if err != nil {
		return err
	}
	for _, t := range tenants {
		if row := rows[t.ID]; row != nil {
			fmt.Fprintf(out, "%s is told its state with event %d\n", oneLine(t.Code), row.RepairSequence)
		}
	}
	fmt.Fprintf(out, "repaired %s", counted(len(done.Tenants), "tenant"))
	if done.Waiting > 0 {
		fmt.Fprintf(out, "; %s left: no more are repaired in one minute, and they follow by themselves", upTo(done.Waiting, "tenant"))
	}
	fmt.Fprintln(out)
	return nil
}
