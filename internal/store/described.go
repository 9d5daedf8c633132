package store

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
)

// complete adds the columns and filters that need not be said: the id, the
// described fields, and the times of a table that has stamps.
func (t *Table[T, K]) complete() {
	columns, special := []string{"id"}, t.fields
	for f := range t.described.All() {
		columns = append(columns, t.columnOf(f.Name))
	}
	columns = append(columns, t.columns...)
	filters := map[string]field{"id": {"id", number, nil}}
	if t.stamps != nil {
		columns = append(columns, "created_at", "updated_at")
		filters["created"], filters["updated"] = field{"created_at", moment, nil}, field{"updated_at", moment, nil}
	}
	if contains(columns, "name") {
		filters["name"] = field{"name", name, nil}
	}
	if contains(columns, "code") {
		filters["code"] = field{"code", exact, nil}
	}
	maps.Copy(filters, t.filters)
	t.columns, t.filters = columns, filters
	t.fields = func(row *T) []any {
		fields := append(make([]any, 0, len(columns)), t.id(row))
		for f := range t.described.All() {
			fields = append(fields, columnFor(f.At(row)))
		}
		if special != nil {
			fields = append(fields, special(row)...)
		}
		if t.stamps != nil {
			created, updated := t.stamps(row)
			fields = append(fields, column.Millis(created), column.Millis(updated))
		}
		return fields
	}
}

// ID returns the id of a row.
func (t *Table[T, K]) ID(row *T) K { return *t.id(row) }

// SetID gives a row an id.
func (t *Table[T, K]) SetID(row *T, id K) { *t.id(row) = id }

// Times returns when a row was created and last changed.
func (t *Table[T, K]) Times(row *T) (created, changed time.Time) {
	if t.stamps == nil {
		return time.Time{}, time.Time{}
	}
	first, last := t.stamps(row)
	return *first, *last
}

// columnFor is what a described value is read and written with.
func columnFor(at any) any {
	switch at := at.(type) {
	case **time.Time:
		return column.OptionalMillis(at)
	case **billing.Date:
		return column.OptionalDay(at)
	case *json.RawMessage:
		return column.OptionalJSON(at)
	}
	return at
}

// ColumnOf returns the column of a field, currency_id of currencyId, and whether
// the table has it.
func (t *Table[T, K]) ColumnOf(field string) (column string, has bool) {
	column = t.columnOf(field)
	return column, contains(t.columns, column)
}

func (t *Table[T, K]) columnOf(field string) string {
	if column, renamed := t.renamed[field]; renamed {
		return column
	}
	return columnOf(field)
}

func columnOf(name string) string {
	text := make([]byte, 0, len(name)+4)
	for i := range len(name) {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			text = append(text, '_', c+'a'-'A')
		} else {
			text = append(text, c)
		}
	}
	return string(text)
}
