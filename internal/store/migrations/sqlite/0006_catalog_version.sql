-- +goose Up
-- Every change of the catalog counts, in the transaction of the change: who remembers the catalog knows by this number
-- whether it is still true.
INSERT INTO counter (name, value) VALUES ('catalog', 0);

-- +goose StatementBegin
CREATE TRIGGER product_catalog_insert AFTER INSERT ON product BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER product_catalog_update AFTER UPDATE ON product BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER product_catalog_delete AFTER DELETE ON product BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_catalog_insert AFTER INSERT ON plan BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_catalog_update AFTER UPDATE ON plan BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_catalog_delete AFTER DELETE ON plan BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER feature_catalog_insert AFTER INSERT ON feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER feature_catalog_update AFTER UPDATE ON feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER feature_catalog_delete AFTER DELETE ON feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_feature_catalog_insert AFTER INSERT ON plan_feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_feature_catalog_update AFTER UPDATE ON plan_feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER plan_feature_catalog_delete AFTER DELETE ON plan_feature BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_catalog_insert AFTER INSERT ON price_list BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_catalog_update AFTER UPDATE ON price_list BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_catalog_delete AFTER DELETE ON price_list BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_charge_catalog_insert AFTER INSERT ON price_list_charge BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_charge_catalog_update AFTER UPDATE ON price_list_charge BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER price_list_charge_catalog_delete AFTER DELETE ON price_list_charge BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
END;
-- +goose StatementEnd
