package store

import (
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
	"github.com/tenantry/tenantry/internal/store/db"
)

// AuditEntries keeps billing.AuditEntry. Its lists know neither the index of
// kinds nor that of subjects: see ListAudit.
var AuditEntries = newTable(Table[billing.AuditEntry, billing.AuditID]{
	name:    "audit_entry",
	id:      func(e *billing.AuditEntry) *billing.AuditID { return &e.ID },
	columns: []string{"at", "actor", "action", "subject_type", "subject_id", "detail"},
	fields: func(e *billing.AuditEntry) []any {
		return []any{column.Millis(&e.At), &e.Actor, &e.Action, &e.SubjectType, &e.SubjectID, column.JSON(&e.Detail)}
	},
	words: func(e *billing.AuditEntry) []string {
		// The subject's id is last: the kind of an entry has the others.
		return []string{e.Action, e.Actor, e.SubjectType, strconv.FormatInt(e.SubjectID, 10)}
	},
	matchWord: matchAuditWord,
	filters: map[string]field{
		"at": {"at", moment, nil}, "created": {"at", moment, nil},
		"actor": {"actor", exact, nil}, "action": {"action", exact, nil},
		"subjectType": {"subject_type", exact, nil}, "subjectId": {"subject_id", number, nil},
	},
})

// idSigns are what an id is written with. The kind of an entry has its
// searchable text without these at its end, which the schema sees to.
const idSigns = "-0123456789"

// matchAuditWord keeps the entries that have a word in their kind, or as the id
// of their subject. A part of an id is no match: nobody means that.
func matchAuditWord(s *db.Select, d *db.Dialect, word string) {
	if strings.Trim(word, idSigns) != "" {
		s.Where(d.Position+"(audit_entry.search, CAST(%s AS TEXT)) > 0", word)
		return
	}
	inKind := s.Condition(d.Position+"(rtrim(audit_entry.search, '"+idSigns+"'), CAST(%s AS TEXT)) > 0", word)
	if id, is := subjectNamed(word); is {
		inKind = "(" + inKind + " OR " + s.Condition("audit_entry.subject_id = %s", id) + ")"
	}
	s.Conditions = append(s.Conditions, inKind)
}

// subjectNamed returns the id that a word is, if it is one.
func subjectNamed(word string) (int64, bool) {
	id, err := strconv.ParseInt(word, 10, 64)
	return id, err == nil && strconv.FormatInt(id, 10) == word
}
