package storetest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/tenantry/tenantry/internal/store"
)

const templateName = "tenantry_template"

// template is a migrated database of the shared cluster. Copying it is
// quicker than running every migration for every test.
var template struct {
	once sync.Once
	err  error
}

// migratedPostgres returns the URL of a new database that has the schema
// already. A server that is not ours gets no template, which nobody would
// remove from it: its databases are empty, and opening them migrates them.
func migratedPostgres(t testing.TB) string {
	t.Helper()
	if os.Getenv(serverEnv) != "" {
		return Postgres(t)
	}
	server := available(t)
	template.once.Do(func() { template.err = makeTemplate(server) })
	if template.err != nil {
		t.Fatalf("make the template database: %v", template.err)
	}
	return createDatabase(t, server.URL("postgres"), templateName)
}

func makeTemplate(server *Server) error {
	if err := execute(server.URL("postgres"), "CREATE DATABASE "+templateName+" TEMPLATE template0"); err != nil {
		return err
	}
	s, err := store.Open(context.Background(), store.Options{URL: server.URL(templateName), Now: NewClock().Now})
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	// PostgreSQL copies no database that somebody is connected to.
	return s.Close()
}
