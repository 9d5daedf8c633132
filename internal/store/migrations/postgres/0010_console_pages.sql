-- +goose Up
-- What became of the webhooks that were recorded on a day of UTC, counted now and then: to count a million takes too long
-- for a page, and to count each as it is delivered would have all deliveries wait for one row.
CREATE TABLE webhook_day (
	day TEXT NOT NULL PRIMARY KEY,
	delivered BIGINT NOT NULL,
	failed BIGINT NOT NULL,
	replaced BIGINT NOT NULL,
	waiting BIGINT NOT NULL,
	counted_at BIGINT NOT NULL
);

-- Tenants that are out of sync although nothing waits for them. A lane on its normal way is never in it.
CREATE INDEX webhook_lane_stopped ON webhook_lane (platform_id) WHERE due_at IS NULL AND delivered_sequence <> last_sequence;

-- A page refers to a few things, not to a hundred: with that in mind the planner read whole tables of ten thousands of rows.
ALTER FUNCTION json_each(TEXT) ROWS 10;
