-- +goose Up
-- bill_on says when to look at an account; collect_on when everything that waits for an invoice of it is collected, because
-- its billing day has changed since.
ALTER TABLE account_billing ADD COLUMN collect_on TEXT;
UPDATE account_billing SET collect_on = bill_on WHERE bill_on IS NOT NULL;
