-- +goose Up

-- What is left of an item may have been written off: so far, all that nobody had paid anything for.
ALTER TABLE invoice_item ADD COLUMN written_off BIGINT NOT NULL DEFAULT 0;
UPDATE invoice_item SET written_off = priced - credited WHERE invoice_id IN (SELECT id FROM invoice WHERE stage = 'UNPAID' AND amount_paid = 0);
