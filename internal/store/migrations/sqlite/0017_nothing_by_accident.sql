-- +goose Up
-- The quantities that were given for a scheduled change of plan.
ALTER TABLE subscription ADD COLUMN next_quantities TEXT;

-- The trials that an account has had of a product.
CREATE INDEX subscription_trial ON subscription (account_id, product_id, id) WHERE trial_start_date IS NOT NULL;
