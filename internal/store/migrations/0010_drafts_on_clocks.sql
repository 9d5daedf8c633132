-- +goose Up
-- Drafts on a test clock are issued as the clock moves.
CREATE INDEX invoice_issue_after_clock ON invoice (test_clock_id, issue_after) WHERE issue_after IS NOT NULL AND test_clock_id IS NOT NULL;
