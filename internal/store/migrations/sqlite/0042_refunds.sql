-- +goose Up

-- Money of payments that is given back. It comes of waiting credit: that of a credit note, or what is left of the payment itself.
-- charge_reference is the provider's name of the charge, and next_at when to send the request, or to send it again; null for never.
CREATE TABLE payment_refund (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	uuid TEXT NOT NULL UNIQUE,
	account_id INTEGER NOT NULL REFERENCES account (id),
	payment_id INTEGER NOT NULL REFERENCES payment (id),
	credit_note_id INTEGER REFERENCES credit_note (id),
	currency_id TEXT NOT NULL,
	scale INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	provider TEXT NOT NULL,
	charge_reference TEXT NOT NULL,
	state TEXT NOT NULL,
	code TEXT NOT NULL,
	message TEXT NOT NULL,
	reference TEXT NOT NULL,
	next_at INTEGER,
	test_clock_id INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX payment_refund_payment ON payment_refund (payment_id, id);
CREATE INDEX payment_refund_account ON payment_refund (account_id, id);
CREATE INDEX payment_refund_reference ON payment_refund (reference) WHERE reference <> '';
CREATE INDEX payment_refund_next ON payment_refund (next_at, id) WHERE next_at IS NOT NULL;
