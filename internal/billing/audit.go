package billing

import (
	"bytes"
	"encoding/json"
	"time"
)

// AuditEntry says who did what to which thing. Detail holds, for each field
// that changed, its value before and after.
type AuditEntry struct {
	ID          AuditID
	At          time.Time
	Actor       string
	Action      string
	SubjectType string
	SubjectID   int64
	Detail      map[string]Change
}

// Change is one field's value before and after, as JSON.
type Change struct {
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// Changes lists the fields in which two values of the same type differ, by
// their JSON names. A nil before means that the thing is new, a nil after that
// it is gone. Fields hidden from JSON (secrets among them) never appear, nor do
// the id and the stamps that every row has.
func Changes(before, after any) map[string]Change {
	if changes, ok := structChanges(before, after); ok {
		return changes
	}
	return jsonChanges(before, after)
}

// jsonChanges is Changes for anything that is an object as JSON.
func jsonChanges(before, after any) map[string]Change {
	from, to := jsonFields(before), jsonFields(after)
	changes := map[string]Change{}
	for name, value := range to {
		if !bytes.Equal(value, orNull(from[name])) {
			changes[name] = Change{From: orNull(from[name]), To: value}
		}
	}
	for name, value := range from {
		if _, still := to[name]; !still && string(value) != "null" {
			changes[name] = Change{From: value, To: orNull(nil)}
		}
	}
	return changes
}

func jsonFields(v any) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if v == nil {
		return fields
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic("billing: a type that is audited must be JSON: " + err.Error())
	}
	if err := json.Unmarshal(text, &fields); err != nil {
		panic("billing: a type that is audited must be a JSON object: " + err.Error())
	}
	for _, name := range []string{"id", "createdAt", "updatedAt"} {
		delete(fields, name)
	}
	return fields
}

func orNull(v json.RawMessage) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	return v
}
