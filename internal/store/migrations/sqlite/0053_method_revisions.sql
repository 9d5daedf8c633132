-- +goose Up
-- How often a payment method was renewed, and how often when an attempt with it began: what
-- is learned later is about what it was then.
ALTER TABLE payment_method ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
ALTER TABLE payment_attempt ADD COLUMN method_revision INTEGER NOT NULL DEFAULT 0;
