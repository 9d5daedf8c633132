package store

import (
	"context"

	"github.com/tenantry/tenantry/internal/store/db"
)

// What others need of the engine, so that they need not know it.
type (
	// Tx is a transaction under way.
	Tx = db.Tx
	// Queries reads from the database, inside of a transaction or not.
	Queries = db.Queries
	// Options say how a database is opened.
	Options = db.Options
	// Pooler says what stands between this process and PostgreSQL.
	Pooler = db.Pooler
	// PostgresFacts is what the health of an installation on PostgreSQL rests on.
	PostgresFacts = db.PostgresFacts

	scanner = db.Row
)

// The kinds of poolers, and bounds of the engine.
const (
	PoolerAuto        = db.PoolerAuto
	PoolerNone        = db.PoolerNone
	PoolerTransaction = db.PoolerTransaction
	MinConnections    = db.MinConnections
	MostCounted       = db.MostCounted
)

// The errors of the engine.
var (
	ErrUnsure       = db.ErrUnsure
	ErrPooled       = db.ErrPooled
	ErrNoSchema     = db.ErrNoSchema
	ErrSecondServer = db.ErrSecondServer
)

// IsDuplicate reports whether err is a violated unique constraint.
func IsDuplicate(err error) bool { return db.IsDuplicate(err) }

// IsReference reports whether err is a violated foreign key: a row that is
// referred to does not exist, or one that is still referred to was deleted.
func IsReference(err error) bool { return db.IsReference(err) }

// IsFull reports whether err says that there is no room left on the disk.
func IsFull(err error) bool { return db.IsFull(err) }

// IsInDoubt reports whether nobody knows if the transaction that failed with err
// is committed.
func IsInDoubt(err error) bool { return db.IsInDoubt(err) }

// IsOutage reports whether err says that the database cannot do its work at the
// moment, and not that it was given something wrong.
func IsOutage(err error) bool { return db.IsOutage(err) }

// IsUnavailable reports whether err says that the database cannot answer at the
// moment, and that whoever asked should ask again.
func IsUnavailable(err error) bool { return db.IsUnavailable(err) }

// Rehearsing says that nothing which is done in this context lasts, so that nothing
// outside of the database must be done either: see DB.Rehearse.
func Rehearsing(ctx context.Context) bool { return db.Rehearsing(ctx) }

// WithoutRehearsal is a context that sees the database as others do.
func WithoutRehearsal(ctx context.Context) context.Context { return db.WithoutRehearsal(ctx) }

// ForRequest returns a context for what somebody asked for over the network. Its
// statements and transactions never take the last connections.
func ForRequest(ctx context.Context) context.Context { return db.ForRequest(ctx) }

// ForServer returns a context for work that others than the request wait for.
func ForServer(ctx context.Context) context.Context { return db.ForServer(ctx) }

// DefaultConnections is the size of the pool where a user may open that many
// connections to PostgreSQL.
func DefaultConnections(allowed int) int { return db.DefaultConnections(allowed) }
