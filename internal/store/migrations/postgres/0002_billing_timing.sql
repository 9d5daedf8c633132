-- +goose Up

ALTER TABLE price_list_charge ADD COLUMN billing_timing TEXT;
-- A statement on an empty table would count as a change of the catalog.
-- +goose StatementBegin
DO $$ BEGIN
	IF EXISTS (SELECT 1 FROM price_list_charge) THEN
		UPDATE price_list_charge SET billing_timing = CASE charge_type WHEN 'RECURRING' THEN 'IN_ADVANCE' WHEN 'USAGE' THEN 'IN_ARREARS' END;
	END IF;
END $$;
-- +goose StatementEnd
