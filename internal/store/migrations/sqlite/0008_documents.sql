-- +goose Up

-- Amounts are in minor units of their currency; scale makes those of all currencies comparable. An invoice without a number
-- is a draft. What follows from credits and payments is at the end and changes; nothing else does once there is a number.
CREATE TABLE invoice (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	uuid TEXT NOT NULL UNIQUE,
	number TEXT NOT NULL,
	kind TEXT NOT NULL,
	entity_id INTEGER NOT NULL REFERENCES entity (id),
	account_id INTEGER NOT NULL REFERENCES account (id),
	subscription_id INTEGER,
	currency_id TEXT NOT NULL,
	scale INTEGER NOT NULL,
	issued_at TEXT,
	due_at TEXT,
	period_start TEXT,
	period_end TEXT,
	subtotal INTEGER NOT NULL,
	tax_amount INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	applied_at_issue INTEGER NOT NULL,
	taxes TEXT NOT NULL,
	seller TEXT NOT NULL,
	buyer TEXT NOT NULL,
	notes TEXT NOT NULL,
	po_number TEXT NOT NULL,
	buyer_reference TEXT NOT NULL,
	locale TEXT NOT NULL,
	test_clock_id INTEGER,
	series_id INTEGER,
	place INTEGER,
	previous_hash TEXT NOT NULL,
	hash TEXT NOT NULL,
	issue_after INTEGER,
	stage TEXT NOT NULL,
	credits INTEGER NOT NULL,
	amount_paid INTEGER NOT NULL,
	amount_due INTEGER NOT NULL,
	credited TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX invoice_account ON invoice (account_id, id);
CREATE INDEX invoice_number ON invoice (search, id);
CREATE INDEX invoice_stage ON invoice (stage, id);
CREATE INDEX invoice_issued ON invoice (issued_at, id);
CREATE INDEX invoice_open ON invoice (account_id, due_at, id) WHERE stage <> 'PAID' AND stage <> 'UNPAID' AND stage <> 'VOIDED';
CREATE INDEX invoice_due ON invoice (due_at, id) WHERE stage = 'OPEN';
CREATE INDEX invoice_issue_after ON invoice (issue_after, account_id) WHERE issue_after IS NOT NULL AND test_clock_id IS NULL;
CREATE UNIQUE INDEX invoice_place ON invoice (series_id, place);

-- What was credited of an item changes; nothing else does once its invoice has a number.
CREATE TABLE invoice_item (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	invoice_id INTEGER NOT NULL REFERENCES invoice (id),
	position INTEGER NOT NULL,
	kind TEXT NOT NULL,
	subscription_id INTEGER,
	charge_id INTEGER,
	period_from TEXT,
	period_to TEXT,
	tenant_code TEXT NOT NULL,
	code TEXT NOT NULL,
	line_text TEXT NOT NULL,
	feature TEXT NOT NULL,
	unit_name TEXT NOT NULL,
	quantity TEXT NOT NULL,
	previous_quantity TEXT,
	price TEXT,
	start_date TEXT,
	end_date TEXT,
	days INTEGER NOT NULL,
	period_days INTEGER NOT NULL,
	tax_code TEXT NOT NULL,
	tax_category TEXT NOT NULL,
	tax_rate TEXT NOT NULL,
	tax_reason TEXT NOT NULL,
	priced INTEGER NOT NULL,
	inclusive INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	explanation TEXT,
	credited INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX invoice_item_invoice ON invoice_item (invoice_id, position);
CREATE INDEX invoice_item_key ON invoice_item (subscription_id, period_from) WHERE subscription_id IS NOT NULL;

CREATE TABLE credit_note (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	uuid TEXT NOT NULL UNIQUE,
	number TEXT NOT NULL,
	kind TEXT NOT NULL,
	reason TEXT NOT NULL,
	entity_id INTEGER NOT NULL REFERENCES entity (id),
	account_id INTEGER NOT NULL REFERENCES account (id),
	currency_id TEXT NOT NULL,
	scale INTEGER NOT NULL,
	issued_at TEXT NOT NULL,
	subtotal INTEGER NOT NULL,
	tax_amount INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	taxes TEXT NOT NULL,
	seller TEXT NOT NULL,
	buyer TEXT NOT NULL,
	locale TEXT NOT NULL,
	test_clock_id INTEGER,
	series_id INTEGER,
	place INTEGER,
	previous_hash TEXT NOT NULL,
	hash TEXT NOT NULL,
	amount_applied INTEGER NOT NULL,
	stage TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX credit_note_account ON credit_note (account_id, id);
CREATE INDEX credit_note_number ON credit_note (search, id);
CREATE INDEX credit_note_stage ON credit_note (stage, id);
CREATE INDEX credit_note_issued ON credit_note (issued_at, id);
CREATE INDEX credit_note_waiting ON credit_note (account_id, id) WHERE stage <> 'APPLIED';
CREATE UNIQUE INDEX credit_note_place ON credit_note (series_id, place);

CREATE TABLE credit_note_item (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	credit_note_id INTEGER NOT NULL REFERENCES credit_note (id),
	position INTEGER NOT NULL,
	invoice_id INTEGER NOT NULL,
	invoice_item_id INTEGER,
	invoice_number TEXT NOT NULL,
	item_position INTEGER NOT NULL,
	line_text TEXT NOT NULL,
	start_date TEXT,
	end_date TEXT,
	tax_category TEXT NOT NULL,
	tax_rate TEXT NOT NULL,
	tax_reason TEXT NOT NULL,
	priced INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	explanation TEXT,
	search TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX credit_note_item_credit_note ON credit_note_item (credit_note_id, position);
CREATE INDEX credit_note_item_invoice ON credit_note_item (invoice_id, credit_note_id);

CREATE TABLE payment (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	uuid TEXT NOT NULL UNIQUE,
	account_id INTEGER NOT NULL REFERENCES account (id),
	entity_id INTEGER NOT NULL REFERENCES entity (id),
	currency_id TEXT NOT NULL,
	scale INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	amount_applied INTEGER NOT NULL,
	stage TEXT NOT NULL,
	received_at TEXT NOT NULL,
	reference TEXT NOT NULL,
	test_clock_id INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX payment_account ON payment (account_id, id);
CREATE INDEX payment_stage ON payment (stage, id);
CREATE INDEX payment_waiting ON payment (account_id, id) WHERE stage <> 'APPLIED';
CREATE INDEX payment_reference ON payment (search, id);
CREATE INDEX payment_received ON payment (received_at, id);

-- How much of a credit note or of a payment pays an invoice.
CREATE TABLE application (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	invoice_id INTEGER NOT NULL REFERENCES invoice (id),
	credit_note_id INTEGER REFERENCES credit_note (id),
	payment_id INTEGER REFERENCES payment (id),
	amount INTEGER NOT NULL,
	applied_on TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX application_invoice ON application (invoice_id, id);
CREATE INDEX application_credit_note ON application (credit_note_id, id) WHERE credit_note_id IS NOT NULL;
CREATE INDEX application_payment ON application (payment_id, id) WHERE payment_id IS NOT NULL;

-- The statement of account: what each document changed of the balance.
CREATE TABLE account_entry (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL REFERENCES account (id),
	entity_id INTEGER NOT NULL,
	currency_id TEXT NOT NULL,
	entry_date TEXT NOT NULL,
	kind TEXT NOT NULL,
	document_id INTEGER NOT NULL,
	number TEXT NOT NULL,
	amount INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX account_entry_account ON account_entry (account_id, id);

-- What was billed of each charge and period. pieces is a list as JSON: first day, last day, price of a whole period.
CREATE TABLE ledger_key (
	subscription_id INTEGER NOT NULL,
	period_to TEXT NOT NULL,
	charge_id INTEGER NOT NULL,
	period_from TEXT NOT NULL,
	currency_id TEXT NOT NULL,
	pieces TEXT NOT NULL,
	net INTEGER NOT NULL,
	forgiven INTEGER NOT NULL,
	PRIMARY KEY (subscription_id, period_to, charge_id, period_from)
) STRICT;

-- version is raised with everything that is billed or paid, so that nothing can be billed without the account's lock.
-- last_event numbers the billing events of the account. bill_on is when everything that waits for an invoice is collected.
CREATE TABLE account_billing (
	account_id INTEGER NOT NULL PRIMARY KEY REFERENCES account (id),
	version INTEGER NOT NULL,
	last_event INTEGER NOT NULL,
	bill_on TEXT,
	test_clock_id INTEGER
) STRICT;
CREATE INDEX account_billing_due ON account_billing (bill_on, account_id) WHERE bill_on IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX account_billing_due_clock ON account_billing (test_clock_id, bill_on) WHERE bill_on IS NOT NULL AND test_clock_id IS NOT NULL;

CREATE TABLE number_series (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	entity_id INTEGER NOT NULL REFERENCES entity (id),
	kind TEXT NOT NULL,
	test_clock_id INTEGER NOT NULL,
	year INTEGER NOT NULL,
	last INTEGER NOT NULL,
	last_issued_at TEXT,
	documents INTEGER NOT NULL,
	head_hash TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX number_series_of ON number_series (entity_id, kind, test_clock_id);

CREATE TABLE billing_event (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL REFERENCES account (id),
	sequence INTEGER NOT NULL,
	kind TEXT NOT NULL,
	document_id INTEGER NOT NULL,
	data TEXT NOT NULL,
	at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
INSERT INTO counter (name, value) VALUES ('billing_feed', 0);
CREATE UNIQUE INDEX billing_event_sequence ON billing_event (account_id, sequence);

-- Items that somebody made by hand, which wait for the next invoice.
CREATE TABLE pending_item (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	account_id INTEGER NOT NULL REFERENCES account (id),
	subscription_id INTEGER REFERENCES subscription (id),
	currency_id TEXT NOT NULL,
	line_text TEXT NOT NULL,
	quantity TEXT NOT NULL,
	price TEXT,
	amount INTEGER NOT NULL,
	tax_code TEXT NOT NULL,
	due_on TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX pending_item_account ON pending_item (account_id, id);

-- The files of a document, made when somebody first asks for one, and the same from then on.
CREATE TABLE document_file (
	uuid TEXT NOT NULL,
	media_type TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	content BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (uuid, media_type)
) STRICT;

-- The day on which a subscription was last billed: everything that was due by then is on documents.
ALTER TABLE subscription ADD COLUMN billed_on TEXT;
CREATE INDEX account_billing_problem ON account (id) WHERE billing_problem IS NOT NULL;

-- Nothing of an issued document changes, whoever asks for it. Those of a test clock are deleted with it.
-- +goose StatementBegin
CREATE TRIGGER invoice_fixed BEFORE UPDATE OF id, uuid, number, kind, entity_id, account_id, subscription_id, currency_id, scale, issued_at, due_at, period_start, period_end, subtotal, tax_amount, amount, applied_at_issue, taxes, seller, buyer, notes, po_number, buyer_reference, locale, test_clock_id, series_id, place, previous_hash, hash, created_at, search ON invoice WHEN old.number <> '' BEGIN
	SELECT RAISE(ABORT, 'an issued invoice does not change');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_kept BEFORE DELETE ON invoice WHEN old.number <> '' AND old.test_clock_id IS NULL BEGIN
	SELECT RAISE(ABORT, 'an issued invoice is not deleted');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_item_fixed BEFORE UPDATE OF id, invoice_id, position, kind, subscription_id, charge_id, period_from, period_to, tenant_code, code, line_text, feature, unit_name, quantity, previous_quantity, price, start_date, end_date, days, period_days, tax_code, tax_category, tax_rate, tax_reason, priced, inclusive, amount, explanation, search ON invoice_item WHEN EXISTS (SELECT 1 FROM invoice WHERE id IN (old.invoice_id, new.invoice_id) AND number <> '') BEGIN
	SELECT RAISE(ABORT, 'an issued invoice does not change');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_item_kept BEFORE DELETE ON invoice_item WHEN EXISTS (SELECT 1 FROM invoice WHERE id = old.invoice_id AND number <> '' AND test_clock_id IS NULL) BEGIN
	SELECT RAISE(ABORT, 'an issued invoice does not change');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER credit_note_fixed BEFORE UPDATE OF id, uuid, number, kind, reason, entity_id, account_id, currency_id, scale, issued_at, subtotal, tax_amount, amount, taxes, seller, buyer, locale, test_clock_id, series_id, place, previous_hash, hash, created_at, search ON credit_note WHEN true BEGIN
	SELECT RAISE(ABORT, 'a credit note does not change');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER credit_note_kept BEFORE DELETE ON credit_note WHEN old.test_clock_id IS NULL BEGIN
	SELECT RAISE(ABORT, 'a credit note is not deleted');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER credit_note_item_fixed BEFORE UPDATE ON credit_note_item WHEN true BEGIN
	SELECT RAISE(ABORT, 'a credit note does not change');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER credit_note_item_kept BEFORE DELETE ON credit_note_item WHEN EXISTS (SELECT 1 FROM credit_note WHERE id = old.credit_note_id AND test_clock_id IS NULL) BEGIN
	SELECT RAISE(ABORT, 'a credit note does not change');
END;
-- +goose StatementEnd
