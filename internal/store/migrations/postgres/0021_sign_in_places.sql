-- +goose Up

-- Where somebody has signed in: networks, and browsers by the hash of a cookie. Attempts from there are counted apart,
-- so that nobody else can use them up.
CREATE TABLE sign_in_place (
	user_id BIGINT NOT NULL REFERENCES console_user (id) ON DELETE CASCADE,
	place TEXT NOT NULL,
	seen_at BIGINT NOT NULL,
	PRIMARY KEY (user_id, place)
);
CREATE INDEX sign_in_place_seen ON sign_in_place (seen_at);
