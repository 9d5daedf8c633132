package store

import (
	"context"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/search"
)

// narrowTime keeps to the ids that rows of a time may have, in a table whose rows are
// as good as in the order of time.
func narrowTime(ctx context.Context, q Queries, b *search.Bounds, table, column string, term billing.Term, first, last int64) error {
	from, to, err := MomentRange(term)
	if err != nil {
		return err
	}
	if !from.IsZero() {
		id, err := idAt(ctx, q, table, column, first, last, from.Add(-OutOfOrder))
		if err != nil {
			return err
		}
		b.Low = max(b.Low, id-1)
	}
	if !to.IsZero() {
		id, err := idAt(ctx, q, table, column, first, last, to.Add(OutOfOrder))
		if err != nil {
			return err
		}
		b.High = min(b.High, id)
	}
	return nil
}

// idAt returns an id between the first and the last, or behind them, below which
// rows were made before a time and from which on not. It needs no index of times.
func idAt(ctx context.Context, q Queries, table, column string, first, last int64, t time.Time) (int64, error) {
	text := fmt.Sprintf(`SELECT id, %s FROM %s WHERE id >= $1 ORDER BY id LIMIT 1`, column, table)
	low, high := first, last+1
	for low < high {
		middle := low + (high-low)/2
		var id, at int64
		found, err := q.One(ctx, text, []any{middle}, &id, &at)
		if err != nil {
			return 0, err
		}
		if !found || at >= t.UnixMilli() {
			high = middle
		} else {
			low = id + 1
		}
	}
	return low, nil
}

// ends returns the first and the last id of a table, 0 if it is empty.
func ends(ctx context.Context, q Queries, table string) (first, last int64, err error) {
	text := fmt.Sprintf(`SELECT COALESCE((SELECT min(id) FROM %s), 0), COALESCE((SELECT max(id) FROM %s), 0)`, table, table)
	_, err = q.One(ctx, text, nil, &first, &last)
	return first, last, err
}
