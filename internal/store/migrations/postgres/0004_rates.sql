-- +goose Up

-- epochs is a list as JSON; NULL stands for what follows from the present term.
ALTER TABLE subscription ADD COLUMN epochs TEXT;

-- lines_of reads lines, or nothing if they are damaged.
-- +goose StatementBegin
CREATE FUNCTION lines_of(charges TEXT) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	lines JSONB;
BEGIN
	lines := charges::JSONB;
	IF jsonb_typeof(lines) = 'array' THEN
		RETURN lines;
	END IF;
	RETURN NULL;
EXCEPTION WHEN others THEN
	RETURN NULL;
END $$;
-- +goose StatementEnd

-- A line keeps the rate that was agreed: that of its charge, at the line's own price. Where the charge is gone, or has become
-- something else, the rate is not known.
UPDATE subscription SET charges = rated.charges FROM (
	SELECT read.id, jsonb_agg(
		line.value
		|| CASE WHEN price_list.id IS NULL THEN '{}' ELSE jsonb_build_object('currencyId', price_list.currency_id) END
		|| CASE
			WHEN charge.id IS NULL OR charge.charge_type <> line.value ->> 'type' OR line.value ->> 'price' IS NULL AND charge.price IS NOT NULL THEN '{}'
			ELSE jsonb_build_object('rate', jsonb_strip_nulls(jsonb_build_object(
				'chargeType', charge.charge_type, 'billingPeriod', charge.billing_period, 'billingTiming', charge.billing_timing,
				'pricingModel', CASE WHEN line.value ->> 'price' IS NULL THEN charge.pricing_model ELSE 'FLAT' END,
				'price', line.value ->> 'price', 'tiers', CASE WHEN line.value ->> 'price' IS NULL THEN charge.tiers::JSONB END)))
		END ORDER BY line.ordinality)::TEXT AS charges
	FROM (SELECT id, lines_of(charges) AS lines FROM subscription) AS read
	CROSS JOIN LATERAL jsonb_array_elements(read.lines) WITH ORDINALITY AS line
	LEFT JOIN price_list ON price_list.id = (line.value ->> 'priceListId')::BIGINT
	LEFT JOIN price_list_charge AS charge ON charge.id = (line.value ->> 'chargeId')::BIGINT
	GROUP BY read.id
) AS rated WHERE rated.id = subscription.id;

DROP FUNCTION lines_of(TEXT);
