-- +goose Up

-- Formats of numbers may change: highest is the highest count of a series so far, and formats are those that its numbers were
-- written in, with spaces between them. So far, they are taken to have had one.
ALTER TABLE number_series ADD COLUMN highest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE number_series ADD COLUMN formats TEXT NOT NULL DEFAULT '';
UPDATE number_series SET highest = last;
UPDATE number_series SET formats = (SELECT CASE kind WHEN 'INVOICE' THEN invoice_number_format ELSE credit_note_number_format END FROM entity WHERE entity.id = entity_id)
	WHERE test_clock_id = 0 AND documents > 0;

-- A number is that of one document. Tests have their own, and other systems have theirs.
CREATE UNIQUE INDEX invoice_number_once ON invoice (entity_id, number) WHERE number <> '' AND kind <> 'IMPORTED' AND test_clock_id IS NULL;
CREATE UNIQUE INDEX credit_note_number_once ON credit_note (entity_id, number) WHERE test_clock_id IS NULL;
