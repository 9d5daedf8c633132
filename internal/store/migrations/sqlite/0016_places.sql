-- +goose Up
-- version counts the changes to where and how the webhooks of a platform go, and to whether they do.
ALTER TABLE webhook_endpoint ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
-- +goose StatementBegin
CREATE TRIGGER platform_route AFTER UPDATE ON platform BEGIN
	UPDATE webhook_endpoint SET version = version + 1 WHERE platform_id = NEW.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER workflow_route AFTER UPDATE ON workflow BEGIN
	UPDATE webhook_endpoint SET version = version + 1 WHERE platform_id = NEW.platform_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER webhook_endpoint_route AFTER UPDATE OF paused_at, open_until ON webhook_endpoint
WHEN OLD.paused_at IS NOT NEW.paused_at OR OLD.open_until IS NOT NEW.open_until BEGIN
	UPDATE webhook_endpoint SET version = version + 1 WHERE platform_id = NEW.platform_id;
END;
-- +goose StatementEnd
