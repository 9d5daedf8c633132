-- +goose Up
-- The order in which people see the catalog: by product, and in it by position.
CREATE INDEX feature_sorted ON feature (product_id, position, id);
CREATE INDEX plan_sorted ON plan (product_id, id);
CREATE INDEX price_list_charge_sorted ON price_list_charge (price_list_id, id);

-- The tenants that a change of a plan reaches.
CREATE INDEX subscription_live ON subscription (price_list_id, tenant_id, state) WHERE state IN ('TRIAL', 'ACTIVE');
