-- +goose Up
-- What another system calls a subscription; it is found by that when it is imported again.
ALTER TABLE subscription ADD COLUMN code TEXT;
CREATE UNIQUE INDEX subscription_code ON subscription (code) WHERE code IS NOT NULL;
