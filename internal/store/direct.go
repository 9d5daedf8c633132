package store

import (
	"database/sql"
	"reflect"
)

// direct returns pointers to the same values as plain texts and integers, to scan
// many rows into. Ids, kinds and amounts have types of their own, which drivers
// convert by reflection in every row; what is plain they copy.
func direct(fields []any) []any {
	into := make([]any, len(fields))
	for n, field := range fields {
		into[n] = field
		if _, scans := field.(sql.Scanner); scans {
			continue
		}
		switch pointer := reflect.ValueOf(field); pointer.Type().Elem().Kind() {
		case reflect.String:
			into[n] = pointer.Convert(reflect.TypeFor[*string]()).Interface()
		case reflect.Int64:
			into[n] = pointer.Convert(reflect.TypeFor[*int64]()).Interface()
		}
	}
	return into
}
