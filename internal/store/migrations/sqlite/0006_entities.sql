-- +goose Up

-- The legal entities of the operator, which issue invoices. invoicing_starts_on is the first day that is billed; logo is a data URL.
CREATE TABLE entity (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	code TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	legal_name TEXT,
	street TEXT,
	city TEXT,
	zip TEXT,
	state TEXT,
	country TEXT NOT NULL,
	tax_number TEXT,
	registration_number TEXT,
	oss INTEGER NOT NULL,
	accepts_unchecked_tax_numbers INTEGER NOT NULL,
	email TEXT,
	phone TEXT,
	website TEXT,
	iban TEXT,
	bic TEXT,
	bank_name TEXT,
	logo TEXT,
	footer TEXT,
	net_payment_days INTEGER NOT NULL,
	invoice_number_format TEXT NOT NULL,
	credit_note_number_format TEXT NOT NULL,
	invoice_time TEXT NOT NULL,
	grace_hours INTEGER NOT NULL,
	invoicing_starts_on TEXT,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

-- rate is a percentage as decimal text. region is the code of a part of the country, NULL for the whole of it.
CREATE TABLE tax_rate (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	country TEXT NOT NULL,
	region TEXT,
	tax_code TEXT NOT NULL,
	rate TEXT NOT NULL,
	name TEXT NOT NULL,
	valid_from TEXT,
	valid_to TEXT,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	search TEXT NOT NULL
) STRICT;

-- The standard rates of VAT in the European Union, Switzerland, Norway and the United Kingdom since 2023.
WITH standard (place, country, region, rate, valid_from, valid_to) AS (VALUES
	(1, 'AT', NULL, '20', '2023-01-01', NULL),
	(2, 'BE', NULL, '21', '2023-01-01', NULL),
	(3, 'BG', NULL, '20', '2023-01-01', NULL),
	(4, 'CH', NULL, '7.7', '2023-01-01', '2023-12-31'),
	(5, 'CH', NULL, '8.1', '2024-01-01', NULL),
	(6, 'CY', NULL, '19', '2023-01-01', NULL),
	(7, 'CZ', NULL, '21', '2023-01-01', NULL),
	(8, 'DE', NULL, '19', '2023-01-01', NULL),
	(9, 'DK', NULL, '25', '2023-01-01', NULL),
	(10, 'EE', NULL, '20', '2023-01-01', '2023-12-31'),
	(11, 'EE', NULL, '22', '2024-01-01', '2025-06-30'),
	(12, 'EE', NULL, '24', '2025-07-01', NULL),
	(13, 'ES', NULL, '21', '2023-01-01', NULL),
	(14, 'FI', NULL, '24', '2023-01-01', '2024-08-31'),
	(15, 'FI', NULL, '25.5', '2024-09-01', NULL),
	(16, 'FR', NULL, '20', '2023-01-01', NULL),
	(17, 'GB', NULL, '20', '2023-01-01', NULL),
	(18, 'GR', NULL, '24', '2023-01-01', NULL),
	(19, 'HR', NULL, '25', '2023-01-01', NULL),
	(20, 'HU', NULL, '27', '2023-01-01', NULL),
	(21, 'IE', NULL, '23', '2023-01-01', NULL),
	(22, 'IT', NULL, '22', '2023-01-01', NULL),
	(23, 'LT', NULL, '21', '2023-01-01', NULL),
	(24, 'LU', NULL, '16', '2023-01-01', '2023-12-31'),
	(25, 'LU', NULL, '17', '2024-01-01', NULL),
	(26, 'LV', NULL, '21', '2023-01-01', NULL),
	(27, 'MT', NULL, '18', '2023-01-01', NULL),
	(28, 'NL', NULL, '21', '2023-01-01', NULL),
	(29, 'NO', NULL, '25', '2023-01-01', NULL),
	(30, 'PL', NULL, '23', '2023-01-01', NULL),
	(31, 'PT', NULL, '23', '2023-01-01', NULL),
	(32, 'PT', '20', '16', '2023-01-01', NULL),
	(33, 'PT', '30', '22', '2023-01-01', NULL),
	(34, 'RO', NULL, '19', '2023-01-01', '2025-07-31'),
	(35, 'RO', NULL, '21', '2025-08-01', NULL),
	(36, 'SE', NULL, '25', '2023-01-01', NULL),
	(37, 'SI', NULL, '22', '2023-01-01', NULL),
	(38, 'SK', NULL, '20', '2023-01-01', '2024-12-31'),
	(39, 'SK', NULL, '23', '2025-01-01', NULL)
)
INSERT INTO tax_rate (country, region, tax_code, rate, name, valid_from, valid_to, created_at, updated_at, search)
SELECT country, region, 'standard', rate, 'VAT ' || rate || ' %', valid_from, valid_to, now.ms, now.ms,
	'vat ' || rate || ' %' || char(31) || lower(country) || char(31) || 'standard'
FROM standard
CROSS JOIN (SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER) AS ms) AS now
ORDER BY place;

-- entity_id is NULL for the first entity. billing_problem is why the account could not be billed.
ALTER TABLE account ADD COLUMN entity_id INTEGER REFERENCES entity (id);
ALTER TABLE account ADD COLUMN invoice_email TEXT;
ALTER TABLE account ADD COLUMN locale TEXT NOT NULL DEFAULT 'en';
ALTER TABLE account ADD COLUMN collection TEXT NOT NULL DEFAULT 'AS_DUE';
ALTER TABLE account ADD COLUMN draft_invoices INTEGER NOT NULL DEFAULT false;
ALTER TABLE account ADD COLUMN auto_apply_credits INTEGER NOT NULL DEFAULT true;
ALTER TABLE account ADD COLUMN po_number TEXT;
ALTER TABLE account ADD COLUMN buyer_reference TEXT;
ALTER TABLE account ADD COLUMN tax_number_state TEXT NOT NULL DEFAULT 'UNCHECKED';
ALTER TABLE account ADD COLUMN tax_exempt INTEGER NOT NULL DEFAULT false;
ALTER TABLE account ADD COLUMN tax_exempt_reason TEXT;
ALTER TABLE account ADD COLUMN billing_problem TEXT;
CREATE INDEX account_entity ON account (entity_id) WHERE entity_id IS NOT NULL;

ALTER TABLE price_list ADD COLUMN prices_include_tax INTEGER NOT NULL DEFAULT false;
ALTER TABLE price_list_charge ADD COLUMN tax_code TEXT NOT NULL DEFAULT 'standard';
