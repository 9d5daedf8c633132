package app

import (
	"context"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// limitFlags are the flags for what an API client may take.
type limitFlags struct{ requests, cpu, megabytes *number }

func (f *flags) clientLimits() limitFlags {
	return limitFlags{
		f.number("max-requests", 0, "maximum number of its concurrent requests; 0 for the server's default"),
		f.number("max-cpu-seconds", 0, "seconds of CPU time per minute; 0 for the server's default"),
		f.number("max-megabytes", 0, "MiB of its requests and responses per minute; 0 for the server's default"),
	}
}

// set gives the limits to a client.
func (l limitFlags) set(c *billing.Client) {
	given := func(n *number) *int {
		if *n == 0 {
			return nil
		}
		limit := int(*n)
		return &limit
	}
	c.MaxConcurrentRequests, c.MaxCPUSecondsPerMinute, c.MaxMegabytesPerMinute = given(l.requests), given(l.cpu), given(l.megabytes)
}

func clientLimits(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "client limits")
	limits := f.clientLimits()
	return task{flags: f, arguments: []string{"CLIENT_ID"}, do: func(st *store.Store, arguments []string) error {
		client, err := clientNamed(ctx, st, arguments[0])
		if err != nil {
			return err
		}
		_, err = service.New(st, nil, nil).Access.ClientUpdate(byCommand(ctx), client.ID, func(c *billing.Client) error {
			limits.set(c)
			return nil
		})
		if err != nil {
			return flagProblems(err)
		}
		fmt.Fprintf(p.Stdout, "set the limits of %s (%s); servers follow within a second\n", client.ClientID, oneLine(client.Name))
		return nil
	}}.run(ctx, p, args)
}
