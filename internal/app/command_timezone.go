package app

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// timezone shows the operator's time zone, or sets it if one is named.
func timezone(ctx context.Context, p Process, args []string) error {
	return task{flags: newFlags(p, "timezone"), arguments: []string{"[ZONE]"}, do: func(st *store.Store, arguments []string) error {
		operations := service.New(st, nil, nil)
		if len(arguments) > 0 {
			if err := operations.Calendar.SetTimeZone(byCommand(ctx), arguments[0]); err != nil {
				return flagProblems(err)
			}
			fmt.Fprintln(p.Stderr, "the time zone is set; running servers follow within a second")
		}
		zone, err := operations.Calendar.TimeZone(ctx)
		if err != nil {
			return fmt.Errorf("the time zone in the database cannot be used: %w; set one with \"tenantry timezone ZONE\"", err)
		}
		fmt.Fprintln(p.Stdout, zone)
		next := billing.DateOf(st.Now(), zone).AddDays(1).Start(zone)
		fmt.Fprintf(p.Stderr, "subscriptions start, renew and end at its midnight; the next one is at %s (%s)\n",
			next.Format(time.RFC3339), next.UTC().Format(time.RFC3339))
		return nil
	}}.run(ctx, p, args)
}
