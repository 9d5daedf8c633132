package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// engine makes databases of one kind.
type engine struct {
	name string
	// create returns the address of a new, empty database.
	create func(ctx context.Context, name string) (string, error)
	seed   func(ctx context.Context, database string, n int) error
	// raw opens the database past the store, to fill it.
	raw func(database string) (*sql.DB, error)
	// bare opens the database as the server's reading side does.
	bare func(database string) (*bareDB, error)
	// databaseCPU is the CPU time of processes of the database, nil if it has
	// none of its own.
	databaseCPU func() (time.Duration, error)

	sets map[int]string // databases with accounts, by how many
}

// openEngines starts what the engines need. One that is not installed is left
// out. closeAll is never nil.
func openEngines(ctx context.Context, b *bench) (engines []*engine, closeAll func() error, err error) {
	closeAll = func() error { return nil }
	if slices.Contains(b.engines, "sqlite") {
		engines = append(engines, fileEngine(b))
	}
	if slices.Contains(b.engines, "postgres") && needsPostgres(b.only) {
		cluster, err := startCluster()
		if errors.Is(err, errNotInstalled) {
			say("PostgreSQL is not installed: left out")
			return engines, closeAll, nil
		}
		if err != nil {
			return nil, closeAll, err
		}
		closeAll = cluster.close
		engines = append(engines, clusterEngine(cluster))
	}
	return engines, closeAll, nil
}

func needsPostgres(only string) bool {
	return slices.ContainsFunc(measurements(), func(m measurement) bool { return m.perEngine && (only == "" || only == m.name) })
}

func fileEngine(b *bench) *engine {
	return &engine{
		name: "sqlite", seed: seedSQLite, raw: rawSQLite, bare: bareSQLite, sets: map[int]string{},
		create: func(_ context.Context, name string) (string, error) {
			return "sqlite:" + filepath.Join(b.temp, name, "tenantry.db"), nil
		},
	}
}

func clusterEngine(c *cluster) *engine {
	return &engine{name: "postgres", seed: seedPostgres, raw: rawPostgres, bare: barePostgres, sets: map[int]string{}, create: c.create, databaseCPU: c.server.CPU}
}

// accounts returns a database with n accounts. Measurements that only read
// share it.
func (e *engine) accounts(ctx context.Context, n int) (string, error) {
	if database, made := e.sets[n]; made {
		return database, nil
	}
	say("seeding %s with %s accounts", e.name, thousands(n))
	database, err := e.create(ctx, fmt.Sprintf("accounts_%d", n))
	if err != nil {
		return "", err
	}
	if err := migrate(ctx, database); err != nil {
		return "", err
	}
	if err := e.seed(ctx, database, n); err != nil {
		return "", fmt.Errorf("seed %s: %w", e.name, err)
	}
	say("seeded")
	e.sets[n] = database
	return database, nil
}
