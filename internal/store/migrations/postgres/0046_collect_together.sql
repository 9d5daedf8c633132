-- +goose Up

-- Whether all invoices of an account that are due are collected with one payment.
ALTER TABLE account ADD COLUMN collect_together BOOLEAN NOT NULL DEFAULT false;
