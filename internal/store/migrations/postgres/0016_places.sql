-- +goose Up
-- version counts the changes to where and how the webhooks of a platform go, and to whether they do.
ALTER TABLE webhook_endpoint ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
-- +goose StatementBegin
CREATE FUNCTION platform_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
	UPDATE webhook_endpoint SET version = version + 1 WHERE platform_id = NEW.id;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER platform_route AFTER UPDATE ON platform FOR EACH ROW EXECUTE FUNCTION platform_changed();
-- +goose StatementBegin
CREATE FUNCTION workflow_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
	UPDATE webhook_endpoint SET version = version + 1 WHERE platform_id = NEW.platform_id;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER workflow_route AFTER UPDATE ON workflow FOR EACH ROW EXECUTE FUNCTION workflow_changed();
-- +goose StatementBegin
CREATE FUNCTION endpoint_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
	NEW.version = OLD.version + 1;
	RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER webhook_endpoint_route BEFORE UPDATE OF paused_at, open_until ON webhook_endpoint FOR EACH ROW
	WHEN (OLD.paused_at IS DISTINCT FROM NEW.paused_at OR OLD.open_until IS DISTINCT FROM NEW.open_until) EXECUTE FUNCTION endpoint_changed();
