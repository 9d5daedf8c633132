-- +goose Up
-- Secrets are sent to the host they were set for, and to no other. Those that
-- are there were set for the address that webhooks go to now. Of headers it is
-- not known from outside whether one is secret.
ALTER TABLE platform ADD COLUMN auth_token_for TEXT NOT NULL DEFAULT '';
ALTER TABLE platform ADD COLUMN plain_signature_key_for TEXT NOT NULL DEFAULT '';
ALTER TABLE workflow ADD COLUMN headers_for TEXT;
UPDATE platform SET auth_token_for = COALESCE(webhook_url, '') WHERE auth_token_sealed <> '';
UPDATE platform SET plain_signature_key_for = COALESCE(webhook_url, '') WHERE plain_signature_key_sealed <> '';
UPDATE workflow SET headers_for = COALESCE((SELECT webhook_url FROM platform WHERE platform.id = workflow.platform_id), '') WHERE headers_sealed <> '';
