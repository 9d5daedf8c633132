-- +goose Up

-- Who sells, and with which taxes, changes with the catalog: what is remembered of it is valid while the number is the same.
-- +goose StatementBegin
CREATE TRIGGER entity_catalog_insert AFTER INSERT ON entity BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER entity_catalog_update AFTER UPDATE ON entity BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER entity_catalog_delete AFTER DELETE ON entity BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tax_rate_catalog_insert AFTER INSERT ON tax_rate BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tax_rate_catalog_update AFTER UPDATE ON tax_rate BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tax_rate_catalog_delete AFTER DELETE ON tax_rate BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
