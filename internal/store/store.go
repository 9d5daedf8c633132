package store

import (
	"context"
	"embed"
	"io/fs"

	"github.com/tenantry/tenantry/internal/store/db"
	"github.com/tenantry/tenantry/internal/store/search"
)

// Store is an open database with all that Tenantry keeps in it. It is safe for
// concurrent use.
type Store struct {
	*db.DB
	catalog catalogCache
}

//go:embed migrations
var migrationFiles embed.FS

// schema is what the engine must know. begin may be nil.
func schema(begin func(*Tx)) db.Schema {
	migrations, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return db.Schema{Migrations: migrations, Begin: begin, Settle: search.Settle}
}

// Open opens the database and brings its schema up to date. It refuses a
// database that a newer Tenantry has written.
func Open(ctx context.Context, o Options) (s *Store, err error) {
	s = &Store{}
	if s.DB, err = db.Open(ctx, o, schema(s.begin)); err != nil {
		return nil, err
	}
	return s, nil
}

// Restore puts a copy of a backup where a SQLite database is to be and returns
// its schema version. It refuses a backup that is damaged or not Tenantry's, and
// a path where there is a database, a part of one, or a server.
func Restore(ctx context.Context, backup, path string) (version int, err error) {
	return db.Restore(ctx, schema(nil), backup, path)
}

// Write is that of the database. What transactions missed in the catalog that is
// kept in memory is read afterwards.
func (s *Store) Write(ctx context.Context, do func(context.Context, *Tx) error) error {
	err := s.DB.Write(ctx, do)
	if db.Rehearsing(ctx) {
		return err // what is read here must not be kept
	}
	s.catalog.fill(ctx, s.Queries())
	return err
}

// txState is what a transaction that writes carries for the store.
type txState struct {
	catalog  *catalogCache // nil if the transaction changes the catalog
	settings txSettings
}

// begin attaches its state to a transaction.
func (s *Store) begin(tx *Tx) { tx.Attach(&txState{catalog: &s.catalog}) }

// Committed is a Snapshot that takes the catalog from memory where it can. Only what was
// committed may be read with it: in a rehearsal, the catalog may be another one.
func (s *Store) Committed() *Tx {
	tx := s.Snapshot()
	s.begin(tx)
	return tx
}

// stateOf returns what begin attached; elsewhere it is of no consequence.
func stateOf(q Queries) *txState {
	if state, has := db.Attached[*txState](q); has {
		return state
	}
	return &txState{}
}
