-- +goose Up

-- The columns in the order of the key: with another one, quick_check of SQLite takes the wrong column for id and finds a
-- NULL in a healthy table.
CREATE TABLE last_change_before AS SELECT list, hour, id FROM last_change;
DROP TABLE last_change;
CREATE TABLE last_change (
	list TEXT NOT NULL,
	hour INTEGER NOT NULL,
	id INTEGER NOT NULL,
	PRIMARY KEY (list, hour, id)
) STRICT, WITHOUT ROWID;
INSERT INTO last_change (list, hour, id) SELECT list, hour, id FROM last_change_before ORDER BY list, hour, id;
DROP TABLE last_change_before;
CREATE INDEX last_change_16h ON last_change (list, (hour / 16), id);
CREATE INDEX last_change_256h ON last_change (list, (hour / 256), id);
