package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
)

// millis keeps a time as Unix milliseconds.
func millis(t *time.Time) any { return (*millisColumn)(t) }

type millisColumn time.Time

func (c *millisColumn) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time is stored as %T", src)
	}
	*c = millisColumn(time.UnixMilli(n).UTC())
	return nil
}

func (c *millisColumn) Value() (driver.Value, error) { return time.Time(*c).UnixMilli(), nil }

// optionalMillis is millis for a time that may be missing.
func optionalMillis(t **time.Time) any { return &optionalMillisColumn{t} }

type optionalMillisColumn struct{ t **time.Time }

func (c *optionalMillisColumn) Scan(src any) error {
	if src == nil {
		*c.t = nil
		return nil
	}
	*c.t = new(time.Time)
	return (*millisColumn)(*c.t).Scan(src)
}

func (c *optionalMillisColumn) Value() (driver.Value, error) {
	if *c.t == nil {
		return nil, nil
	}
	return (*c.t).UnixMilli(), nil
}

// asJSON keeps a value as JSON text.
func asJSON(v any) any { return &jsonColumn{v} }

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

// dayColumn keeps a date as YYYY-MM-DD.
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

// optionalDayColumn keeps a date that may be missing.
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

// optionalJSON keeps a JSON text that may be missing.
func optionalJSON(v *json.RawMessage) any { return &rawColumn{v} }

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

func (c *rawColumn) Value() (driver.Value, error) {
	if *c.v == nil {
		return nil, nil
	}
	return string(*c.v), nil
}

// derived is a column that is written from other fields and never read.
func derived(value func() driver.Value) any { return &derivedColumn{value} }

type derivedColumn struct{ value func() driver.Value }

func (c *derivedColumn) Scan(any) error               { return nil }
func (c *derivedColumn) Value() (driver.Value, error) { return c.value(), nil }

// orZero keeps an id that may be missing: 0 stands for that.
func orZero[K ~int64](id *K) any { return &orZeroColumn[K]{id} }

type orZeroColumn[K ~int64] struct{ id *K }

func (c *orZeroColumn[K]) kind() string { return "BIGINT" }

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

// scanInto collects the first column of an answer.
func scanInto[K any](list *[]K) func(scanner) error {
	return func(rows scanner) error {
		var value K
		err := rows.Scan(&value)
		*list = append(*list, value)
		return err
	}
}

func jsonList[K ~int64](ids []K) string { return db.JSONList(ids) }

// durationColumn keeps a duration as milliseconds.
type durationColumn time.Duration

func (c *durationColumn) Scan(src any) error {
	n, _ := src.(int64)
	*c = durationColumn(time.Duration(n) * time.Millisecond)
	return nil
}
