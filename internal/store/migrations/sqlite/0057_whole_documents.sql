-- +goose Up

-- A document is issued with all its items: item_count says how many they are, and each has a place among them. Documents of
-- before have none, and are whole.
ALTER TABLE invoice ADD COLUMN item_count INTEGER;
ALTER TABLE credit_note ADD COLUMN item_count INTEGER;
-- +goose StatementBegin
CREATE TRIGGER invoice_item_count_fixed BEFORE UPDATE OF item_count ON invoice WHEN old.number <> '' BEGIN
	SELECT RAISE(ABORT, 'an issued invoice does not change');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_item_whole BEFORE INSERT ON invoice_item
	WHEN EXISTS (SELECT 1 FROM invoice WHERE id = new.invoice_id AND number <> '' AND (item_count IS NULL OR new.position NOT BETWEEN 1 AND item_count)) BEGIN
	SELECT RAISE(ABORT, 'an issued invoice does not change');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER credit_note_item_count_fixed BEFORE UPDATE OF item_count ON credit_note WHEN true BEGIN
	SELECT RAISE(ABORT, 'a credit note does not change');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER credit_note_item_whole BEFORE INSERT ON credit_note_item
	WHEN EXISTS (SELECT 1 FROM credit_note WHERE id = new.credit_note_id AND (item_count IS NULL OR new.position NOT BETWEEN 1 AND item_count)) BEGIN
	SELECT RAISE(ABORT, 'a credit note does not change');
END;
-- +goose StatementEnd

-- Accounts are found, too, whose country is a text and no code: this index has only those without any.
DROP INDEX account_without_country;
