-- +goose Up

-- Whether days on which a subscription is suspended are billed, and those that were not: a list of from and to as JSON.
ALTER TABLE dunning_policy ADD COLUMN bill_while_suspended INTEGER NOT NULL DEFAULT true;
ALTER TABLE subscription ADD COLUMN pauses TEXT;
