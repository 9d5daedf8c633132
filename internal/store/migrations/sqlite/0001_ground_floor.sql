-- +goose Up
CREATE TABLE setting (
	name TEXT NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
) STRICT;

-- Numbers given out in commit order: the row stays locked until its transaction ends.
CREATE TABLE counter (
	name TEXT NOT NULL PRIMARY KEY,
	value INTEGER NOT NULL
) STRICT;

-- search holds the folded name, code and contact addresses: what free words of a filter match.
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
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX account_created ON account (created_at);

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

CREATE TABLE platform (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	code TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	provisioning_enabled INTEGER NOT NULL,
	webhook_url TEXT,
	signing_secret_sealed TEXT NOT NULL,
	auth_token_sealed TEXT NOT NULL,
	plain_signature_header TEXT,
	plain_signature_algorithm TEXT,
	plain_signature_key_sealed TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

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

-- A deleted client stays as a mark that its tokens are over; version orders all changes.
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
CREATE INDEX audit_entry_at ON audit_entry (at);
CREATE INDEX audit_entry_subject ON audit_entry (subject_type, subject_id);

-- A request that carries an Idempotency-Key claims it here; each mutation in it records its outcome as a step.
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

CREATE VIRTUAL TABLE account_search USING fts5 (search, content='account', content_rowid='id', tokenize='trigram case_sensitive 1');
-- +goose StatementBegin
CREATE TRIGGER account_search_insert AFTER INSERT ON account BEGIN
	INSERT INTO account_search (rowid, search) VALUES (new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_search_delete AFTER DELETE ON account BEGIN
	INSERT INTO account_search (account_search, rowid, search) VALUES ('delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_search_update AFTER UPDATE OF search ON account WHEN old.search <> new.search BEGIN
	INSERT INTO account_search (account_search, rowid, search) VALUES ('delete', old.id, old.search);
	INSERT INTO account_search (rowid, search) VALUES (new.id, new.search);
END;
-- +goose StatementEnd

CREATE VIRTUAL TABLE contact_search USING fts5 (search, content='contact', content_rowid='id', tokenize='trigram case_sensitive 1');
-- +goose StatementBegin
CREATE TRIGGER contact_search_insert AFTER INSERT ON contact BEGIN
	INSERT INTO contact_search (rowid, search) VALUES (new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_search_delete AFTER DELETE ON contact BEGIN
	INSERT INTO contact_search (contact_search, rowid, search) VALUES ('delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_search_update AFTER UPDATE OF search ON contact WHEN old.search <> new.search BEGIN
	INSERT INTO contact_search (contact_search, rowid, search) VALUES ('delete', old.id, old.search);
	INSERT INTO contact_search (rowid, search) VALUES (new.id, new.search);
END;
-- +goose StatementEnd

INSERT INTO counter (name, value) VALUES ('api_client', 0), ('signing_key', 0);
