-- +goose Up
-- A column that stays the same while a lane goes on from one request to the next, as under_way is: an index whose condition
-- names what changes has PostgreSQL write all indexes of the lane anew at every delivery.
ALTER TABLE webhook_lane ADD COLUMN stopped INTEGER GENERATED ALWAYS AS (due_at IS NULL AND delivered_sequence <> last_sequence) VIRTUAL;
DROP INDEX webhook_lane_stopped;
CREATE INDEX webhook_lane_stopped ON webhook_lane (platform_id) WHERE stopped;
