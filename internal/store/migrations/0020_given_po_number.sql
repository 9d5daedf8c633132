-- +goose Up

-- The purchase order number that somebody gave a draft: it stays when the draft is computed anew.
ALTER TABLE invoice ADD COLUMN given_po_number TEXT NOT NULL DEFAULT '';
UPDATE invoice SET given_po_number = po_number WHERE number = '' AND kind = 'ONE_OFF';
