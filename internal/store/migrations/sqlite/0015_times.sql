-- +goose Up
-- What rows are found by that were created or last changed at some time. A list is in the order of ids, so indexes
-- have them hour by hour, and within an hour by their ids; for longer times also by 16 hours and by 256.
CREATE INDEX account_created_1h ON account ((created_at / 3600000), id);
CREATE INDEX account_created_16h ON account ((created_at / 57600000), id);
CREATE INDEX account_created_256h ON account ((created_at / 921600000), id);
CREATE INDEX contact_created_1h ON contact ((created_at / 3600000), id);
CREATE INDEX contact_created_16h ON contact ((created_at / 57600000), id);
CREATE INDEX contact_created_256h ON contact ((created_at / 921600000), id);
CREATE INDEX tenant_created_1h ON tenant ((created_at / 3600000), id);
CREATE INDEX tenant_created_16h ON tenant ((created_at / 57600000), id);
CREATE INDEX tenant_created_256h ON tenant ((created_at / 921600000), id);
CREATE INDEX subscription_created_1h ON subscription ((created_at / 3600000), id);
CREATE INDEX subscription_created_16h ON subscription ((created_at / 57600000), id);
CREATE INDEX subscription_created_256h ON subscription ((created_at / 921600000), id);

-- The hour in which each row was last changed. In a table of its own, because PostgreSQL's tables are the same.
CREATE TABLE last_change (
	list TEXT NOT NULL,
	id INTEGER NOT NULL,
	hour INTEGER NOT NULL,
	PRIMARY KEY (list, hour, id)
) STRICT, WITHOUT ROWID;
INSERT INTO last_change (list, id, hour) SELECT 'account', id, updated_at / 3600000 FROM account;
INSERT INTO last_change (list, id, hour) SELECT 'contact', id, updated_at / 3600000 FROM contact;
INSERT INTO last_change (list, id, hour) SELECT 'tenant', id, updated_at / 3600000 FROM tenant;
INSERT INTO last_change (list, id, hour) SELECT 'subscription', id, updated_at / 3600000 FROM subscription;
CREATE INDEX last_change_16h ON last_change (list, (hour / 16), id);
CREATE INDEX last_change_256h ON last_change (list, (hour / 256), id);

-- +goose StatementBegin
CREATE TRIGGER account_inserted AFTER INSERT ON account BEGIN
	INSERT INTO last_change (list, id, hour) VALUES ('account', new.id, new.updated_at / 3600000);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_updated AFTER UPDATE OF updated_at ON account WHEN old.updated_at / 3600000 <> new.updated_at / 3600000 BEGIN
	UPDATE last_change SET hour = new.updated_at / 3600000 WHERE list = 'account' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER account_deleted AFTER DELETE ON account BEGIN
	DELETE FROM last_change WHERE list = 'account' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER contact_inserted AFTER INSERT ON contact BEGIN
	INSERT INTO last_change (list, id, hour) VALUES ('contact', new.id, new.updated_at / 3600000);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_updated AFTER UPDATE OF updated_at ON contact WHEN old.updated_at / 3600000 <> new.updated_at / 3600000 BEGIN
	UPDATE last_change SET hour = new.updated_at / 3600000 WHERE list = 'contact' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_deleted AFTER DELETE ON contact BEGIN
	DELETE FROM last_change WHERE list = 'contact' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER tenant_inserted AFTER INSERT ON tenant BEGIN
	INSERT INTO last_change (list, id, hour) VALUES ('tenant', new.id, new.updated_at / 3600000);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_updated AFTER UPDATE OF updated_at ON tenant WHEN old.updated_at / 3600000 <> new.updated_at / 3600000 BEGIN
	UPDATE last_change SET hour = new.updated_at / 3600000 WHERE list = 'tenant' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_deleted AFTER DELETE ON tenant BEGIN
	DELETE FROM last_change WHERE list = 'tenant' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER subscription_inserted AFTER INSERT ON subscription BEGIN
	INSERT INTO last_change (list, id, hour) VALUES ('subscription', new.id, new.updated_at / 3600000);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_updated AFTER UPDATE OF updated_at ON subscription WHEN old.updated_at / 3600000 <> new.updated_at / 3600000 BEGIN
	UPDATE last_change SET hour = new.updated_at / 3600000 WHERE list = 'subscription' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER subscription_deleted AFTER DELETE ON subscription BEGIN
	DELETE FROM last_change WHERE list = 'subscription' AND hour = old.updated_at / 3600000 AND id = old.id;
END;
-- +goose StatementEnd

DROP INDEX account_created;
