-- +goose Up

-- What is done when an application reports to have something else than it was told.
ALTER TABLE platform ADD COLUMN drift_policy TEXT NOT NULL DEFAULT 'REPORT';
ALTER TABLE platform ADD COLUMN drift_repairs_per_minute INTEGER NOT NULL DEFAULT 60;

-- The full reports of applications. name is the application's id of a report. outcomes counts its tenants, as JSON. held says
-- that so many of them differed that a person has to decide on repairs.
CREATE TABLE drift_report (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	platform_id INTEGER NOT NULL REFERENCES platform (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	begun_at INTEGER NOT NULL,
	completed_at INTEGER,
	outcomes TEXT NOT NULL,
	repaired INTEGER NOT NULL,
	held INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX drift_report_name ON drift_report (platform_id, name);
CREATE INDEX drift_report_begun ON drift_report (platform_id, begun_at);

-- What came of comparing each tenant the last time. digest is the kind of drift, empty if there is nothing to repair. repair_digest
-- and repair_sequence are of the event that was last sent to repair it, 0 if none was since it was in sync. report_id is the newest full
-- report that names it, 0 if none does; there is no foreign key because reports are forgotten.
CREATE TABLE tenant_drift (
	tenant_id INTEGER NOT NULL PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
	platform_id INTEGER NOT NULL,
	outcome TEXT NOT NULL,
	sequence INTEGER NOT NULL,
	checked_at INTEGER NOT NULL,
	since INTEGER NOT NULL,
	differences TEXT NOT NULL,
	digest TEXT NOT NULL,
	repair_digest TEXT NOT NULL,
	repair_sequence INTEGER NOT NULL,
	repaired_at INTEGER,
	persistent INTEGER NOT NULL,
	report_id INTEGER NOT NULL
) STRICT;
CREATE INDEX tenant_drift_outcome ON tenant_drift (outcome, tenant_id, platform_id) WHERE outcome <> 'IN_SYNC';
CREATE INDEX tenant_drift_repairable ON tenant_drift (platform_id, repair_sequence, tenant_id) WHERE digest <> '';
CREATE INDEX tenant_drift_persistent ON tenant_drift (platform_id) WHERE persistent;

-- Whoever repairs tenants of a platform has its row, so that the limit holds for all servers together.
CREATE TABLE drift_turn (
	platform_id INTEGER NOT NULL PRIMARY KEY REFERENCES platform (id) ON DELETE CASCADE,
	taken_at INTEGER NOT NULL
) STRICT;

-- How many tenants of a platform were repaired when, in the last minute.
CREATE TABLE drift_repair (
	platform_id INTEGER NOT NULL REFERENCES platform (id) ON DELETE CASCADE,
	repaired_at INTEGER NOT NULL,
	tenants INTEGER NOT NULL
) STRICT;
CREATE INDEX drift_repair_at ON drift_repair (platform_id, repaired_at);
