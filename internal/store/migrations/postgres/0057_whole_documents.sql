-- +goose Up

-- A document is issued with all its items: item_count says how many they are, and each has a place among them. Documents of
-- before have none, and are whole.
ALTER TABLE invoice ADD COLUMN item_count BIGINT;
ALTER TABLE credit_note ADD COLUMN item_count BIGINT;
-- +goose StatementBegin
CREATE FUNCTION refuse_more_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM invoice WHERE id = NEW.invoice_id AND number <> '' AND (item_count IS NULL OR NEW.position NOT BETWEEN 1 AND item_count)) THEN
		RAISE EXCEPTION 'an issued invoice does not change' USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION refuse_more_credit_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM credit_note WHERE id = NEW.credit_note_id AND (item_count IS NULL OR NEW.position NOT BETWEEN 1 AND item_count)) THEN
		RAISE EXCEPTION 'a credit note does not change' USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER invoice_item_count_fixed BEFORE UPDATE OF item_count ON invoice FOR EACH ROW
	WHEN (OLD.number <> '') EXECUTE FUNCTION refuse_change('an issued invoice does not change');
CREATE TRIGGER invoice_item_whole BEFORE INSERT ON invoice_item FOR EACH ROW EXECUTE FUNCTION refuse_more_items();
CREATE TRIGGER credit_note_item_count_fixed BEFORE UPDATE OF item_count ON credit_note FOR EACH ROW
	EXECUTE FUNCTION refuse_change('a credit note does not change');
CREATE TRIGGER credit_note_item_whole BEFORE INSERT ON credit_note_item FOR EACH ROW EXECUTE FUNCTION refuse_more_credit_items();

-- Accounts are found, too, whose country is a text and no code: this index has only those without any.
DROP INDEX account_without_country;
