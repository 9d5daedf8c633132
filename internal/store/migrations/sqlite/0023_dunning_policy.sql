-- +goose Up

-- What happens while an invoice is unpaid. steps is a list as JSON: day, action, template.
CREATE TABLE dunning_policy (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	code TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	steps TEXT NOT NULL,
	tolerance TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;
-- +goose StatementBegin
CREATE TRIGGER dunning_policy_catalog_insert AFTER INSERT ON dunning_policy BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER dunning_policy_catalog_update AFTER UPDATE ON dunning_policy BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER dunning_policy_catalog_delete AFTER DELETE ON dunning_policy BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd

ALTER TABLE entity ADD COLUMN dunning_policy_id INTEGER REFERENCES dunning_policy (id);
ALTER TABLE entity ADD COLUMN collection_time TEXT NOT NULL DEFAULT '09:00';
ALTER TABLE account ADD COLUMN dunning_policy_id INTEGER REFERENCES dunning_policy (id);
ALTER TABLE account ADD COLUMN dunning_exempt INTEGER NOT NULL DEFAULT false;
CREATE INDEX account_dunning_policy ON account (dunning_policy_id) WHERE dunning_policy_id IS NOT NULL;
