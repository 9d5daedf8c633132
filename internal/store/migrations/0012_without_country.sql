-- +goose Up

-- Accounts that cannot be billed because their country is not known.
CREATE INDEX account_without_country ON account (entity_id, id) WHERE COALESCE(billing_country, '') = '' AND test_clock_id IS NULL;
