-- +goose Up

-- The first day that was to be billed when something of a subscription was billed for the first time: it stays when the account
-- is given another entity. So far, it is that of the entity that the account has.
ALTER TABLE subscription ADD COLUMN billing_since TEXT;
UPDATE subscription SET billing_since = (SELECT entity.invoicing_starts_on FROM entity JOIN account ON account.id = subscription.account_id
	WHERE entity.id = COALESCE(account.entity_id, (SELECT MIN(id) FROM entity)))
	WHERE EXISTS (SELECT 1 FROM ledger_key WHERE ledger_key.subscription_id = subscription.id);
