package node

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/billing"
)

// maxID is the largest integer that every JSON reader keeps exactly.
const maxID = 1<<53 - 1

// UnmarshalID reads an id, which may be written as a number or as a string.
func UnmarshalID(v any) (int64, error) {
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	case int64:
		text = strconv.FormatInt(v, 10)
	case int:
		text = strconv.Itoa(v)
	default:
		return 0, billing.Fail(billing.Invalid, "", "An id is a whole number such as 12, not %v.", v)
	}
	id, err := strconv.ParseUint(text, 10, 63) // which takes no sign
	if err != nil || id > maxID {
		return 0, billing.Fail(billing.Invalid, "", "An id is a whole number such as 12, not %q.", text)
	}
	return int64(id), nil
}

// MarshalID writes an id as a string of digits.
func MarshalID(id int64) graphql.Marshaler { return digits(id) }

// digits is an id on its way out; writing it allocates nothing.
type digits int64

func (d digits) MarshalGQL(w io.Writer) {
	var buffer [24]byte
	_, _ = w.Write(AppendID(buffer[:0], d))
}

// UnmarshalInt reads a whole number of 32 bits, as GraphQL has them.
func UnmarshalInt(v any) (int, error) {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case int64:
		text = strconv.FormatInt(v, 10)
	case int:
		text = strconv.Itoa(v)
	default:
		return 0, billing.Fail(billing.Invalid, "", "A whole number is expected, not %v.", v)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < math.MinInt32 || n > math.MaxInt32 {
		return 0, billing.Fail(billing.Invalid, "", "A whole number from %d to %d is expected, not %s.", math.MinInt32, math.MaxInt32, text)
	}
	return int(n), nil
}

// MarshalInt writes a whole number.
func MarshalInt(n int) graphql.Marshaler { return integer(n) }

type integer int

func (i integer) MarshalGQL(w io.Writer) {
	var buffer [24]byte
	_, _ = w.Write(strconv.AppendInt(buffer[:0], int64(i), 10))
}

const timeFormat = "2006-01-02T15:04:05.000Z"

// MarshalTime writes a time in UTC, to the millisecond.
func MarshalTime(t time.Time) graphql.Marshaler { return moment(t) }

type moment time.Time

func (m moment) MarshalGQL(w io.Writer) {
	var buffer [len(timeFormat) + 2]byte
	_, _ = w.Write(AppendTime(buffer[:0], time.Time(m)))
}

// UnmarshalTime reads an RFC 3339 time.
func UnmarshalTime(v any) (time.Time, error) {
	text, ok := v.(string)
	if ok {
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, billing.Fail(billing.Invalid, "", "A time is written as 2026-01-31T12:00:00Z, not %v.", v)
}

// MarshalDecimal writes an exact decimal as a string.
func MarshalDecimal(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalDecimal reads an exact decimal as text; what it must look like is
// decided where it is used, so that the answer can name the field.
func UnmarshalDecimal(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", billing.Fail(billing.Invalid, "", "A decimal is written as a string such as \"19.90\", not %v.", v)
}

// MarshalJSON writes any value as JSON.
func MarshalJSON(v any) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // what is shown as JSON was made from JSON
		}
		_, _ = w.Write(text)
	})
}

// UnmarshalJSON takes any value.
func UnmarshalJSON(v any) (any, error) { return v, nil }

// MarshalDate writes a date as YYYY-MM-DD.
func MarshalDate(d billing.Date) graphql.Marshaler { return graphql.MarshalString(d.String()) }

// UnmarshalDate reads a date.
func UnmarshalDate(v any) (billing.Date, error) {
	text, err := UnmarshalDateText(v)
	if err != nil {
		return billing.Date{}, err
	}
	return billing.ParseDate(text)
}

// MarshalDateText writes a date that is text already.
func MarshalDateText(s string) graphql.Marshaler { return graphql.MarshalString(s) }

// UnmarshalDateText reads a date as text; whether it exists is decided where it
// is used, so that the answer can name the field.
func UnmarshalDateText(v any) (string, error) {
	if text, ok := v.(string); ok {
		return text, nil
	}
	return "", billing.Fail(billing.Invalid, "", "A date is written as 2026-01-31, not %v.", v)
}
