-- +goose Up

ALTER TABLE price_list_charge ADD COLUMN billing_timing TEXT;
UPDATE price_list_charge SET billing_timing = CASE charge_type WHEN 'RECURRING' THEN 'IN_ADVANCE' WHEN 'USAGE' THEN 'IN_ARREARS' END;
