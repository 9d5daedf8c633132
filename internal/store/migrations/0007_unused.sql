-- +goose Up

-- unused is what becomes of unused days at the cancellation: KEEP, or NULL for a credit.
ALTER TABLE subscription ADD COLUMN unused TEXT;
