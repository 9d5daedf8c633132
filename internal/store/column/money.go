package column

import (
	"database/sql/driver"
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

// Currency keeps a currency by its code.
func Currency(c *money.Currency) Column { return (*currencyColumn)(c) }

type currencyColumn money.Currency

func (c *currencyColumn) Scan(src any) error {
	code, ok := src.(string)
	if !ok {
		return fmt.Errorf("a currency is stored as %T", src)
	}
	digits, known := billing.CurrencyDigits(code)
	if !known {
		return fmt.Errorf("there is no currency %q", code)
	}
	*c = currencyColumn{Code: code, Digits: digits}
	return nil
}

func (c *currencyColumn) Value() (driver.Value, error) { return c.Code, nil }

// DayOrNone keeps a date of which the zero value stands for none.
func DayOrNone(d *billing.Date) Column { return (*dayOrNoneColumn)(d) }

type dayOrNoneColumn billing.Date

func (c *dayOrNoneColumn) Scan(src any) error {
	if src == nil {
		*c = dayOrNoneColumn{}
		return nil
	}
	return (*dayColumn)(c).Scan(src)
}

func (c *dayOrNoneColumn) Value() (driver.Value, error) {
	if *c == (dayOrNoneColumn{}) {
		return nil, nil
	}
	return billing.Date(*c).String(), nil
}

// Written is a number that is written from other fields and never read.
func Written(value func() int64) Column { return &writtenColumn{value} }

type writtenColumn struct{ value func() int64 }

func (c *writtenColumn) Kind() string                 { return "BIGINT" }
func (c *writtenColumn) Scan(any) error               { return nil }
func (c *writtenColumn) Value() (driver.Value, error) { return c.value(), nil }
