-- +goose Up
-- What became of the webhooks that were recorded on a day of UTC, counted now and then: to count a million takes too long
-- for a page, and to count each as it is delivered would have all deliveries wait for one row.
CREATE TABLE webhook_day (
	day TEXT NOT NULL PRIMARY KEY,
	delivered INTEGER NOT NULL,
	failed INTEGER NOT NULL,
	replaced INTEGER NOT NULL,
	waiting INTEGER NOT NULL,
	counted_at INTEGER NOT NULL
) STRICT;
