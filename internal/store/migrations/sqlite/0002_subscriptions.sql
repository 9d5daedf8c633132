-- +goose Up
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

CREATE TABLE test_clock (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL,
	now INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

-- due_on is the day on whose beginning something happens next; charges is a list as JSON, read and written with its subscription.
CREATE TABLE subscription (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
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
	charges TEXT NOT NULL,
	as_of TEXT NOT NULL,
	problem TEXT,
	due_on TEXT,
	test_clock_id INTEGER REFERENCES test_clock (id),
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX subscription_account ON subscription (account_id);
CREATE INDEX subscription_tenant ON subscription (tenant_id);
CREATE INDEX subscription_product ON subscription (product_id, tenant_id);
CREATE INDEX subscription_price_list ON subscription (price_list_id);
CREATE INDEX subscription_next_price_list ON subscription (next_price_list_id) WHERE next_price_list_id IS NOT NULL;
CREATE INDEX subscription_due ON subscription (due_on, id) WHERE due_on IS NOT NULL AND problem IS NULL AND test_clock_id IS NULL;
CREATE INDEX subscription_clock ON subscription (test_clock_id, due_on, id) WHERE test_clock_id IS NOT NULL;
CREATE INDEX subscription_state ON subscription (state, id);

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

-- An event is an immutable fact: its body never changes.
CREATE TABLE webhook_event (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	type TEXT NOT NULL,
	tenant_id INTEGER NOT NULL REFERENCES tenant (id),
	platform_id INTEGER NOT NULL REFERENCES platform (id),
	sequence INTEGER NOT NULL,
	reason TEXT NOT NULL,
	body TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX webhook_event_sequence ON webhook_event (tenant_id, sequence);

-- One row a tenant: its lock orders the tenant's events, and last_sequence numbers them without a gap.
CREATE TABLE webhook_lane (
	tenant_id INTEGER NOT NULL PRIMARY KEY REFERENCES tenant (id),
	last_sequence INTEGER NOT NULL
) STRICT;

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

CREATE VIRTUAL TABLE tenant_search USING fts5 (search, content='tenant', content_rowid='id', tokenize='trigram case_sensitive 1');
-- +goose StatementBegin
CREATE TRIGGER tenant_search_insert AFTER INSERT ON tenant BEGIN
	INSERT INTO tenant_search (rowid, search) VALUES (new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_search_delete AFTER DELETE ON tenant BEGIN
	INSERT INTO tenant_search (tenant_search, rowid, search) VALUES ('delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_search_update AFTER UPDATE OF search ON tenant WHEN old.search <> new.search BEGIN
	INSERT INTO tenant_search (tenant_search, rowid, search) VALUES ('delete', old.id, old.search);
	INSERT INTO tenant_search (rowid, search) VALUES (new.id, new.search);
END;
-- +goose StatementEnd

CREATE VIRTUAL TABLE subscription_search USING fts5 (search, content='subscription', content_rowid='id', tokenize='trigram case_sensitive 1');
-- +goose StatementBegin
CREATE TRIGGER subscription_search_insert AFTER INSERT ON subscription BEGIN
	INSERT INTO subscription_search (rowid, search) VALUES (new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_search_delete AFTER DELETE ON subscription BEGIN
	INSERT INTO subscription_search (subscription_search, rowid, search) VALUES ('delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_search_update AFTER UPDATE OF search ON subscription WHEN old.search <> new.search BEGIN
	INSERT INTO subscription_search (subscription_search, rowid, search) VALUES ('delete', old.id, old.search);
	INSERT INTO subscription_search (rowid, search) VALUES (new.id, new.search);
END;
-- +goose StatementEnd

ALTER TABLE account ADD COLUMN test_clock_id INTEGER REFERENCES test_clock (id);
CREATE INDEX account_test_clock ON account (test_clock_id) WHERE test_clock_id IS NOT NULL;
