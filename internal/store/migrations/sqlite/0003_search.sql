-- +goose Up
-- What free words are found by: every three and every five bytes in a row of the searchable text. The server provides
-- search_grams. Short pages let a lookup skip most of a long list.

-- What the search tables have yet to be told. The server does so before it commits, for many transactions at once, and
-- before it looks something up in a transaction: a search table that is written to in a savepoint costs far more.
CREATE TABLE search_change (
	seq INTEGER PRIMARY KEY,
	of TEXT NOT NULL,
	command TEXT,
	id INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

DROP TRIGGER account_search_insert;
DROP TRIGGER account_search_delete;
DROP TRIGGER account_search_update;
DROP TABLE account_search;
CREATE VIEW account_grams AS SELECT id, search_grams(search) AS grams FROM account;
CREATE VIRTUAL TABLE account_search USING fts5 (grams, content='account_grams', content_rowid='id', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO account_search (account_search, rank) VALUES ('pgsz', 500);
INSERT INTO account_search (account_search) VALUES ('rebuild');
-- +goose StatementBegin
CREATE TRIGGER account_search_insert AFTER INSERT ON account BEGIN
	INSERT INTO search_change (of, id, search) VALUES ('account', new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_search_delete AFTER DELETE ON account BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('account', 'delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_search_update AFTER UPDATE OF search ON account WHEN old.search <> new.search BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('account', 'delete', old.id, old.search);
	INSERT INTO search_change (of, id, search) VALUES ('account', new.id, new.search);
END;
-- +goose StatementEnd

DROP TRIGGER contact_search_insert;
DROP TRIGGER contact_search_delete;
DROP TRIGGER contact_search_update;
DROP TABLE contact_search;
CREATE VIEW contact_grams AS SELECT id, search_grams(search) AS grams FROM contact;
CREATE VIRTUAL TABLE contact_search USING fts5 (grams, content='contact_grams', content_rowid='id', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO contact_search (contact_search, rank) VALUES ('pgsz', 500);
INSERT INTO contact_search (contact_search) VALUES ('rebuild');
-- +goose StatementBegin
CREATE TRIGGER contact_search_insert AFTER INSERT ON contact BEGIN
	INSERT INTO search_change (of, id, search) VALUES ('contact', new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_search_delete AFTER DELETE ON contact BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('contact', 'delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_search_update AFTER UPDATE OF search ON contact WHEN old.search <> new.search BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('contact', 'delete', old.id, old.search);
	INSERT INTO search_change (of, id, search) VALUES ('contact', new.id, new.search);
END;
-- +goose StatementEnd

DROP TRIGGER tenant_search_insert;
DROP TRIGGER tenant_search_delete;
DROP TRIGGER tenant_search_update;
DROP TABLE tenant_search;
CREATE VIEW tenant_grams AS SELECT id, search_grams(search) AS grams FROM tenant;
CREATE VIRTUAL TABLE tenant_search USING fts5 (grams, content='tenant_grams', content_rowid='id', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO tenant_search (tenant_search, rank) VALUES ('pgsz', 500);
INSERT INTO tenant_search (tenant_search) VALUES ('rebuild');
-- +goose StatementBegin
CREATE TRIGGER tenant_search_insert AFTER INSERT ON tenant BEGIN
	INSERT INTO search_change (of, id, search) VALUES ('tenant', new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_search_delete AFTER DELETE ON tenant BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('tenant', 'delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_search_update AFTER UPDATE OF search ON tenant WHEN old.search <> new.search BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('tenant', 'delete', old.id, old.search);
	INSERT INTO search_change (of, id, search) VALUES ('tenant', new.id, new.search);
END;
-- +goose StatementEnd

DROP TRIGGER subscription_search_insert;
DROP TRIGGER subscription_search_delete;
DROP TRIGGER subscription_search_update;
DROP TABLE subscription_search;
CREATE VIEW subscription_grams AS SELECT id, search_grams(search) AS grams FROM subscription;
CREATE VIRTUAL TABLE subscription_search USING fts5 (grams, content='subscription_grams', content_rowid='id', tokenize='ascii', detail='none', columnsize=0);
INSERT INTO subscription_search (subscription_search, rank) VALUES ('pgsz', 500);
INSERT INTO subscription_search (subscription_search) VALUES ('rebuild');
-- +goose StatementBegin
CREATE TRIGGER subscription_search_insert AFTER INSERT ON subscription BEGIN
	INSERT INTO search_change (of, id, search) VALUES ('subscription', new.id, new.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_search_delete AFTER DELETE ON subscription BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('subscription', 'delete', old.id, old.search);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_search_update AFTER UPDATE OF search ON subscription WHEN old.search <> new.search BEGIN
	INSERT INTO search_change (of, command, id, search) VALUES ('subscription', 'delete', old.id, old.search);
	INSERT INTO search_change (of, id, search) VALUES ('subscription', new.id, new.search);
END;
-- +goose StatementEnd
