-- +goose Up

-- +goose StatementBegin
CREATE TRIGGER invoice_given_po_number_fixed BEFORE UPDATE OF given_po_number ON invoice WHEN old.number <> '' BEGIN
	SELECT RAISE(ABORT, 'an issued invoice does not change');
END;
-- +goose StatementEnd
