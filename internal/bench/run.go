package main

import (
	"database/sql"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// run is one measurement on one engine. What it opens is closed at its end.
type run struct {
	testing.TB
	options
	engine *engine
	temp   string // everything it keeps on disk, but for PostgreSQL
}

// closing closes something at the end of the measurement.
func (r *run) closing(close func() error) {
	r.Cleanup(func() {
		if err := close(); err != nil {
			r.Errorf("%v", err)
		}
	})
}

// create returns the address of a new, empty database.
func (r *run) create(name string) string { return must(r.engine.create(r.Context(), name)) }

// open opens the store of a database.
func (r *run) open(database string) *store.Store {
	st := must(store.Open(r.Context(), store.Options{URL: database, Now: now}))
	r.closing(st.Close)
	return st
}

// with opens the store of a database for as long as do takes.
func (r *run) with(database string, do func(*store.Store)) {
	st := must(store.Open(r.Context(), store.Options{URL: database, Now: now}))
	defer func() { check(st.Close()) }()
	do(st)
}

// raw opens a database past the store, to fill it.
func (r *run) raw(database string) *sql.DB {
	db := must(r.engine.raw(database))
	r.closing(db.Close)
	return db
}

// execute runs statements past the store.
func (r *run) execute(db *sql.DB, statements ...string) {
	for _, text := range statements {
		if _, err := db.ExecContext(r.Context(), text); err != nil {
			check(fmt.Errorf("%w in %.60s", err, text))
		}
	}
}

// result is what was measured on the engine of this run.
func (r *run) result(name, unit string, measured, against float64) result {
	return result{Name: name, Engine: r.engine.name, Unit: unit, Measured: measured, Against: against, Ratio: measured / against}
}

// compare lets two sides take turns, for as long as the flags say.
func (r *run) compare(name string, a, b side) result { return r.compareIn(name, turnTime, a, b) }

// compareIn is compare with turns of that length, for sides that take a while
// to begin.
func (r *run) compareIn(name string, turn time.Duration, a, b side) result {
	for _, s := range []side{a, b} {
		must(s(r.Context(), warmUp))
	}
	var measured, against, ratios []float64
	for range max(1, int(r.duration()/turn)) {
		runtime.GC() // nobody pays for what the other side left behind
		one := must(a(r.Context(), turn))
		runtime.GC()
		other := must(b(r.Context(), turn))
		measured, against, ratios = append(measured, one), append(against, other), append(ratios, one/other)
	}
	found := r.result(name, "/s", median(measured), median(against))
	found.Ratio = median(ratios) // of neighbouring turns, which met the same machine
	return found
}

// operations are the service's, on a store of the benchmark's own.
func operations(st *store.Store) *service.Service {
	return service.New(st, must(secret.NewBox(secretKey)), nil)
}
