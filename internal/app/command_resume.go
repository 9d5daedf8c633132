package app

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// resume says that the time is right, so that servers that hold the lifecycle go
// on.
func resume(ctx context.Context, p Process, args []string) error {
	f := newFlags(p, "resume")
	dry := f.choice("dry-run", "say what would happen, and change nothing")
	f.Var(dry, "preview", "the same as --dry-run")
	return task{flags: f, do: func(st *store.Store, _ []string) error {
		operations := service.New(st, nil, nil)
		what, err := operations.Subscriptions.PreviewResume(ctx)
		if err == nil && !bool(*dry) {
			what, err = operations.Subscriptions.Resume(byCommand(ctx))
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "the time is %s\n", what.Now.UTC().Format(time.RFC3339))
		if !what.Last.IsZero() {
			fmt.Fprintf(p.Stdout, "subscriptions were last renewed and ended at %s\n", what.Last.UTC().Format(time.RFC3339))
		}
		fmt.Fprintf(p.Stdout, "something is due for %s\n", counted(what.Due, "subscription"))
		if bool(*dry) {
			fmt.Fprintln(p.Stderr, "nothing was changed")
			return nil
		}
		fmt.Fprintln(p.Stderr, "resumed; running servers go on within seconds")
		return nil
	}}.run(ctx, p, args)
}
