-- +goose Up
-- Who signs in to the console. email_key is the address as it is compared, without regard to case.
CREATE TABLE console_user (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	email TEXT NOT NULL,
	email_key TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	role TEXT NOT NULL,
	password_hash TEXT NOT NULL,
	last_sign_in_at INTEGER,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

-- A browser that is signed in; the token itself is in its cookie only.
CREATE TABLE console_session (
	token_hash TEXT NOT NULL PRIMARY KEY,
	user_id INTEGER NOT NULL REFERENCES console_user (id),
	created_at INTEGER NOT NULL,
	seen_at INTEGER NOT NULL,
	address TEXT NOT NULL,
	browser TEXT NOT NULL
) STRICT;
CREATE INDEX console_session_user ON console_session (user_id);
CREATE INDEX console_session_seen ON console_session (seen_at);

-- The console shows the subscriptions that were set aside, and the newest tenants of a platform.
CREATE INDEX tenant_platform ON tenant (platform_id, id);
CREATE INDEX subscription_problem ON subscription (id) WHERE problem IS NOT NULL;

INSERT INTO counter (name, value) VALUES ('console_user', 0);
