-- +goose Up

-- What money is collected with. token_hash finds it by what a provider tells of it. expires is a month, such as
-- 2027-03.
CREATE TABLE payment_method (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL REFERENCES account (id),
	provider TEXT NOT NULL,
	kind TEXT NOT NULL,
	token_sealed TEXT NOT NULL,
	token_hash TEXT NOT NULL,
	brand TEXT NOT NULL,
	last4 TEXT NOT NULL,
	expires TEXT,
	mandate TEXT NOT NULL,
	state TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX payment_method_account ON payment_method (account_id, id);
CREATE INDEX payment_method_token ON payment_method (token_hash);

-- The payment method that an account's invoices are collected with; without one it pays by itself.
ALTER TABLE account ADD COLUMN payment_method_id INTEGER;

-- Money that is asked for with a payment method. next_at is when to ask the provider, or to ask again what has become of it; null for
-- never. outcome, code, message and hard are those of the last attempt.
CREATE TABLE payment_collection (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	uuid TEXT NOT NULL UNIQUE,
	account_id INTEGER NOT NULL REFERENCES account (id),
	entity_id INTEGER NOT NULL REFERENCES entity (id),
	payment_method_id INTEGER NOT NULL REFERENCES payment_method (id),
	provider TEXT NOT NULL,
	currency_id TEXT NOT NULL,
	scale INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	line_text TEXT NOT NULL,
	state TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	outcome TEXT NOT NULL,
	code TEXT NOT NULL,
	message TEXT NOT NULL,
	hard INTEGER NOT NULL,
	reference TEXT NOT NULL,
	fee INTEGER NOT NULL,
	payment_id INTEGER REFERENCES payment (id),
	next_at INTEGER,
	test_clock_id INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX payment_collection_account ON payment_collection (account_id, id);
CREATE INDEX payment_collection_state ON payment_collection (state, id);
CREATE INDEX payment_collection_next ON payment_collection (next_at, id) WHERE next_at IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX payment_collection_next_on_clock ON payment_collection (test_clock_id, next_at, id) WHERE next_at IS NOT NULL AND test_clock_id IS NOT NULL;

-- The invoices that a collection is for. While its outcome is open there is no other for the same invoice.
CREATE TABLE payment_collection_invoice (
	payment_collection_id INTEGER NOT NULL REFERENCES payment_collection (id),
	invoice_id INTEGER NOT NULL REFERENCES invoice (id),
	amount INTEGER NOT NULL,
	is_open INTEGER NOT NULL,
	PRIMARY KEY (payment_collection_id, invoice_id)
) STRICT;
CREATE INDEX payment_collection_invoice_invoice ON payment_collection_invoice (invoice_id, payment_collection_id);
CREATE UNIQUE INDEX payment_collection_invoice_open ON payment_collection_invoice (invoice_id) WHERE is_open = 1;

-- The requests to a provider. An attempt is there before its request is sent; sent_at is when that was about to happen. reference is the
-- provider's name of the charge, and payment_id the payment that came of it.
CREATE TABLE payment_attempt (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	payment_collection_id INTEGER NOT NULL REFERENCES payment_collection (id),
	number INTEGER NOT NULL,
	started_at INTEGER NOT NULL,
	sent_at INTEGER,
	finished_at INTEGER,
	outcome TEXT NOT NULL,
	code TEXT NOT NULL,
	message TEXT NOT NULL,
	hard INTEGER NOT NULL,
	reference TEXT NOT NULL,
	payment_id INTEGER REFERENCES payment (id),
	UNIQUE (payment_collection_id, number)
) STRICT;
CREATE INDEX payment_attempt_reference ON payment_attempt (reference) WHERE reference <> '';
CREATE INDEX payment_attempt_payment ON payment_attempt (payment_id) WHERE payment_id IS NOT NULL;

-- What providers have told by themselves, so that each has an effect once.
CREATE TABLE payment_notice (
	provider TEXT NOT NULL,
	id TEXT NOT NULL,
	received_at INTEGER NOT NULL,
	PRIMARY KEY (provider, id)
) STRICT;
CREATE INDEX payment_notice_received ON payment_notice (received_at);

-- What was given back of a payment, or taken back by the customer's bank.
ALTER TABLE payment ADD COLUMN amount_returned INTEGER NOT NULL DEFAULT 0;
