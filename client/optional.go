package client

import (
	"encoding/json"
	"time"
)

// Optional is a value that may be left out of a request or be null, which is
// not the same: in an update, what is left out stays as it is, and null empties
// it. The zero Optional is left out. Make others with [Some] and [Null].
//
// It is a list of at most one pointer, nil for null, because that is what
// omitempty leaves out; omitzero would need Go 1.24.
type Optional[T any] []*T

// Some is an Optional with a value.
func Some[T any](value T) Optional[T] { return Optional[T]{&value} }

// Null is an Optional that is null.
func Null[T any]() Optional[T] { return Optional[T]{nil} }

// Get returns the value, and whether there is one.
func (o Optional[T]) Get() (value T, ok bool) {
	if len(o) == 0 || o[0] == nil {
		return value, false
	}
	return *o[0], true
}

// IsNull says whether it is null, as opposed to left out.
func (o Optional[T]) IsNull() bool { return len(o) > 0 && o[0] == nil }

// IsZero says whether it is left out.
func (o Optional[T]) IsZero() bool { return len(o) == 0 }

// MarshalJSON writes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if len(o) == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(o[0])
}

// Date is a calendar day, written YYYY-MM-DD.
type Date string

// DateOf is the day of a time, in that time's zone.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// Time is the beginning of the day in UTC.
func (d Date) Time() (time.Time, error) { return time.Parse(time.DateOnly, string(d)) }

// Decimal is an exact decimal number, written as text such as "19.90".
type Decimal string
