-- +goose Up

-- state_program brings what an application reports into the standard form; null if it reports in that form.
ALTER TABLE workflow ADD COLUMN state_program TEXT;
