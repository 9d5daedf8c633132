-- +goose Up

-- A stream belongs to a subject, such as a tenant, and has an id of its own, by which events and deliveries refer to it.
-- So far that was the tenant's id. The stream's row is locked by whoever writes its events and deliveries, so they need no
-- foreign keys: on PostgreSQL, those would lock rows again to check that.
ALTER TABLE webhook_stream RENAME TO webhook_stream_of_tenant;
CREATE TABLE webhook_stream (
	id INTEGER PRIMARY KEY,
	subject_kind TEXT NOT NULL,
	subject_id INTEGER NOT NULL,
	platform_id INTEGER NOT NULL REFERENCES platform (id),
	last_sequence INTEGER NOT NULL,
	last_position INTEGER NOT NULL,
	newest_position INTEGER NOT NULL,
	done_position INTEGER NOT NULL,
	due_at INTEGER,
	attempt_id INTEGER,
	started_at INTEGER,
	holder INTEGER NOT NULL DEFAULT 0,
	attempts INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	give_way_at INTEGER,
	delivered_sequence INTEGER NOT NULL,
	highest_sequence INTEGER NOT NULL,
	delivered_at INTEGER,
	last_error TEXT,
	under_way INTEGER GENERATED ALWAYS AS (attempt_id IS NOT NULL) VIRTUAL,
	stopped INTEGER GENERATED ALWAYS AS (due_at IS NULL AND delivered_sequence <> last_sequence) VIRTUAL
) STRICT;
INSERT INTO webhook_stream (id, subject_kind, subject_id, platform_id, last_sequence, last_position, newest_position, done_position, due_at, attempt_id,
		started_at, holder, attempts, tries, give_way_at, delivered_sequence, highest_sequence, delivered_at, last_error)
	SELECT tenant_id, 'TENANT', tenant_id, platform_id, last_sequence, last_position, newest_position, done_position, due_at, attempt_id,
		started_at, holder, attempts, tries, give_way_at, delivered_sequence, highest_sequence, delivered_at, last_error
	FROM webhook_stream_of_tenant;
DROP TABLE webhook_stream_of_tenant;
CREATE UNIQUE INDEX webhook_stream_subject ON webhook_stream (subject_kind, subject_id);
CREATE INDEX webhook_stream_due ON webhook_stream (platform_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_stream_busy ON webhook_stream (platform_id) WHERE under_way;
CREATE INDEX webhook_stream_failing ON webhook_stream (platform_id) WHERE attempts > 0;
CREATE INDEX webhook_stream_stopped ON webhook_stream (platform_id) WHERE stopped;

ALTER TABLE webhook_event ADD COLUMN stream_id INTEGER;
UPDATE webhook_event SET stream_id = tenant_id;
DROP INDEX webhook_event_sequence;
ALTER TABLE webhook_event DROP COLUMN tenant_id;
CREATE UNIQUE INDEX webhook_event_sequence ON webhook_event (stream_id, sequence);

ALTER TABLE webhook_delivery ADD COLUMN stream_id INTEGER;
UPDATE webhook_delivery SET stream_id = tenant_id;
DROP INDEX webhook_delivery_position;
ALTER TABLE webhook_delivery DROP COLUMN tenant_id;
CREATE UNIQUE INDEX webhook_delivery_position ON webhook_delivery (stream_id, position);
