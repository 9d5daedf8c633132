-- +goose Up

-- Invoices of other systems, which are history: a number is that of one.
CREATE UNIQUE INDEX invoice_imported ON invoice (number) WHERE kind = 'IMPORTED';
CREATE INDEX invoice_imported_order ON invoice (id) WHERE kind = 'IMPORTED';
