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

-- Tenants that are out of sync although nothing waits for them. A lane on its normal way is never in it.
CREATE INDEX webhook_lane_stopped ON webhook_lane (platform_id) WHERE due_at IS NULL AND delivered_sequence <> last_sequence;
