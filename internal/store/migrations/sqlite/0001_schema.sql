-- +goose Up
-- The whole schema. The other engine's file has the same tables in the same order; what differs between them is said
-- where it does.

-- Settings and counters

CREATE TABLE setting (
	name TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
) STRICT;

-- Numbers given out in commit order: the row stays locked until its transaction ends.
CREATE TABLE counter (
	name TEXT NOT NULL PRIMARY KEY,
	value INTEGER NOT NULL
) STRICT;

INSERT INTO counter (name, value) VALUES ('api_client', 0), ('signing_key', 0), ('catalog', 0), ('console_user', 0), ('attempt', 0);

-- Customers

CREATE TABLE test_clock (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL,
	now INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

-- search holds the folded name, code and contact addresses: what the words of a filter are matched against.
CREATE TABLE account (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL,
	code TEXT UNIQUE,
	billing_day INTEGER NOT NULL,
	timezone TEXT,
	currency_id TEXT,
	billing_contact_id INTEGER,
	billing_street TEXT,
	billing_city TEXT,
	billing_state TEXT,
	billing_zip TEXT,
	billing_country TEXT,
	shipping_street TEXT,
	shipping_city TEXT,
	shipping_state TEXT,
	shipping_zip TEXT,
	shipping_country TEXT,
	phone TEXT,
	fax TEXT,
	website TEXT,
	description TEXT,
	tax_number TEXT,
	net_payment_days INTEGER,
	account_type_id TEXT,
	address_validated INTEGER,
	annual_revenue INTEGER,
	duns TEXT,
	employees INTEGER,
	entity_use_code TEXT,
	group_id TEXT,
	industry_id TEXT,
	owner_user_id TEXT,
	test_clock_id INTEGER REFERENCES test_clock (id),
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX account_test_clock ON account (test_clock_id) WHERE test_clock_id IS NOT NULL;

CREATE TABLE contact (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL REFERENCES account (id),
	first_name TEXT NOT NULL,
	last_name TEXT,
	email TEXT,
	code TEXT,
	title TEXT,
	salutation TEXT,
	phone TEXT,
	mobile TEXT,
	mailing_street TEXT,
	mailing_city TEXT,
	mailing_state TEXT,
	mailing_zip TEXT,
	mailing_country TEXT,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX contact_account ON contact (account_id);
CREATE INDEX contact_code ON contact (code);

-- Platforms

-- A secret is sent only to the host it was set for: auth_token_for and plain_signature_key_for are the addresses of that
-- time.
CREATE TABLE platform (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	code TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	provisioning_enabled INTEGER NOT NULL,
	webhook_url TEXT,
	signing_secret_sealed TEXT NOT NULL,
	previous_secret_sealed TEXT,
	previous_secret_until INTEGER,
	auth_token_sealed TEXT NOT NULL,
	auth_token_for TEXT NOT NULL DEFAULT '',
	plain_signature_header TEXT,
	plain_signature_algorithm TEXT,
	plain_signature_key_sealed TEXT NOT NULL,
	plain_signature_key_for TEXT NOT NULL DEFAULT '',
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

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
	headers_for TEXT,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX workflow_platform ON workflow (platform_id);

-- What the sender knows about a platform's endpoint: whether it is paused, and the breaker. version counts the changes to where
-- and how webhooks are sent, and to whether they are.
CREATE TABLE webhook_endpoint (
	platform_id INTEGER NOT NULL PRIMARY KEY REFERENCES platform (id) ON DELETE CASCADE,
	paused_at INTEGER,
	pause_reason TEXT,
	failures INTEGER NOT NULL,
	failed_tenants TEXT NOT NULL,
	open_until INTEGER,
	open_delay INTEGER NOT NULL,
	latest_before INTEGER NOT NULL,
	version INTEGER NOT NULL DEFAULT 0
) STRICT;

-- +goose StatementBegin
CREATE TRIGGER platform_route AFTER UPDATE ON platform BEGIN
	UPDATE webhook_endpoint SET version = version + 1 WHERE platform_id = NEW.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER workflow_route AFTER UPDATE ON workflow BEGIN
	UPDATE webhook_endpoint SET version = version + 1 WHERE platform_id = NEW.platform_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER webhook_endpoint_route AFTER UPDATE OF paused_at, open_until ON webhook_endpoint
WHEN OLD.paused_at IS NOT NEW.paused_at OR OLD.open_until IS NOT NEW.open_until BEGIN
	UPDATE webhook_endpoint SET version = version + 1 WHERE platform_id = NEW.platform_id;
END;
-- +goose StatementEnd

-- The catalog. The _sorted indexes have the order in which people see it.

CREATE TABLE product (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	code TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	description TEXT,
	platform_id INTEGER REFERENCES platform (id),
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX product_platform ON product (platform_id);

CREATE TABLE feature (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	product_id INTEGER NOT NULL REFERENCES product (id),
	code TEXT NOT NULL,
	name TEXT NOT NULL,
	description TEXT,
	kind TEXT NOT NULL,
	position INTEGER NOT NULL,
	is_provisioned INTEGER NOT NULL,
	unit_name TEXT,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX feature_code ON feature (product_id, code);
CREATE INDEX feature_sorted ON feature (product_id, position, id);

CREATE TABLE plan (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	product_id INTEGER NOT NULL REFERENCES product (id),
	code TEXT,
	name TEXT NOT NULL,
	description TEXT,
	addon INTEGER NOT NULL,
	is_visible INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX plan_code ON plan (product_id, code);
CREATE INDEX plan_sorted ON plan (product_id, id);

CREATE TABLE plan_feature (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	plan_id INTEGER NOT NULL REFERENCES plan (id),
	feature_id INTEGER NOT NULL REFERENCES feature (id),
	value TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX plan_feature_pair ON plan_feature (plan_id, feature_id);
CREATE INDEX plan_feature_feature ON plan_feature (feature_id);

CREATE TABLE price_list (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	plan_id INTEGER NOT NULL REFERENCES plan (id),
	code TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	currency_id TEXT NOT NULL,
	renewal_term_months INTEGER NOT NULL,
	trial_allowed INTEGER NOT NULL,
	trial_length_days INTEGER,
	trial_expiration_action TEXT,
	is_visible INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX price_list_plan ON price_list (plan_id);

CREATE TABLE price_list_charge (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	price_list_id INTEGER NOT NULL REFERENCES price_list (id),
	code TEXT NOT NULL,
	name TEXT NOT NULL,
	feature_id INTEGER REFERENCES feature (id),
	charge_type TEXT NOT NULL,
	billing_period TEXT NOT NULL,
	pricing_model TEXT NOT NULL,
	price TEXT,
	tiers TEXT NOT NULL,
	quantity_min INTEGER,
	quantity_max INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX price_list_charge_code ON price_list_charge (price_list_id, code);
CREATE INDEX price_list_charge_feature ON price_list_charge (feature_id);
CREATE INDEX price_list_charge_sorted ON price_list_charge (price_list_id, id);

-- Every change of the catalog raises a counter, in the transaction of the change: a cache of the catalog is valid while
-- the number is the same.
-- +goose StatementBegin
CREATE TRIGGER product_catalog_insert AFTER INSERT ON product BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER product_catalog_update AFTER UPDATE ON product BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER product_catalog_delete AFTER DELETE ON product BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_catalog_insert AFTER INSERT ON plan BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_catalog_update AFTER UPDATE ON plan BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_catalog_delete AFTER DELETE ON plan BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER feature_catalog_insert AFTER INSERT ON feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER feature_catalog_update AFTER UPDATE ON feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER feature_catalog_delete AFTER DELETE ON feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_feature_catalog_insert AFTER INSERT ON plan_feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_feature_catalog_update AFTER UPDATE ON plan_feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_feature_catalog_delete AFTER DELETE ON plan_feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_catalog_insert AFTER INSERT ON price_list BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_catalog_update AFTER UPDATE ON price_list BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_catalog_delete AFTER DELETE ON price_list BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_charge_catalog_insert AFTER INSERT ON price_list_charge BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_charge_catalog_update AFTER UPDATE ON price_list_charge BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_charge_catalog_delete AFTER DELETE ON price_list_charge BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd

-- Subscriptions

CREATE TABLE tenant (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	platform_id INTEGER NOT NULL REFERENCES platform (id),
	account_id INTEGER NOT NULL REFERENCES account (id),
	code TEXT NOT NULL,
	name TEXT NOT NULL,
	subdomain TEXT,
	last_login INTEGER,
	user_count INTEGER,
	utilization_metrics TEXT,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX tenant_code ON tenant (platform_id, code);
CREATE INDEX tenant_account ON tenant (account_id);
CREATE INDEX tenant_platform ON tenant (platform_id, id);

-- code is what another system calls a subscription; it is found by that when it is imported again. due_on is the day on whose
-- beginning something happens next. charges is a list as JSON, read and written with its subscription; next_quantities are
-- the quantities given for a scheduled change of plan.
CREATE TABLE subscription (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	code TEXT,
	account_id INTEGER NOT NULL REFERENCES account (id),
	product_id INTEGER NOT NULL REFERENCES product (id),
	price_list_id INTEGER NOT NULL REFERENCES price_list (id),
	tenant_id INTEGER REFERENCES tenant (id),
	state TEXT NOT NULL,
	evergreen INTEGER NOT NULL,
	renewal_term_months INTEGER NOT NULL,
	start_date TEXT NOT NULL,
	end_date TEXT NOT NULL,
	term_start_date TEXT NOT NULL,
	anchor_day INTEGER NOT NULL,
	trial_start_date TEXT,
	trial_end_date TEXT,
	trial_expiration_action TEXT,
	cancellation_date TEXT,
	next_price_list_id INTEGER REFERENCES price_list (id),
	next_price_list_on TEXT,
	next_quantities TEXT,
	charges TEXT NOT NULL,
	as_of TEXT NOT NULL,
	problem TEXT,
	due_on TEXT,
	test_clock_id INTEGER REFERENCES test_clock (id),
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX subscription_code ON subscription (code) WHERE code IS NOT NULL;
CREATE INDEX subscription_account ON subscription (account_id);
CREATE INDEX subscription_tenant ON subscription (tenant_id);
CREATE INDEX subscription_product ON subscription (product_id, tenant_id);
CREATE INDEX subscription_price_list ON subscription (price_list_id);
CREATE INDEX subscription_next_price_list ON subscription (next_price_list_id) WHERE next_price_list_id IS NOT NULL;
CREATE INDEX subscription_state ON subscription (state, id);
CREATE INDEX subscription_problem ON subscription (id) WHERE problem IS NOT NULL;
-- What is due, the trials that an account has had of a product, and the tenants that a change of a plan reaches.
CREATE INDEX subscription_due ON subscription (due_on, id) WHERE due_on IS NOT NULL AND problem IS NULL AND test_clock_id IS NULL;
CREATE INDEX subscription_clock ON subscription (test_clock_id, due_on, id) WHERE test_clock_id IS NOT NULL;
CREATE INDEX subscription_trial ON subscription (account_id, product_id, id) WHERE trial_start_date IS NOT NULL;
CREATE INDEX subscription_live ON subscription (price_list_id, tenant_id, state) WHERE state IN ('TRIAL', 'ACTIVE');

CREATE TABLE subscription_change (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	subscription_id INTEGER NOT NULL REFERENCES subscription (id),
	at INTEGER NOT NULL,
	effective_at INTEGER NOT NULL,
	actor TEXT NOT NULL,
	kind TEXT NOT NULL,
	from_state TEXT,
	to_state TEXT NOT NULL,
	detail TEXT
) STRICT;
CREATE INDEX subscription_change_subscription ON subscription_change (subscription_id, id);

-- Work that goes on after the request that asked for it; cursor is how far it has come.
CREATE TABLE job (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	kind TEXT NOT NULL,
	state TEXT NOT NULL,
	total INTEGER NOT NULL,
	done INTEGER NOT NULL,
	failed INTEGER NOT NULL,
	params TEXT NOT NULL,
	cursor INTEGER NOT NULL,
	claim TEXT NOT NULL,
	claimed_until INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	finished_at INTEGER,
	error TEXT,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX job_open ON job (id) WHERE finished_at IS NULL;

-- Webhooks

-- An event is an immutable fact: its body never changes. A test event belongs to no tenant.
CREATE TABLE webhook_event (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	type TEXT NOT NULL,
	tenant_id INTEGER REFERENCES tenant (id),
	platform_id INTEGER NOT NULL REFERENCES platform (id),
	sequence INTEGER NOT NULL,
	reason TEXT NOT NULL,
	body TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_event_sequence ON webhook_event (tenant_id, sequence);
CREATE INDEX webhook_event_platform ON webhook_event (platform_id, id);

-- One row a tenant: its lock orders the tenant's events, and last_sequence numbers them without a gap. Deliveries have
-- positions: all up to done_position are finished. due_at is when to look at the stream next, and null if nothing waits; while
-- a request is under way it is when its lease ends. attempt_id is the lease: the id that the attempt will have, with tries its
-- number and started_at when it was taken. holder is the process that has the lease, 0 if it cannot prove that it is alive.
-- under_way and stopped keep their values from one request of a stream to the next, so that no index changes with them.
CREATE TABLE webhook_stream (
	tenant_id INTEGER NOT NULL PRIMARY KEY REFERENCES tenant (id),
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
CREATE INDEX webhook_stream_due ON webhook_stream (platform_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX webhook_stream_busy ON webhook_stream (platform_id) WHERE under_way;
CREATE INDEX webhook_stream_failing ON webhook_stream (platform_id) WHERE attempts > 0;
-- Tenants that are out of sync although nothing waits for them.
CREATE INDEX webhook_stream_stopped ON webhook_stream (platform_id) WHERE stopped;

-- A delivery is an event in a stream: once when it is recorded, and again each time it is resent. body is what a payload
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

-- An attempt is one request. Its row is written once, with its result; ids are given out beforehand.
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

-- What became of the webhooks recorded on a day of UTC, counted now and then: counting a million takes too long for a page,
-- and counting each as it is delivered would have all deliveries wait for one row.
CREATE TABLE webhook_day (
	day TEXT NOT NULL PRIMARY KEY,
	delivered INTEGER NOT NULL,
	failed INTEGER NOT NULL,
	replaced INTEGER NOT NULL,
	waiting INTEGER NOT NULL,
	counted_at INTEGER NOT NULL
) STRICT;

-- Access

-- A deleted client stays as a mark that its tokens are over; version orders all changes. The max_ columns are what a client may
-- use of each process; null is the server's default.
CREATE TABLE api_client (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	client_id TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	scopes TEXT NOT NULL,
	access_token_expires_in INTEGER NOT NULL,
	secret_hash TEXT NOT NULL,
	old_secret_hash TEXT NOT NULL,
	old_secret_until INTEGER,
	generation INTEGER NOT NULL,
	deleted INTEGER NOT NULL,
	last_used_at INTEGER,
	max_concurrent_requests INTEGER,
	max_cpu_seconds_per_minute INTEGER,
	max_megabytes_per_minute INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	version INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX api_client_version ON api_client (version);

-- A key is published when created, signs from active_from, and is forgotten at retires_at.
CREATE TABLE signing_key (
	kid TEXT NOT NULL PRIMARY KEY,
	sealed TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	active_from INTEGER NOT NULL,
	retires_at INTEGER
) STRICT;

-- Who signs in to the console. email_key is the address as it is compared, without regard to case. A disabled user cannot sign
-- in; what the user did keeps its name.
CREATE TABLE console_user (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	email TEXT NOT NULL,
	email_key TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	role TEXT NOT NULL,
	password_hash TEXT NOT NULL,
	disabled INTEGER NOT NULL DEFAULT false,
	last_sign_in_at INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

-- A browser that is signed in; the token itself is in its cookie only.
CREATE TABLE console_session (
	token_hash TEXT NOT NULL PRIMARY KEY,
	user_id INTEGER NOT NULL REFERENCES console_user (id),
	created_at INTEGER NOT NULL,
	seen_at INTEGER NOT NULL,
	address TEXT NOT NULL,
	browser TEXT NOT NULL
) STRICT;
CREATE INDEX console_session_user ON console_session (user_id);
CREATE INDEX console_session_seen ON console_session (seen_at);

-- Where somebody has signed in: networks, and browsers by the hash of a cookie. Attempts from there are counted apart, so that
-- nobody else can use them up.
CREATE TABLE sign_in_source (
	user_id INTEGER NOT NULL REFERENCES console_user (id) ON DELETE CASCADE,
	source TEXT NOT NULL,
	seen_at INTEGER NOT NULL,
	PRIMARY KEY (user_id, source)
) STRICT;
CREATE INDEX sign_in_source_seen ON sign_in_source (seen_at);

-- A request that carries an Idempotency-Key claims it here; each mutation in it records its result as a step.
CREATE TABLE idempotency_key (
	client TEXT NOT NULL,
	key TEXT NOT NULL,
	body_hash TEXT NOT NULL,
	claim TEXT NOT NULL,
	claimed_until INTEGER NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX idempotency_key_pair ON idempotency_key (client, key);
CREATE INDEX idempotency_key_created ON idempotency_key (created_at);

CREATE TABLE idempotency_step (
	client TEXT NOT NULL,
	key TEXT NOT NULL,
	step TEXT NOT NULL,
	outcome TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX idempotency_step_place ON idempotency_step (client, key, step);

-- The audit log

-- Times are found by their ids, which are nearly in their order.
CREATE TABLE audit_entry (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	at INTEGER NOT NULL,
	actor TEXT NOT NULL,
	action TEXT NOT NULL,
	subject_type TEXT NOT NULL,
	subject_id INTEGER NOT NULL,
	detail TEXT NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX audit_entry_kind ON audit_entry (actor, action, subject_type, id);
CREATE INDEX audit_entry_subject ON audit_entry (subject_type, subject_id, id);

-- The kind of an audit entry is all that words can find except its subject's id: who did what to which type of thing. There are
-- few kinds, so words are looked for among these, and the entries of a kind are one range of an index in the order of ids. A
-- trigger keeps the kinds. search is that of its entries without the subject's id, which stands last.
CREATE TABLE audit_kind (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	actor TEXT NOT NULL,
	action TEXT NOT NULL,
	subject_type TEXT NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX audit_kind_all ON audit_kind (actor, action, subject_type);

-- +goose StatementBegin
CREATE TRIGGER audit_kind_note AFTER INSERT ON audit_entry
WHEN NOT EXISTS (SELECT 1 FROM audit_kind WHERE actor = new.actor AND action = new.action AND subject_type = new.subject_type) BEGIN
	INSERT INTO audit_kind (actor, action, subject_type, search) VALUES (new.actor, new.action, new.subject_type, rtrim(new.search, '-0123456789'));
END;
-- +goose StatementEnd

-- Search: what the words of a filter are found by.
-- Pieces of one to five bytes of the searchable text, which the server's own function search_grams makes. Short pages let a
-- lookup skip most of a long list.

-- What the search tables have yet to be told. The server does so before it commits, for many transactions at once, and
-- before it looks something up in a transaction: a search table that is written to in a savepoint costs far more.
CREATE TABLE search_change (
	seq INTEGER PRIMARY KEY,
	of TEXT NOT NULL,
	command TEXT,
	id INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

CREATE VIEW account_grams AS SELECT id, search_grams(search) AS grams FROM account;
CREATE VIRTUAL TABLE account_search USING fts5 (grams, content='account_grams', content_rowid='id', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO account_search (account_search, rank) VALUES ('pgsz', 500);
-- +goose StatementBegin
CREATE TRIGGER account_search_insert AFTER INSERT ON account BEGIN
	INSERT INTO search_change (of, id, search) VALUES ('account', new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_search_delete AFTER DELETE ON account BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('account', 'delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_search_update AFTER UPDATE OF search ON account WHEN old.search <> new.search BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('account', 'delete', old.id, old.search);
	INSERT INTO search_change (of, id, search) VALUES ('account', new.id, new.search);
END;
-- +goose StatementEnd

CREATE VIEW contact_grams AS SELECT id, search_grams(search) AS grams FROM contact;
CREATE VIRTUAL TABLE contact_search USING fts5 (grams, content='contact_grams', content_rowid='id', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO contact_search (contact_search, rank) VALUES ('pgsz', 500);
-- +goose StatementBegin
CREATE TRIGGER contact_search_insert AFTER INSERT ON contact BEGIN
	INSERT INTO search_change (of, id, search) VALUES ('contact', new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_search_delete AFTER DELETE ON contact BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('contact', 'delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_search_update AFTER UPDATE OF search ON contact WHEN old.search <> new.search BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('contact', 'delete', old.id, old.search);
	INSERT INTO search_change (of, id, search) VALUES ('contact', new.id, new.search);
END;
-- +goose StatementEnd

CREATE VIEW tenant_grams AS SELECT id, search_grams(search) AS grams FROM tenant;
CREATE VIRTUAL TABLE tenant_search USING fts5 (grams, content='tenant_grams', content_rowid='id', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO tenant_search (tenant_search, rank) VALUES ('pgsz', 500);
-- +goose StatementBegin
CREATE TRIGGER tenant_search_insert AFTER INSERT ON tenant BEGIN
	INSERT INTO search_change (of, id, search) VALUES ('tenant', new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_search_delete AFTER DELETE ON tenant BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('tenant', 'delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_search_update AFTER UPDATE OF search ON tenant WHEN old.search <> new.search BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('tenant', 'delete', old.id, old.search);
	INSERT INTO search_change (of, id, search) VALUES ('tenant', new.id, new.search);
END;
-- +goose StatementEnd

CREATE VIEW subscription_grams AS SELECT id, search_grams(search) AS grams FROM subscription;
CREATE VIRTUAL TABLE subscription_search USING fts5 (grams, content='subscription_grams', content_rowid='id', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO subscription_search (subscription_search, rank) VALUES ('pgsz', 500);
-- +goose StatementBegin
CREATE TRIGGER subscription_search_insert AFTER INSERT ON subscription BEGIN
	INSERT INTO search_change (of, id, search) VALUES ('subscription', new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_search_delete AFTER DELETE ON subscription BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('subscription', 'delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_search_update AFTER UPDATE OF search ON subscription WHEN old.search <> new.search BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('subscription', 'delete', old.id, old.search);
	INSERT INTO search_change (of, id, search) VALUES ('subscription', new.id, new.search);
END;
-- +goose StatementEnd

-- Times: what rows are found by that were created or last changed at some time. A list is in the order of ids, so indexes
-- have them hour by hour, and within an hour by their ids; for longer times also by 16 hours and by 256.
CREATE INDEX account_created_1h ON account ((created_at / 3600000), id);
CREATE INDEX account_created_16h ON account ((created_at / 57600000), id);
CREATE INDEX account_created_256h ON account ((created_at / 921600000), id);
CREATE INDEX contact_created_1h ON contact ((created_at / 3600000), id);
CREATE INDEX contact_created_16h ON contact ((created_at / 57600000), id);
CREATE INDEX contact_created_256h ON contact ((created_at / 921600000), id);
CREATE INDEX tenant_created_1h ON tenant ((created_at / 3600000), id);
CREATE INDEX tenant_created_16h ON tenant ((created_at / 57600000), id);
CREATE INDEX tenant_created_256h ON tenant ((created_at / 921600000), id);
CREATE INDEX subscription_created_1h ON subscription ((created_at / 3600000), id);
CREATE INDEX subscription_created_16h ON subscription ((created_at / 57600000), id);
CREATE INDEX subscription_created_256h ON subscription ((created_at / 921600000), id);

-- The hour in which each row was last changed. It has a table of its own because indexing it in the row's table would defeat
-- HOT updates.
CREATE TABLE last_change (
	list TEXT NOT NULL,
	hour INTEGER NOT NULL,
	id INTEGER NOT NULL,
	PRIMARY KEY (list, hour, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX last_change_16h ON last_change (list, (hour / 16), id);
CREATE INDEX last_change_256h ON last_change (list, (hour / 256), id);

-- +goose StatementBegin
CREATE TRIGGER account_inserted AFTER INSERT ON account BEGIN
	INSERT INTO last_change (list, id, hour) VALUES ('account', new.id, new.updated_at / 3600000);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_updated AFTER UPDATE OF updated_at ON account WHEN old.updated_at / 3600000 <> new.updated_at / 3600000 BEGIN
	UPDATE last_change SET hour = new.updated_at / 3600000 WHERE list = 'account' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_deleted AFTER DELETE ON account BEGIN
	DELETE FROM last_change WHERE list = 'account' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER contact_inserted AFTER INSERT ON contact BEGIN
	INSERT INTO last_change (list, id, hour) VALUES ('contact', new.id, new.updated_at / 3600000);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_updated AFTER UPDATE OF updated_at ON contact WHEN old.updated_at / 3600000 <> new.updated_at / 3600000 BEGIN
	UPDATE last_change SET hour = new.updated_at / 3600000 WHERE list = 'contact' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_deleted AFTER DELETE ON contact BEGIN
	DELETE FROM last_change WHERE list = 'contact' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER tenant_inserted AFTER INSERT ON tenant BEGIN
	INSERT INTO last_change (list, id, hour) VALUES ('tenant', new.id, new.updated_at / 3600000);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_updated AFTER UPDATE OF updated_at ON tenant WHEN old.updated_at / 3600000 <> new.updated_at / 3600000 BEGIN
	UPDATE last_change SET hour = new.updated_at / 3600000 WHERE list = 'tenant' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_deleted AFTER DELETE ON tenant BEGIN
	DELETE FROM last_change WHERE list = 'tenant' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER subscription_inserted AFTER INSERT ON subscription BEGIN
	INSERT INTO last_change (list, id, hour) VALUES ('subscription', new.id, new.updated_at / 3600000);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_updated AFTER UPDATE OF updated_at ON subscription WHEN old.updated_at / 3600000 <> new.updated_at / 3600000 BEGIN
	UPDATE last_change SET hour = new.updated_at / 3600000 WHERE list = 'subscription' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_deleted AFTER DELETE ON subscription BEGIN
	DELETE FROM last_change WHERE list = 'subscription' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
