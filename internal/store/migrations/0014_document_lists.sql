-- +goose Up

-- Invoices and credit notes that people make are few among those that billing makes.
CREATE INDEX invoice_one_off ON invoice (id) WHERE kind = 'ONE_OFF';
CREATE INDEX credit_note_by_hand ON credit_note (kind, id) WHERE kind <> 'DIFFERENCE';

-- Those to be paid on a day are found in every stage.
DROP INDEX invoice_due;
CREATE INDEX invoice_due ON invoice (stage, due_at, id);
