package store

import (
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
)

// AuditEntries keeps billing.AuditEntry.
var AuditEntries = newTable(Table[billing.AuditEntry, billing.AuditID]{
	name:    "audit_entry",
	columns: []string{"id", "at", "actor", "action", "subject_type", "subject_id", "detail"},
	fields: func(e *billing.AuditEntry) []any {
		return []any{&e.ID, millis(&e.At), &e.Actor, &e.Action, &e.SubjectType, &e.SubjectID, asJSON(&e.Detail)}
	},
	words: func(e *billing.AuditEntry) []string {
		return []string{e.Action, e.Actor, e.SubjectType, strconv.FormatInt(e.SubjectID, 10)}
	},
	filters: map[string]field{
		"id": {"id", number, nil}, "at": {"at", moment, nil}, "created": {"at", moment, nil},
		"actor": {"actor", exact, nil}, "action": {"action", exact, nil},
		"subjectType": {"subject_type", exact, nil}, "subjectId": {"subject_id", number, nil},
	},
})
