-- +goose Up

-- Whether an event endpoint is told of accounts on test clocks too.
ALTER TABLE platform ADD COLUMN test_clocks INTEGER NOT NULL DEFAULT false;
