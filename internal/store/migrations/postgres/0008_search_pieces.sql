-- +goose Up
-- search_grams learns pieces of four bytes. A word of four letters is rare where both its pieces of three are common.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_grams(id BIGINT, search TEXT) RETURNS BYTEA[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	bytes BYTEA := pg_catalog.convert_to(search, 'UTF8');
	length INTEGER := pg_catalog.length(bytes);
	grams BYTEA[];
	n INTEGER := 0;
BEGIN
	FOR size IN 3 .. 5 LOOP
		FOR i IN 1 .. length - size + 1 LOOP
			n := n + 1;
			grams[n] := pg_catalog.substring(bytes, i, size);
		END LOOP;
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

SET LOCAL maintenance_work_mem = '256MB';

REINDEX INDEX account_search;
REINDEX INDEX contact_search;
REINDEX INDEX tenant_search;
REINDEX INDEX subscription_search;
