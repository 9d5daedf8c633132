package store

import (
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/store/column"
)

// largestDigits is how many digits amounts have after the point at most. Times its
// scale, an amount of any currency has that many.
const largestDigits = 4

// scaled reads an amount that is compared with those of all currencies.
func scaled(text string) (int64, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > largestDigits {
		return 0, strconv.ErrRange
	}
	a, err := money.Currency{Digits: largestDigits}.Parse(whole + "." + fraction + strings.Repeat("0", largestDigits-len(fraction)))
	return int64(a), err
}

func scaleOf(c *money.Currency) column.Column {
	return column.Written(func() int64 {
		scale := int64(1)
		for range largestDigits - c.Digits {
			scale *= 10
		}
		return scale
	})
}

// hashColumn keeps a hash as hexadecimal digits.
type hashColumn document.Hash

func (c *hashColumn) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a hash is stored as %T", src)
	}
	h, err := document.ParseHash(text)
	*c = hashColumn(h)
	return err
}

func (c *hashColumn) Value() (driver.Value, error) { return document.Hash(*c).String(), nil }

// linkColumns are where a document is in its series: series_id, place,
// previous_hash and hash.
func linkColumns(l *document.Link) []any {
	return []any{column.OrZero(&l.SeriesID), column.OrZero(&l.Place), (*hashColumn)(&l.Previous), (*hashColumn)(&l.Hash)}
}

// useColumn keeps how much of a credit note or payment was used. It is there to
// be found by.
func useColumn(state func() document.CreditNoteState) column.Column {
	return column.Derived(func() driver.Value { return string(state()) })
}
