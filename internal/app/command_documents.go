package app

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/store"
)

// documentsVerify recomputes everything that was issued.
func documentsVerify(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "documents verify")
	code := f.String("entity", "", "only documents of the entity with this code")
	from := f.String("from", "", "only documents issued on this day or later, such as 2026-01-31")
	return task{flags: f, do: func(st *store.Store, _ []string) error {
		CollectLate()
		entity, err := entityByCode(ctx, st, *code)
		if err != nil {
			return err
		}
		var day *billing.Date
		if *from != "" {
			d, err := billing.ParseDate(*from)
			if err != nil {
				return usage("--from must be a date such as 2026-01-31, not %q", *from)
			}
			day = &d
		}
		shown := newProgress(p.Stderr, p.now)
		v, err := service.New(st, nil, nil).Invoicing.DocumentsVerify(ctx, entity, day, func(v *invoicing.Verification) {
			shown.tell("verifying documents", v.Documents, 0)
		})
		shown.end()
		if err != nil {
			return err
		}
		for _, finding := range v.Findings {
			fmt.Fprintln(p.Stdout, finding)
		}
		if v.Failed > 0 {
			return fmt.Errorf("%s were found in %s and %s", counted(v.Failed, "error"), counted(v.Documents, "document"), counted(v.Subscriptions, "subscription"))
		}
		fmt.Fprintf(p.Stdout, "verified %s, and the amounts billed for %s\n", counted(v.Documents, "document"), counted(v.Subscriptions, "subscription"))
		return nil
	}}.run(ctx, p, args)
}

// entityByCode is the entity with a code, nil if none is given.
func entityByCode(ctx context.Context, st *store.Store, code string) (*billing.EntityID, error) {
	if code == "" {
		return nil, nil
	}
	e, err := store.Entities.ByCode(ctx, st.Queries(), code)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, fmt.Errorf("there is no entity %q", code)
	}
	return &e.ID, nil
}
