-- +goose Up

-- To those who send webhooks, an event endpoint is a platform: it has an address, a secret, a workflow and a breaker.
-- event_types, a JSON list, are the business events that it wants; for a platform it is null. provisioning_enabled says
-- whether anything is recorded for it.
ALTER TABLE platform ADD COLUMN event_types TEXT;
CREATE INDEX platform_events ON platform (id) WHERE event_types IS NOT NULL;

-- An account has a stream for every event endpoint.
DROP INDEX webhook_stream_subject;
CREATE UNIQUE INDEX webhook_stream_subject ON webhook_stream (subject_kind, subject_id, platform_id);
