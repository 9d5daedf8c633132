-- +goose Up

-- billed_through is the last day that was billed elsewhere. bill_on is the earliest day on which the account has to be looked
-- at; dirty_from the first day from which on something else may be owed since it was billed, and changed_on the day of the
-- first change since then.
ALTER TABLE subscription ADD COLUMN po_number TEXT;
ALTER TABLE subscription ADD COLUMN separate_invoice INTEGER NOT NULL DEFAULT false;
ALTER TABLE subscription ADD COLUMN billed_through TEXT;
ALTER TABLE subscription ADD COLUMN bill_on TEXT;
ALTER TABLE subscription ADD COLUMN dirty_from TEXT;
ALTER TABLE subscription ADD COLUMN changed_on TEXT;
-- Nothing has been billed: every account is looked at once invoicing starts.
UPDATE subscription SET bill_on = start_date, dirty_from = start_date, changed_on = start_date;
CREATE INDEX subscription_bill ON subscription (bill_on, account_id) WHERE bill_on IS NOT NULL AND test_clock_id IS NULL;
CREATE INDEX subscription_bill_clock ON subscription (test_clock_id, bill_on) WHERE bill_on IS NOT NULL AND test_clock_id IS NOT NULL;
