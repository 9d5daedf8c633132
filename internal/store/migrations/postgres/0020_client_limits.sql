-- +goose Up
-- What an API client may take of each process; null is what the server grants everybody.
ALTER TABLE api_client ADD COLUMN max_concurrent_requests BIGINT;
ALTER TABLE api_client ADD COLUMN max_cpu_seconds_per_minute BIGINT;
ALTER TABLE api_client ADD COLUMN max_megabytes_per_minute BIGINT;
