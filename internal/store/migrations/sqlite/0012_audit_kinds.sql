-- +goose Up
-- The kind of an audit entry is all that words can find but its subject's id: who did what to which type of thing. There
-- are few kinds, so words are looked for among these, and the entries of a kind are a stretch of an index in the order of
-- ids. A trigger keeps the kinds, so that nobody can forget to.

-- Times are found by their ids, which are as good as in their order.
DROP INDEX audit_entry_at;
CREATE INDEX audit_entry_kind ON audit_entry (actor, action, subject_type, id);
DROP INDEX audit_entry_subject;
CREATE INDEX audit_entry_subject ON audit_entry (subject_type, subject_id, id);

-- search is that of its entries without the subject's id, which stands last.
CREATE TABLE audit_kind (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	actor TEXT NOT NULL,
	action TEXT NOT NULL,
	subject_type TEXT NOT NULL,
	search TEXT NOT NULL
) STRICT;
CREATE INDEX audit_kind_all ON audit_kind (actor, action, subject_type);
INSERT INTO audit_kind (actor, action, subject_type, search)
	SELECT actor, action, subject_type, rtrim(min(search), '-0123456789') FROM audit_entry GROUP BY actor, action, subject_type ORDER BY min(id);

-- +goose StatementBegin
CREATE TRIGGER audit_kind_note AFTER INSERT ON audit_entry
WHEN NOT EXISTS (SELECT 1 FROM audit_kind WHERE actor = new.actor AND action = new.action AND subject_type = new.subject_type) BEGIN
	INSERT INTO audit_kind (actor, action, subject_type, search) VALUES (new.actor, new.action, new.subject_type, rtrim(new.search, '-0123456789'));
END;
-- +goose StatementEnd
