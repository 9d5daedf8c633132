-- +goose Up
-- What words of one and two bytes are found by: every byte of the searchable text, every two in a row with a bit before
-- them, where a byte 0 stands before the first one, and the windows of ids that the row is in, as search_grams has them (see
-- search_window). They have an index of their own because search_grams has so many different pieces that it can put off
-- little of the work of a new row.
-- +goose StatementBegin
CREATE FUNCTION search_pairs(id BIGINT, search TEXT) RETURNS BIGINT[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	bytes BYTEA := pg_catalog.convert_to(search, 'UTF8');
	one BIGINT;
	before BIGINT := 256 << 8;
	pieces BIGINT[];
	n INTEGER := 0;
BEGIN
	FOR i IN 0 .. pg_catalog.length(bytes) - 1 LOOP
		one := pg_catalog.get_byte(bytes, i);
		pieces[n + 1] := one;
		pieces[n + 2] := before | one;
		n := n + 2;
		before := (256 | one) << 8;
	END LOOP;
	FOR bits IN 10 .. 16 BY 3 LOOP
		pieces[n + 1] := (CAST(bits AS BIGINT) << 56) | ((id >> bits) + 1);
		pieces[n + 2] := (CAST(bits AS BIGINT) << 56) | ((id >> bits) + 2);
		n := n + 2;
	END LOOP;
	RETURN pieces;
END
$$;
-- +goose StatementEnd

-- Nobody writes meanwhile, but all may read. The tables are locked in the order in which those do who write to several.
LOCK TABLE contact, account, tenant, subscription IN SHARE ROW EXCLUSIVE MODE;
SET LOCAL maintenance_work_mem = '256MB';

CREATE INDEX account_pairs ON account USING gin (search_pairs(id, search)) WITH (gin_pending_list_limit = 1024);
-- How often a piece occurs is of no use: the plan is always the same.
ALTER INDEX account_pairs ALTER COLUMN 1 SET STATISTICS 0;

CREATE INDEX contact_pairs ON contact USING gin (search_pairs(id, search)) WITH (gin_pending_list_limit = 1024);
ALTER INDEX contact_pairs ALTER COLUMN 1 SET STATISTICS 0;

CREATE INDEX tenant_pairs ON tenant USING gin (search_pairs(id, search)) WITH (gin_pending_list_limit = 1024);
ALTER INDEX tenant_pairs ALTER COLUMN 1 SET STATISTICS 0;

CREATE INDEX subscription_pairs ON subscription USING gin (search_pairs(id, search)) WITH (gin_pending_list_limit = 1024);
ALTER INDEX subscription_pairs ALTER COLUMN 1 SET STATISTICS 0;
