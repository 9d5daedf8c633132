-- +goose Up

-- What unpaid invoices do to a subscription, and the invoice that is the reason.
ALTER TABLE subscription ADD COLUMN standing TEXT NOT NULL DEFAULT 'GOOD';
ALTER TABLE subscription ADD COLUMN standing_invoice_id INTEGER;
CREATE INDEX subscription_standing ON subscription (standing, id);

-- What is left of a feature while a subscription is restricted.
ALTER TABLE plan_feature ADD COLUMN when_restricted TEXT NOT NULL DEFAULT 'KEEP';
ALTER TABLE plan_feature ADD COLUMN restricted_quantity INTEGER;
