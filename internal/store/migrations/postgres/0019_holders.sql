-- +goose Up
-- holder is the process that has leased a lane, if it can prove that it lives; 0 if it cannot.
ALTER TABLE webhook_lane ADD COLUMN holder BIGINT NOT NULL DEFAULT 0;
