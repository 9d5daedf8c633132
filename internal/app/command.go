package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/tenantry/tenantry/internal/store"
)

// withStore runs a command on the database, beside a server if one runs.
func withStore(ctx context.Context, p Process, f *flags, c *config, args, names []string, do func(*store.Store, []string) error) error {
	f.database(c)
	positional, err := f.parse(args, names...)
	if err != nil {
		return err
	}
	if err := c.finish(p.Env); err != nil {
		return err
	}
	st, err := store.Open(ctx, store.Options{URL: c.db, Now: p.Now})
	if err != nil {
		return err
	}
	return errors.Join(do(st, positional), st.Close())
}

func migrate(ctx context.Context, p Process, args []string) error {
	var c config
	return withStore(ctx, p, newFlags(p, "migrate"), &c, args, nil, func(*store.Store, []string) error {
		fmt.Fprintln(p.Stdout, "the database is up to date")
		return nil
	})
}

func backup(ctx context.Context, p Process, args []string) error {
	var c config
	return withStore(ctx, p, newFlags(p, "backup"), &c, args, []string{"FILE"}, func(st *store.Store, positional []string) error {
		if err := st.Backup(ctx, positional[0]); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "wrote %s; back up the key file (secret.key) too, unless TENANTRY_SECRET_KEY is set\n", positional[0])
		return nil
	})
}
