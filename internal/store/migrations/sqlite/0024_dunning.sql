-- +goose Up

-- How far the dunning of an invoice has come, of those that a policy counts for. next_on is when to look at it; standing is what it
-- does to its subscriptions; state is JSON.
CREATE TABLE dunning (
	invoice_id INTEGER PRIMARY KEY REFERENCES invoice (id),
	account_id INTEGER NOT NULL,
	entity_id INTEGER NOT NULL,
	test_clock_id INTEGER,
	next_on TEXT,
	standing TEXT NOT NULL,
	state TEXT NOT NULL
) STRICT;
CREATE INDEX dunning_next ON dunning (entity_id, next_on, account_id, invoice_id) WHERE next_on IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX dunning_next_on_clock ON dunning (test_clock_id, next_on, invoice_id) WHERE next_on IS NOT NULL AND test_clock_id IS NOT NULL;
CREATE INDEX dunning_standing ON dunning (account_id) WHERE standing <> 'GOOD';

-- The steps that were carried out.
CREATE TABLE dunning_step (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	invoice_id INTEGER NOT NULL REFERENCES invoice (id),
	day INTEGER NOT NULL,
	action TEXT NOT NULL,
	template TEXT NOT NULL,
	carried_out_on TEXT NOT NULL
) STRICT;
CREATE INDEX dunning_step_invoice ON dunning_step (invoice_id, id);
