-- +goose Up
-- Every billing looks for the drafts of its accounts; their open invoices may be many.
CREATE INDEX invoice_draft ON invoice (account_id, due_at, id) WHERE number = '';
