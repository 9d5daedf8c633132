-- +goose Up

-- epochs is a list as JSON; NULL stands for what follows from the present term.
ALTER TABLE subscription ADD COLUMN epochs TEXT;

-- A line keeps the rate that was agreed: that of its charge, at the line's own price. Where the charge is gone, or has become
-- something else, the rate is not known.
UPDATE subscription SET charges = (
	SELECT json_group_array(json(CASE
		WHEN price_list_charge.id IS NULL OR price_list_charge.charge_type <> line.value ->> 'type'
			OR line.value ->> 'price' IS NULL AND price_list_charge.price IS NOT NULL THEN rated.value
		WHEN line.value ->> 'price' IS NOT NULL THEN json_set(rated.value, '$.rate', json_patch('{}', json_object(
			'chargeType', price_list_charge.charge_type, 'billingPeriod', price_list_charge.billing_period,
			'billingTiming', price_list_charge.billing_timing, 'pricingModel', 'FLAT', 'price', line.value ->> 'price')))
		ELSE json_set(rated.value, '$.rate', json_patch('{}', json_object(
			'chargeType', price_list_charge.charge_type, 'billingPeriod', price_list_charge.billing_period,
			'billingTiming', price_list_charge.billing_timing, 'pricingModel', price_list_charge.pricing_model, 'tiers', json(price_list_charge.tiers))))
		END) ORDER BY line.key)
	FROM json_each(subscription.charges) AS line
	LEFT JOIN price_list ON price_list.id = line.value ->> 'priceListId'
	LEFT JOIN price_list_charge ON price_list_charge.id = line.value ->> 'chargeId'
	CROSS JOIN json_each(json_array(json(CASE WHEN price_list.id IS NULL THEN line.value ELSE json_set(line.value, '$.currencyId', price_list.currency_id) END))) AS rated
) WHERE json_valid(charges) AND json_type(charges) = 'array' AND charges <> '[]';
