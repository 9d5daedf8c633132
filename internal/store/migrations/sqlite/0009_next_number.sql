-- +goose Up

-- The counts that the series of an entity begin with; NULL for 1.
ALTER TABLE entity ADD COLUMN invoice_next_number INTEGER;
ALTER TABLE entity ADD COLUMN credit_note_next_number INTEGER;
