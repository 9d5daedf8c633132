-- +goose Up

CREATE TRIGGER invoice_given_po_number_fixed BEFORE UPDATE OF given_po_number ON invoice FOR EACH ROW
	WHEN (OLD.number <> '') EXECUTE FUNCTION refuse_change('an issued invoice does not change');
