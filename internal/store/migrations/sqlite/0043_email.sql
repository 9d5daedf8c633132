-- +goose Up

-- E-mail to customers. A message is written with what it tells of, and sent later; what it says never changes. stage is what has
-- become of it, and recorded_at is when it was recorded by the clock of the account.
CREATE TABLE email (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	uuid TEXT NOT NULL UNIQUE,
	account_id INTEGER NOT NULL REFERENCES account (id),
	entity_id INTEGER NOT NULL REFERENCES entity (id),
	template TEXT NOT NULL,
	invoice_id INTEGER REFERENCES invoice (id),
	credit_note_id INTEGER REFERENCES credit_note (id),
	payment_id INTEGER REFERENCES payment (id),
	payment_method_id INTEGER REFERENCES payment_method (id),
	locale TEXT NOT NULL,
	recipient TEXT NOT NULL,
	subject TEXT NOT NULL,
	body TEXT NOT NULL,
	html TEXT NOT NULL,
	stage TEXT NOT NULL,
	reason TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	copies INTEGER NOT NULL,
	next_at INTEGER,
	sent_at INTEGER,
	recorded_at INTEGER NOT NULL,
	test_clock_id INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX email_account ON email (account_id, id);
CREATE INDEX email_invoice ON email (invoice_id, id) WHERE invoice_id IS NOT NULL;
CREATE INDEX email_credit_note ON email (credit_note_id) WHERE credit_note_id IS NOT NULL;
CREATE INDEX email_payment ON email (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX email_payment_method ON email (payment_method_id) WHERE payment_method_id IS NOT NULL;
CREATE INDEX email_stage ON email (stage, id);
CREATE INDEX email_template_name ON email (template, id);
CREATE INDEX email_search ON email (search, id);
CREATE INDEX email_waiting ON email (account_id, id) WHERE stage = 'WAITING';

-- The accounts that have e-mail waiting, one row each: messages to an account are sent one after the other. next_at is when the first
-- of them is sent, or sent again.
CREATE TABLE email_queue (
	account_id INTEGER PRIMARY KEY REFERENCES account (id),
	next_at INTEGER NOT NULL
) STRICT;
CREATE INDEX email_queue_next ON email_queue (next_at, account_id);

-- What the operator has messages say.
CREATE TABLE email_template (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL,
	locale TEXT NOT NULL,
	subject TEXT NOT NULL,
	body TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX email_template_unique ON email_template (name, locale);
-- +goose StatementBegin
CREATE TRIGGER email_template_catalog_insert AFTER INSERT ON email_template BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER email_template_catalog_update AFTER UPDATE ON email_template BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER email_template_catalog_delete AFTER DELETE ON email_template BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd

-- How many days before its expiry the customer was last told of it; null if that has not happened.
ALTER TABLE payment_method ADD COLUMN expiry_told INTEGER;
CREATE INDEX payment_method_expires ON payment_method (expires, id) WHERE expires IS NOT NULL;
