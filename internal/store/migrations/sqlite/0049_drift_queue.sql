-- +goose Up

-- report_outcome is the outcome that the report of report_id counts the tenant with: other reports may have said something else since.
-- turn_at is when the difference was found or last repaired, by which tenants are repaired in turn. queued_by is why the tenant waits
-- to be repaired: the id of a full report, -1 for a report of some tenants, -2 for a person, 0 if it does not wait.
ALTER TABLE tenant_drift ADD COLUMN report_outcome TEXT NOT NULL DEFAULT '';
ALTER TABLE tenant_drift ADD COLUMN turn_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tenant_drift ADD COLUMN queued_by INTEGER NOT NULL DEFAULT 0;
UPDATE tenant_drift SET report_outcome = outcome, turn_at = COALESCE(repaired_at, since);
DROP INDEX tenant_drift_repairable;
CREATE INDEX tenant_drift_differing ON tenant_drift (platform_id, turn_at, tenant_id) WHERE digest <> '';
CREATE INDEX tenant_drift_untold ON tenant_drift (platform_id, turn_at, tenant_id) WHERE digest <> '' AND (digest <> repair_digest OR persistent);
CREATE INDEX tenant_drift_queued ON tenant_drift (platform_id, queued_by, turn_at, tenant_id) WHERE queued_by <> 0;

-- repairing says that tenants of a full report still wait to be repaired. swept is the tenant up to which those that the report does
-- not name were looked for.
ALTER TABLE drift_report ADD COLUMN repairing INTEGER NOT NULL DEFAULT false;
ALTER TABLE drift_report ADD COLUMN swept INTEGER NOT NULL DEFAULT 0;
CREATE INDEX drift_report_repairing ON drift_report (platform_id) WHERE repairing;

-- The requests of a full report that is not complete, by the codes in them, with how many of those are no tenants of the platform:
-- a request that is sent again counts once.
CREATE TABLE drift_part (
	report_id INTEGER NOT NULL REFERENCES drift_report (id) ON DELETE CASCADE,
	digest TEXT NOT NULL,
	unknown INTEGER NOT NULL,
	PRIMARY KEY (report_id, digest)
) STRICT;

-- next_at is when tenants that wait are repaired, null if none waits. asked_at is when a person asked to repair all that differ, until
-- that is done.
ALTER TABLE drift_turn ADD COLUMN next_at INTEGER;
ALTER TABLE drift_turn ADD COLUMN asked_at INTEGER;
CREATE INDEX drift_turn_next ON drift_turn (next_at) WHERE next_at IS NOT NULL;
