package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/tenantry/tenantry/internal/store"
)

// checkSchema compares the version of the schema with the one this program
// knows.
func checkSchema(ctx context.Context, p *Patient) ([]Finding, error) {
	have, known, err := p.store.SchemaVersions(ctx)
	switch {
	case errors.Is(err, store.ErrNoSchema):
		return one(problem("schema", "check that --db or --data-dir names the right database; \"tenantry migrate\" makes the tables",
			"the database has no tables of Tenantry"))
	case err != nil:
		return nil, err
	case have < known:
		return one(problem("schema", "make a backup, then start the server or run \"tenantry migrate\"; the data is not examined before",
			"the database has schema version %d, this program needs version %d", have, known))
	case have > known:
		return one(problem("schema", "use the newer program, or restore a backup from before",
			"the database has schema version %d, this program knows versions up to %d: it was written by a newer tenantry", have, known))
	}
	return nil, nil
}

// integrityTime is how long SQLite may read through its file.
const integrityTime = 2 * time.Minute

// checkIntegrity reads through a SQLite file for pages that do not fit together.
func checkIntegrity(ctx context.Context, p *Patient) ([]Finding, error) {
	if p.DatabaseFile == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, integrityTime)
	defer cancel()
	wrong, err := p.store.QuickCheck(ctx)
	if isOver(err) || ctx.Err() != nil {
		return one(warning(p.DatabaseFile, "run \"PRAGMA quick_check\" on a copy made by \"tenantry backup\"",
			"the file could not be checked within %s", integrityTime))
	}
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	if len(wrong) == 0 {
		return nil, nil
	}
	return one(problem(p.DatabaseFile, "stop the server, keep a copy of the file, and put the last backup in its place; check the disk",
		"the file is damaged: %s", wrong[0]))
}

// checkJournal finds a SQLite file in which readers and the writer would wait
// for each other.
func checkJournal(_ context.Context, p *Patient) ([]Finding, error) {
	if p.DatabaseFile == "" {
		return nil, nil
	}
	if ahead, err := p.store.WritesAhead(); err != nil || ahead {
		return nil, nil // a file that is too short for a header has no tables either
	}
	return one(warning(p.DatabaseFile, "start the server once, which sets it; if it stays, the file system does not support WAL: use a local disk",
		"the journal is not in WAL mode, so that reading and writing wait for each other"))
}

// oldestPostgres is the first major version that is supported.
const oldestPostgres = 13

func checkPostgresVersion(ctx context.Context, p *Patient) ([]Finding, error) {
	f, err := p.postgres(ctx)
	if err != nil || f == nil || f.Version/10000 >= oldestPostgres {
		return nil, err
	}
	return one(versionFinding(f.Version / 10000))
}

func versionFinding(major int) Finding {
	return problem("PostgreSQL", "upgrade PostgreSQL", "it is version %d; Tenantry needs %d or newer", major, oldestPostgres)
}

// checkPostgresDurability finds settings with which a crash of the machine loses
// or damages what was answered. Tenantry waits for the disk whatever
// synchronous_commit is, other programs on the database do not.
func checkPostgresDurability(ctx context.Context, p *Patient) (found []Finding, err error) {
	f, err := p.postgres(ctx)
	if err != nil || f == nil {
		return nil, err
	}
	if f.Fsync == "off" {
		found = append(found, problem("fsync", "set fsync = on in postgresql.conf and reload it",
			"fsync is off: a crash of the machine can damage the database beyond repair"))
	}
	if f.FullPageWrites == "off" {
		found = append(found, problem("full_page_writes", "set full_page_writes = on in postgresql.conf and reload it",
			"full_page_writes is off: a crash of the machine can damage pages that were half written"))
	}
	if f.SynchronousCommit == "off" {
		found = append(found, warning("synchronous_commit", "set synchronous_commit = on in postgresql.conf, unless you know that only Tenantry writes",
			"synchronous_commit is off: Tenantry switches it on for itself, but other programs can lose what they committed"))
	}
	return found, nil
}

// checkPostgresConnections finds a server that has fewer connections to give
// than one Tenantry uses.
func checkPostgresConnections(ctx context.Context, p *Patient) ([]Finding, error) {
	f, err := p.postgres(ctx)
	if err != nil || f == nil {
		return nil, err
	}
	const remedy = "raise max_connections (or the limit of the database or the user), or lower --database-connections; each replica needs as many again"
	switch {
	case f.Connections < f.Used:
		return one(problem("max_connections", remedy, "this user may open %d connections; one server uses up to %d", f.Connections, f.Used))
	case f.Connections-f.Taken < f.Used:
		return one(warning("max_connections", remedy, "of %d connections other programs have %d; one server uses up to %d",
			f.Connections, f.Taken, f.Used))
	}
	return nil, nil
}

// postgres returns the facts of a PostgreSQL server, nil on SQLite.
func (p *Patient) postgres(ctx context.Context) (*store.PostgresFacts, error) {
	if p.store.Engine() != "postgres" {
		return nil, nil
	}
	return p.store.PostgresFacts(ctx)
}
