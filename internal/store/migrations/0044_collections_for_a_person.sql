-- +goose Up

-- Collections of which nobody is asked any more what has become of them: a person has to look. There are few, usually none.
CREATE INDEX payment_collection_person ON payment_collection (id) WHERE next_at IS NULL AND outcome IN ('WAITING', 'PENDING', 'UNKNOWN') AND test_clock_id IS NULL;
