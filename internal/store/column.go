package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
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
