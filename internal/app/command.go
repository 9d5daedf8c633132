package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tenantry/tenantry/internal/store"
)

// task is a command on the database, beside a server if one runs.
type task struct {
	flags     *flags
	arguments []string // names of the positional ones, which do gets
	creates   bool     // makes a database where there is none
	asItIs    bool     // leaves the schema alone
	config    *config  // is filled in, if it is not nil
	do        func(st *store.Store, arguments []string) error
}

func (t task) run(ctx context.Context, p Process, args []string) error {
	c := t.config
	if c == nil {
		c = &config{}
	}
	t.flags.database(c)
	positional, err := t.flags.parse(args, t.arguments...)
	if err != nil {
		return err
	}
	if err := c.finish(p.Env); err != nil {
		return err
	}
	if !t.creates {
		if err := c.mustExist(); err != nil {
			return err
		}
	}
	options := p.databaseOptions(c)
	options.SkipMigrations = t.asItIs
	st, err := store.Open(ctx, options)
	if err != nil {
		return err
	}
	return errors.Join(t.do(st, positional), st.Close())
}

// mustExist keeps a command in the wrong directory from working on a new,
// empty database: its backup would be worth nothing, and its API client
// unknown to the server.
func (c *config) mustExist() error {
	if !c.isSQLite() {
		return nil
	}
	_, err := os.Stat(c.sqlitePath())
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the database cannot be looked at: %w; run this as the user that the server runs as", err)
	case err != nil:
		return fmt.Errorf("there is no database to work on: %w; say where it is with --data-dir or --db, "+
			"or make one with \"tenantry migrate\"", err)
	}
	return nil
}

func migrate(ctx context.Context, p Process, args []string) error {
	return task{flags: newFlags(p, "migrate"), creates: true, do: func(*store.Store, []string) error {
		fmt.Fprintln(p.Stdout, "the database is up to date")
		return nil
	}}.run(ctx, p, args)
}

// backup copies the database as it is: the copy before an upgrade must not be
// upgraded.
func backup(ctx context.Context, p Process, args []string) error {
	return task{flags: newFlags(p, "backup"), arguments: []string{"FILE"}, asItIs: true, do: func(st *store.Store, arguments []string) error {
		if err := st.Backup(ctx, arguments[0]); err != nil {
			return err
		}
		fmt.Fprintf(p.Stdout, "wrote %s; back up the key file (secret.key) too, unless TENANTRY_SECRET_KEY is set\n", arguments[0])
		return nil
	}}.run(ctx, p, args)
}
