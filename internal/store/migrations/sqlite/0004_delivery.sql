-- +goose Up
ALTER TABLE platform ADD COLUMN previous_secret_sealed TEXT;
ALTER TABLE platform ADD COLUMN previous_secret_until INTEGER;

-- How the webhooks of a platform are sent; every platform has one. The address is the platform's.
CREATE TABLE workflow (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	platform_id INTEGER NOT NULL REFERENCES platform (id) ON DELETE CASCADE,
	name TEXT NOT NULL,
	description TEXT,
	enabled INTEGER NOT NULL,
	payload_program TEXT,
	timeout_seconds INTEGER NOT NULL,
	retry_delays TEXT NOT NULL,
	delivery_order TEXT NOT NULL,
	max_concurrency INTEGER NOT NULL,
	headers_sealed TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX workflow_platform ON workflow (platform_id);
INSERT INTO workflow (platform_id, name, description, enabled, payload_program, timeout_seconds, retry_delays, delivery_order, max_concurrency, headers_sealed, created_at, updated_at, search)
	SELECT id, 'Tenant Provisioning', NULL, 1, NULL, 10, '[5,30,120,600,1800,3600,7200,14400,28800,43200,43200,43200,43200,28800]', 'ORDERED', 32, '', created_at, created_at, 'tenant provisioning' FROM platform;

-- What the sender knows about a platform's endpoint: whether it is paused, and the breaker.
CREATE TABLE webhook_endpoint (
	platform_id INTEGER NOT NULL PRIMARY KEY REFERENCES platform (id) ON DELETE CASCADE,
	paused_at INTEGER,
	pause_reason TEXT,
	failures INTEGER NOT NULL,
	failed_tenants TEXT NOT NULL,
	open_until INTEGER,
	open_delay INTEGER NOT NULL,
	latest_before INTEGER NOT NULL
) STRICT;
INSERT INTO webhook_endpoint (platform_id, paused_at, pause_reason, failures, failed_tenants, open_until, open_delay, latest_before)
	SELECT id, NULL, NULL, 0, '[]', NULL, 0, 0 FROM platform;

-- A test event belongs to no tenant.
CREATE TABLE new_event (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	type TEXT NOT NULL,
	tenant_id INTEGER REFERENCES tenant (id),
	platform_id INTEGER NOT NULL REFERENCES platform (id),
	sequence INTEGER NOT NULL,
	reason TEXT NOT NULL,
	body TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
INSERT INTO new_event (id, type, tenant_id, platform_id, sequence, reason, body, created_at)
	SELECT id, type, tenant_id, platform_id, sequence, reason, body, created_at FROM webhook_event;
DROP TABLE webhook_event;
ALTER TABLE new_event RENAME TO webhook_event;
CREATE UNIQUE INDEX webhook_event_sequence ON webhook_event (tenant_id, sequence);
CREATE INDEX webhook_event_platform ON webhook_event (platform_id, id);

-- One row a tenant: its lock orders the tenant's events, and last_sequence numbers them without a gap. What is sent has
-- positions: all up to done_position is finished. due_at is when to look at the lane next, nothing waits if it is null;
-- while a request is under way that is when its lease ends, and attempt_id is the lease.
CREATE TABLE new_lane (
	tenant_id INTEGER NOT NULL PRIMARY KEY REFERENCES tenant (id),
	platform_id INTEGER NOT NULL REFERENCES platform (id),
	last_sequence INTEGER NOT NULL,
	last_position INTEGER NOT NULL,
	newest_position INTEGER NOT NULL,
	done_position INTEGER NOT NULL,
	due_at INTEGER,
	attempt_id INTEGER,
	attempts INTEGER NOT NULL,
	tries INTEGER NOT NULL,
	give_way_at INTEGER,
	delivered_sequence INTEGER NOT NULL,
	highest_sequence INTEGER NOT NULL,
	delivered_at INTEGER,
	last_error TEXT
) STRICT;
INSERT INTO new_lane (tenant_id, platform_id, last_sequence, last_position, newest_position, done_position, due_at, attempt_id, attempts, tries, give_way_at, delivered_sequence, highest_sequence, delivered_at, last_error)
	SELECT webhook_lane.tenant_id, tenant.platform_id, last_sequence, last_sequence, last_sequence, CASE WHEN last_sequence > 0 THEN last_sequence - 1 ELSE 0 END,
		CASE WHEN last_sequence > 0 THEN 0 END, NULL, 0, 0, NULL, 0, 0, NULL, NULL
	FROM webhook_lane JOIN tenant ON tenant.id = webhook_lane.tenant_id;
DROP TABLE webhook_lane;
ALTER TABLE new_lane RENAME TO webhook_lane;
CREATE INDEX webhook_lane_due ON webhook_lane (platform_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_lane_busy ON webhook_lane (platform_id) WHERE attempt_id IS NOT NULL;
CREATE INDEX webhook_lane_failing ON webhook_lane (platform_id) WHERE attempts > 0;

-- A delivery is an event in a lane: once when it is recorded, and again each time it is resent. body is what a payload
-- program made of the event. latest is the newest delivery of its event, whose state is the event's.
CREATE TABLE webhook_delivery (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	event_id INTEGER NOT NULL REFERENCES webhook_event (id),
	platform_id INTEGER NOT NULL,
	tenant_id INTEGER REFERENCES tenant (id),
	position INTEGER NOT NULL,
	cause TEXT NOT NULL,
	forced INTEGER NOT NULL,
	state TEXT NOT NULL,
	latest INTEGER NOT NULL,
	body TEXT,
	superseded_by INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_delivery_position ON webhook_delivery (tenant_id, position);
CREATE INDEX webhook_delivery_event ON webhook_delivery (event_id);
CREATE INDEX webhook_delivery_open ON webhook_delivery (platform_id, state, event_id) WHERE state <> 'delivered';
INSERT INTO webhook_delivery (event_id, platform_id, tenant_id, position, cause, forced, state, latest, body, superseded_by, created_at, updated_at)
	SELECT webhook_event.id, webhook_event.platform_id, webhook_event.tenant_id, sequence, 'change', 0, CASE WHEN sequence = last_sequence THEN 'waiting' ELSE 'superseded' END, 1, NULL,
		CASE WHEN sequence = last_sequence THEN NULL ELSE (SELECT newest.id FROM webhook_event AS newest WHERE newest.tenant_id = webhook_event.tenant_id AND newest.sequence = last_sequence) END,
		webhook_event.created_at, webhook_event.created_at
	FROM webhook_event JOIN webhook_lane ON webhook_lane.tenant_id = webhook_event.tenant_id;

-- An attempt is one request. Its row is there before the first byte is sent.
CREATE TABLE webhook_attempt (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	delivery_id INTEGER NOT NULL REFERENCES webhook_delivery (id),
	number INTEGER NOT NULL,
	outcome TEXT NOT NULL,
	url TEXT NOT NULL,
	address TEXT,
	status INTEGER,
	error TEXT,
	request_headers TEXT NOT NULL,
	response_headers TEXT,
	response_body TEXT,
	truncated INTEGER NOT NULL,
	timings TEXT,
	started_at INTEGER NOT NULL,
	finished_at INTEGER
) STRICT;
CREATE INDEX webhook_attempt_delivery ON webhook_attempt (delivery_id, number);
