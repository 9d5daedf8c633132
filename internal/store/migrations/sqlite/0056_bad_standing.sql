-- +goose Up

-- Those that are over keep the standing that unpaid invoices gave them: who counts the others must not read them.
CREATE INDEX subscription_bad_standing ON subscription (standing, id) WHERE state = 'ACTIVE' AND standing <> 'GOOD';
