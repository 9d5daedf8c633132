-- +goose Up
-- Every change of the catalog counts, in the transaction of the change: who remembers the catalog knows by this number
-- whether it is still true.
INSERT INTO counter (name, value) VALUES ('catalog', 0);

-- +goose StatementBegin
CREATE FUNCTION count_catalog_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE counter SET value = value + 1 WHERE name = 'catalog';
	RETURN NULL;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER product_catalog AFTER INSERT OR UPDATE OR DELETE ON product FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER plan_catalog AFTER INSERT OR UPDATE OR DELETE ON plan FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER feature_catalog AFTER INSERT OR UPDATE OR DELETE ON feature FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER plan_feature_catalog AFTER INSERT OR UPDATE OR DELETE ON plan_feature FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER price_list_catalog AFTER INSERT OR UPDATE OR DELETE ON price_list FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER price_list_charge_catalog AFTER INSERT OR UPDATE OR DELETE ON price_list_charge FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_change();
