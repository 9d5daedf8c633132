package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/tenantry/tenantry/internal/store/storetest"
)

var errNotInstalled = errors.New("PostgreSQL is not installed")

// cluster is a temporary PostgreSQL server that keeps every commit on disk.
type cluster struct {
	server *storetest.Server
	host   *host
}

// startCluster has package storetest start a server. That package is for tests
// and wants one; starting a server well is too much to be written twice.
func startCluster() (c *cluster, err error) {
	say("starting PostgreSQL")
	c = &cluster{host: &host{}}
	defer func() {
		if value := recover(); value != nil {
			ended, ok := value.(ending)
			if !ok {
				panic(value)
			}
			err = ended.err
		}
	}()
	c.server = storetest.PostgresServer(c.host, storetest.Durable())
	return c, nil
}

func (c *cluster) close() error { return c.host.end() }

func (c *cluster) create(ctx context.Context, name string) (string, error) {
	db, err := sql.Open("pgx", c.server.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "CREATE DATABASE "+name)
	return c.server.URL(name), err
}

// host is the part of a test that storetest uses. The interface inside is nil
// and only makes it a testing.TB: calling anything else panics.
type host struct {
	testing.TB
	cleanups []func()
	err      error
}

// ending is what a test's end is here.
type ending struct{ err error }

func (h *host) Helper() {}

func (h *host) Cleanup(f func()) { h.cleanups = append(h.cleanups, f) }

func (h *host) Errorf(format string, args ...any) {
	h.err = errors.Join(h.err, fmt.Errorf(format, args...))
}

func (h *host) Fatal(args ...any) { panic(ending{errors.New(fmt.Sprint(args...))}) }

func (h *host) Fatalf(format string, args ...any) { panic(ending{fmt.Errorf(format, args...)}) }

func (h *host) Skip(...any) { panic(ending{errNotInstalled}) }

func (h *host) end() error {
	for i := len(h.cleanups) - 1; i >= 0; i-- {
		h.cleanups[i]()
	}
	return h.err
}
