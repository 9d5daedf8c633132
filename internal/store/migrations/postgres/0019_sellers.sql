-- +goose Up

-- Who sells, and with which taxes, changes with the catalog: what is remembered of it is valid while the number is the same.
CREATE TRIGGER entity_catalog AFTER INSERT OR UPDATE OR DELETE ON entity FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_change();
CREATE TRIGGER tax_rate_catalog AFTER INSERT OR UPDATE OR DELETE ON tax_rate FOR EACH STATEMENT EXECUTE FUNCTION count_catalog_change();
