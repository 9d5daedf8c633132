// Package column keeps values in the form that both databases have for them: times as
// Unix milliseconds, dates and JSON as text, missing ids as null.
package column

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Column reads and writes a value in the form that a database keeps it in.
type Column interface {
	sql.Scanner
	driver.Valuer
}

// Millis keeps a time as Unix milliseconds.
func Millis(t *time.Time) Column { return (*millisColumn)(t) }

type millisColumn time.Time

func (c *millisColumn) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", src)
	}
	*c = millisColumn(time.UnixMilli(n).UTC())
	return nil
}

func (c *millisColumn) Kind() string { return "BIGINT" }

func (c *millisColumn) Value() (driver.Value, error) { return time.Time(*c).UnixMilli(), nil }

// OptionalMillis is Millis for a time that may be missing.
func OptionalMillis(t **time.Time) Column { return &optionalMillisColumn{t} }

type optionalMillisColumn struct{ t **time.Time }

func (c *optionalMillisColumn) Scan(src any) error {
	if src == nil {
		*c.t = nil
		return nil
	}
	*c.t = new(time.Time)
	return (*millisColumn)(*c.t).Scan(src)
}

func (c *optionalMillisColumn) Kind() string { return "BIGINT" }

func (c *optionalMillisColumn) Value() (driver.Value, error) {
	if *c.t == nil {
		return nil, nil
	}
	return (*c.t).UnixMilli(), nil
}

// JSON keeps a value as JSON text.
func JSON(v any) Column { return &jsonColumn{v} }

type jsonColumn struct{ v any }

func (c *jsonColumn) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("JSON is stored as %T", src)
	}
	return json.Unmarshal([]byte(text), c.v)
}

func (c *jsonColumn) Value() (driver.Value, error) {
	text, err := json.Marshal(c.v)
	return string(text), err
}

// Day keeps a date as YYYY-MM-DD.
func Day(d *billing.Date) Column { return (*dayColumn)(d) }

type dayColumn billing.Date

func (c *dayColumn) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a date is stored as %T", src)
	}
	d, err := billing.ParseDate(text)
	*c = dayColumn(d)
	return err
}

func (c *dayColumn) Value() (driver.Value, error) { return billing.Date(*c).String(), nil }

// OptionalDay is Day for a date that may be missing.
func OptionalDay(d **billing.Date) Column { return &optionalDayColumn{d} }

type optionalDayColumn struct{ d **billing.Date }

func (c *optionalDayColumn) Scan(src any) error {
	if src == nil {
		*c.d = nil
		return nil
	}
	*c.d = new(billing.Date)
	return (*dayColumn)(*c.d).Scan(src)
}

func (c *optionalDayColumn) Value() (driver.Value, error) {
	if *c.d == nil {
		return nil, nil
	}
	return (*c.d).String(), nil
}

// OptionalJSON keeps a JSON text that may be missing.
func OptionalJSON(v *json.RawMessage) Column { return &rawColumn{v} }

type rawColumn struct{ v *json.RawMessage }

func (c *rawColumn) Scan(src any) error {
	switch text := src.(type) {
	case nil:
		*c.v = nil
	case string:
		*c.v = json.RawMessage(text)
	default:
		return fmt.Errorf("JSON is stored as %T", src)
	}
	return nil
}

// Len is how long the text is.
func (c *rawColumn) Len() int { return len(*c.v) }

func (c *rawColumn) Value() (driver.Value, error) {
	if *c.v == nil {
		return nil, nil
	}
	return string(*c.v), nil
}

// Derived is a column that is written from other fields and never read.
func Derived(value func() driver.Value) Column { return &derivedColumn{value} }

type derivedColumn struct{ value func() driver.Value }

func (c *derivedColumn) Scan(any) error               { return nil }
func (c *derivedColumn) Value() (driver.Value, error) { return c.value(), nil }

// OrZero keeps an id that may be missing: 0 stands for that.
func OrZero[K ~int64](id *K) Column { return &orZeroColumn[K]{id} }

type orZeroColumn[K ~int64] struct{ id *K }

func (c *orZeroColumn[K]) Kind() string { return "BIGINT" }

func (c *orZeroColumn[K]) Scan(src any) error {
	n, _ := src.(int64)
	*c.id = K(n)
	return nil
}

func (c *orZeroColumn[K]) Value() (driver.Value, error) {
	if *c.id == 0 {
		return nil, nil
	}
	return int64(*c.id), nil
}

// Collect adds the first column of every row to a list.
func Collect[K any](list *[]K) func(db.Row) error {
	return func(rows db.Row) error {
		var value K
		err := rows.Scan(&value)
		*list = append(*list, value)
		return err
	}
}

// Duration keeps a duration as milliseconds.
func Duration(d *time.Duration) Column { return (*durationColumn)(d) }

type durationColumn time.Duration

func (c *durationColumn) Scan(src any) error {
	n, _ := src.(int64)
	*c = durationColumn(time.Duration(n) * time.Millisecond)
	return nil
}

func (c *durationColumn) Value() (driver.Value, error) { return time.Duration(*c).Milliseconds(), nil }
