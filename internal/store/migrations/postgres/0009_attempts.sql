-- +goose Up
-- An attempt is written once, when it is known how it went. While its request is under way the lane has all there is to
-- know of it: attempt_id is the id it will have, tries its number, started_at when it was taken. Ids are given out beforehand.
INSERT INTO counter (name, value) SELECT 'attempt', COALESCE(max(id), 0) FROM webhook_attempt;
ALTER TABLE webhook_lane ADD COLUMN started_at BIGINT;
UPDATE webhook_lane SET started_at = (SELECT webhook_attempt.started_at FROM webhook_attempt WHERE webhook_attempt.id = webhook_lane.attempt_id)
	WHERE attempt_id IS NOT NULL;
DELETE FROM webhook_attempt WHERE outcome = 'started' AND id IN (SELECT attempt_id FROM webhook_lane WHERE attempt_id IS NOT NULL);
UPDATE webhook_attempt SET outcome = 'unknown', error = 'The process that made the request did not live to see the answer, or was told to stop.'
	WHERE outcome = 'started';

-- A column that stays the same while a lane goes on from one request to the next: PostgreSQL then leaves all indexes of
-- the lane alone.
ALTER TABLE webhook_lane ADD COLUMN under_way BOOLEAN GENERATED ALWAYS AS (attempt_id IS NOT NULL) STORED;
DROP INDEX webhook_lane_busy;
CREATE INDEX webhook_lane_busy ON webhook_lane (platform_id) WHERE under_way;

-- Who writes an attempt has its lane, and nothing removes a delivery whose lane another one has. To check that again
-- PostgreSQL would lock each delivery, which writes it.
ALTER TABLE webhook_attempt DROP CONSTRAINT webhook_attempt_delivery_id_fkey;
