-- +goose Up
-- What free words are found by: every three and every five bytes in a row of the searchable text, and the windows of ids
-- that the row is in (see search_window). A trigram alone is in too many rows for a lookup that does not grow with them.
-- +goose StatementBegin
CREATE FUNCTION search_grams(id BIGINT, search TEXT) RETURNS BYTEA[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	bytes BYTEA := pg_catalog.convert_to(search, 'UTF8');
	size INTEGER := pg_catalog.length(bytes);
	grams BYTEA[];
	n INTEGER := 0;
BEGIN
	FOR i IN 1 .. size - 2 LOOP
		n := n + 1;
		grams[n] := pg_catalog.substring(bytes, i, 3);
	END LOOP;
	FOR i IN 1 .. size - 4 LOOP
		n := n + 1;
		grams[n] := pg_catalog.substring(bytes, i, 5);
	END LOOP;
	FOR bits IN 10 .. 16 BY 3 LOOP
		-- search_window, without the call
		grams[n + 1] := pg_catalog.int8send((CAST(bits AS BIGINT) << 56) | ((id >> bits) + 1));
		grams[n + 2] := pg_catalog.int8send((CAST(bits AS BIGINT) << 56) | ((id >> bits) + 2));
		n := n + 2;
	END LOOP;
	RETURN grams;
END
$$;
-- +goose StatementEnd

-- Windows of ids overlap by half. The one with number n holds the ids from (n - 2) << bits to before n << bits, so that
-- from any id on, the window with the number (id >> bits) + 2 has at least half its length left.
-- +goose StatementBegin
CREATE FUNCTION search_window(bits INTEGER, number BIGINT) RETURNS BYTEA[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
	SELECT ARRAY[pg_catalog.int8send((CAST(bits AS BIGINT) << 56) | number)]
$$;
-- +goose StatementEnd

SET LOCAL maintenance_work_mem = '256MB';

DROP INDEX account_search;
CREATE INDEX account_search ON account USING gin (search_grams(id, search)) WITH (gin_pending_list_limit = 256);
-- How often a gram occurs is of no use: the plan is always the same.
ALTER INDEX account_search ALTER COLUMN 1 SET STATISTICS 0;
ALTER TABLE account ALTER COLUMN search SET STATISTICS -1;

DROP INDEX contact_search;
CREATE INDEX contact_search ON contact USING gin (search_grams(id, search)) WITH (gin_pending_list_limit = 256);
-- How often a gram occurs is of no use: the plan is always the same.
ALTER INDEX contact_search ALTER COLUMN 1 SET STATISTICS 0;
ALTER TABLE contact ALTER COLUMN search SET STATISTICS -1;

DROP INDEX tenant_search;
CREATE INDEX tenant_search ON tenant USING gin (search_grams(id, search)) WITH (gin_pending_list_limit = 256);
-- How often a gram occurs is of no use: the plan is always the same.
ALTER INDEX tenant_search ALTER COLUMN 1 SET STATISTICS 0;
ALTER TABLE tenant ALTER COLUMN search SET STATISTICS -1;

DROP INDEX subscription_search;
CREATE INDEX subscription_search ON subscription USING gin (search_grams(id, search)) WITH (gin_pending_list_limit = 256);
-- How often a gram occurs is of no use: the plan is always the same.
ALTER INDEX subscription_search ALTER COLUMN 1 SET STATISTICS 0;
ALTER TABLE subscription ALTER COLUMN search SET STATISTICS -1;

