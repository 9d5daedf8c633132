package db

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Pooler says what stands between this process and PostgreSQL.
type Pooler string

// A pooler in transaction mode gives each transaction another session, so that
// nothing may be left in one: no prepared statement, no setting, no LISTEN, no
// lock. PoolerAuto finds out whether there is a pooler and takes it for one in
// that mode.
const (
	PoolerAuto        Pooler = "auto"
	PoolerNone        Pooler = "none"
	PoolerTransaction Pooler = "transaction"
)

const (
	// mostConnections is the size of the pool if PostgreSQL allows it; more
	// gained nothing when measured.
	mostConnections = 16
	// MinConnections is the smallest pool: while one connection migrates,
	// another one holds the lock.
	MinConnections = 2
	// otherConnections are those beside the pool: one hears of other processes,
	// one shows them that this one lives, one is for a short time, as while the
	// server starts.
	otherConnections = 3
)

// DefaultConnections is the size of the pool where a user may open that many
// connections: two servers and what they need beside the pool fit into them.
func DefaultConnections(allowed int) int {
	return min(mostConnections, max(MinConnections, allowed/2-otherConnections))
}

// allowedConnections is how many connections this user may open to this
// database, whoever has them.
const allowedConnections = `LEAST(CAST(current_setting('max_connections') AS INTEGER)
		- CAST(current_setting('superuser_reserved_connections') AS INTEGER)
		- COALESCE(CAST(NULLIF(current_setting('reserved_connections', true), '') AS INTEGER), 0),
	(SELECT NULLIF(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
	(SELECT NULLIF(rolconnlimit, -1) FROM pg_roles WHERE rolname = session_user))`

// probe is what a first connection tells about the server.
type probe struct {
	allowed int
	// pooled says that the session behind the connection may change.
	pooled bool
}

// probePostgres looks at the server before the pool is made. A pooler makes up
// the process id that a client is told when it connects; the session behind it
// knows its own.
func probePostgres(ctx context.Context, config *pgx.ConnConfig, pooler Pooler) (p probe, err error) {
	config = config.Copy()
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	conn, err := whenFree(ctx, func() (*pgx.Conn, error) { return pgx.ConnectConfig(ctx, config) })
	if err != nil {
		return p, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var process uint32
	if err := conn.QueryRow(ctx, `SELECT pg_backend_pid(), `+allowedConnections).Scan(&process, &p.allowed); err != nil {
		return p, err
	}
	p.pooled = pooler == PoolerTransaction || pooler != PoolerNone && process != conn.PgConn().PID()
	return p, nil
}
