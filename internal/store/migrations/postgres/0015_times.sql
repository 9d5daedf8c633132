-- +goose Up
-- What rows are found by that were created or last changed at some time. A list is in the order of ids, so indexes
-- have them hour by hour, and within an hour by their ids; for longer times also by 16 hours and by 256.
-- Nobody writes meanwhile, but all may read. The tables are locked in the order in which those do who write to several.
LOCK TABLE contact, account, tenant, subscription IN SHARE ROW EXCLUSIVE MODE;
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

-- The hour in which each row was last changed. In a table of its own, because an index on what changes with every
-- change makes PostgreSQL write to all other indexes of the row as well, of which that of its words is a large one.
CREATE TABLE last_change (
	list TEXT NOT NULL,
	id BIGINT NOT NULL,
	hour BIGINT NOT NULL,
	PRIMARY KEY (list, hour, id)
);
INSERT INTO last_change (list, id, hour) SELECT 'account', id, updated_at / 3600000 FROM account;
INSERT INTO last_change (list, id, hour) SELECT 'contact', id, updated_at / 3600000 FROM contact;
INSERT INTO last_change (list, id, hour) SELECT 'tenant', id, updated_at / 3600000 FROM tenant;
INSERT INTO last_change (list, id, hour) SELECT 'subscription', id, updated_at / 3600000 FROM subscription;
CREATE INDEX last_change_16h ON last_change (list, (hour / 16), id);
CREATE INDEX last_change_256h ON last_change (list, (hour / 256), id);
ANALYZE last_change;

-- +goose StatementBegin
CREATE FUNCTION note_inserted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO last_change (list, id, hour) SELECT TG_ARGV[0], id, updated_at / 3600000 FROM inserted;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION note_updated() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
	UPDATE last_change SET hour = NEW.updated_at / 3600000 WHERE list = TG_ARGV[0] AND hour = OLD.updated_at / 3600000 AND id = OLD.id;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION note_deleted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM last_change WHERE list = TG_ARGV[0] AND hour = OLD.updated_at / 3600000 AND id = OLD.id;
	RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER account_inserted AFTER INSERT ON account REFERENCING NEW TABLE AS inserted
	FOR EACH STATEMENT EXECUTE FUNCTION note_inserted('account');
CREATE TRIGGER account_updated AFTER UPDATE ON account
	FOR EACH ROW WHEN (OLD.updated_at / 3600000 <> NEW.updated_at / 3600000) EXECUTE FUNCTION note_updated('account');
CREATE TRIGGER account_deleted AFTER DELETE ON account FOR EACH ROW EXECUTE FUNCTION note_deleted('account');

CREATE TRIGGER contact_inserted AFTER INSERT ON contact REFERENCING NEW TABLE AS inserted
	FOR EACH STATEMENT EXECUTE FUNCTION note_inserted('contact');
CREATE TRIGGER contact_updated AFTER UPDATE ON contact
	FOR EACH ROW WHEN (OLD.updated_at / 3600000 <> NEW.updated_at / 3600000) EXECUTE FUNCTION note_updated('contact');
CREATE TRIGGER contact_deleted AFTER DELETE ON contact FOR EACH ROW EXECUTE FUNCTION note_deleted('contact');

CREATE TRIGGER tenant_inserted AFTER INSERT ON tenant REFERENCING NEW TABLE AS inserted
	FOR EACH STATEMENT EXECUTE FUNCTION note_inserted('tenant');
CREATE TRIGGER tenant_updated AFTER UPDATE ON tenant
	FOR EACH ROW WHEN (OLD.updated_at / 3600000 <> NEW.updated_at / 3600000) EXECUTE FUNCTION note_updated('tenant');
CREATE TRIGGER tenant_deleted AFTER DELETE ON tenant FOR EACH ROW EXECUTE FUNCTION note_deleted('tenant');

CREATE TRIGGER subscription_inserted AFTER INSERT ON subscription REFERENCING NEW TABLE AS inserted
	FOR EACH STATEMENT EXECUTE FUNCTION note_inserted('subscription');
CREATE TRIGGER subscription_updated AFTER UPDATE ON subscription
	FOR EACH ROW WHEN (OLD.updated_at / 3600000 <> NEW.updated_at / 3600000) EXECUTE FUNCTION note_updated('subscription');
CREATE TRIGGER subscription_deleted AFTER DELETE ON subscription FOR EACH ROW EXECUTE FUNCTION note_deleted('subscription');

-- Last, because nobody reads then, either.
DROP INDEX account_created;
