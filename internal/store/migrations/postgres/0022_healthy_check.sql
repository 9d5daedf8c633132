-- +goose Up

-- Only SQLite has something to mend here.
SELECT 1;
