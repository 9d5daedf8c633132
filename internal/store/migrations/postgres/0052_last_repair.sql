-- +goose Up
-- What the event that was last sent to repair a tenant was sent for: its number, when, and what differed. It stays when the tenant is in
-- sync again, so that people can see what it was.
ALTER TABLE tenant_drift ADD COLUMN last_repair TEXT NOT NULL DEFAULT 'null';
