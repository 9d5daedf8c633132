-- +goose Up
-- search_grams has learned pieces of one and two bytes, for words as short as that.
INSERT INTO account_search (account_search) VALUES ('rebuild');
INSERT INTO contact_search (contact_search) VALUES ('rebuild');
INSERT INTO tenant_search (tenant_search) VALUES ('rebuild');
INSERT INTO subscription_search (subscription_search) VALUES ('rebuild');
-- What was yet to be told the search tables have read.
DELETE FROM search_change;
