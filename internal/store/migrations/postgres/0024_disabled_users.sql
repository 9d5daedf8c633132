-- +goose Up
-- A user who is disabled cannot sign in; what the user did keeps its name.
ALTER TABLE console_user ADD COLUMN disabled BOOLEAN NOT NULL DEFAULT FALSE;
