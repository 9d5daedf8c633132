package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/storetest"
)

// engine makes databases of one kind.
type engine struct {
	name string
	// create returns the address of a new, empty database.
	create func(ctx context.Context, name string) (string, error)
	seed   func(r *run, database string, n int)
	// raw opens the database past the store, to fill it.
	raw func(database string) (*sql.DB, error)
	// bare opens the database as the server's reading side does.
	bare func(database string) (*sql.DB, error)
	// databaseCPU is the CPU time of processes of the database, nil if it has
	// none of its own.
	databaseCPU func() (time.Duration, error)

	sets map[int]string // databases with accounts, by how many
}

// openEngines starts what the engines need. One that is not installed is left
// out.
func openEngines(s *scope, o options, temp string) (engines []*engine) {
	if slices.Contains(o.engines, "sqlite") {
		engines = append(engines, fileEngine(temp))
	}
	if !slices.Contains(o.engines, "postgres") || !needsPostgres(o.only) {
		return engines
	}
	say("starting PostgreSQL")
	err := catch(func() { engines = append(engines, clusterEngine(storetest.PostgresServer(s, storetest.Durable()))) })
	if errors.Is(err, errNotInstalled) {
		say("PostgreSQL is not installed: left out")
		return engines
	}
	check(err)
	return engines
}

func needsPostgres(only string) bool {
	return slices.ContainsFunc(measurements(), func(m measurement) bool { return m.perEngine && (only == "" || only == m.name) })
}

func fileEngine(temp string) *engine {
	return &engine{
		name: "sqlite", seed: seedSQLite, raw: rawSQLite, bare: bareSQLite, sets: map[int]string{},
		create: func(_ context.Context, name string) (string, error) {
			return "sqlite:" + filepath.Join(temp, name, "tenantry.db"), nil
		},
	}
}

// clusterEngine makes databases of a temporary PostgreSQL server that keeps
// every commit on disk.
func clusterEngine(server *storetest.Server) *engine {
	return &engine{
		name: "postgres", seed: seedPostgres, raw: rawPostgres, bare: barePostgres, sets: map[int]string{}, databaseCPU: server.CPU,
		create: func(ctx context.Context, name string) (string, error) {
			db, err := rawPostgres(server.URL("postgres"))
			if err != nil {
				return "", err
			}
			defer db.Close()
			_, err = db.ExecContext(ctx, "CREATE DATABASE "+name)
			return server.URL(name), err
		},
	}
}

// seeded returns a database with n accounts. Measurements that only read
// share it.
func (r *run) seeded(n int) string {
	e := r.engine
	if database, made := e.sets[n]; made {
		return database
	}
	say("seeding %s with %s accounts", e.name, thousands(n))
	database := r.create(fmt.Sprintf("accounts_%d", n))
	r.with(database, func(*store.Store) {}) // which makes its tables
	e.seed(r, database, n)
	say("seeded")
	e.sets[n] = database
	return database
}
