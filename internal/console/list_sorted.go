package console

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// showSorted answers with a page of a list in its own order.
func showSorted[T any, K ~int64](c *call, data ui.List, r *resource[T, K]) error {
	data.Sorted = true
	return showPart(c, data, r.columnNames(), r.cellsOf, func(data *ui.List) ([]T, error) { return sortedPageOf(c, data, r.Table) })
}

// sortedPageOf reads the page that the address asks for: the first, or those
// behind or before a key.
func sortedPageOf[T any, K ~int64](c *call, data *ui.List, table *store.Table[T, K]) ([]T, error) {
	filter, err := billing.ParseFilter(data.Filter)
	if err != nil {
		return nil, err
	}
	after, before := sortKey(c, "after"), sortKey(c, "before")
	ask := store.SortedPage{Filter: filter, After: after, Limit: pageSize + 1, Backwards: before != nil}
	if before != nil {
		ask.After = before
	}
	rows, keys, err := table.ListSorted(c.ctx(), c.q(), ask)
	if err != nil {
		return nil, err
	}
	more := len(rows) > pageSize
	rows, keys = rows[:min(len(rows), pageSize)], keys[:min(len(keys), pageSize)]
	if before != nil {
		slices.Reverse(rows)
		slices.Reverse(keys)
	}
	if len(rows) == 0 {
		if after != nil || before != nil {
			data.Newer = data.PageAt("", "")
		}
		return rows, nil
	}
	if before != nil || more {
		data.Older = data.PageAt("after", keyText(keys[len(keys)-1]))
	}
	if after != nil || before != nil && more {
		data.Newer = data.PageAt("before", keyText(keys[0]))
	}
	return rows, nil
}

// sortKey is the key in a parameter of the address, nil if there is none.
func sortKey(c *call, name string) (key store.SortKey) {
	for part := range strings.SplitSeq(c.value(name), ".") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil
		}
		key = append(key, n)
	}
	return key
}

func keyText(key store.SortKey) string {
	parts := make([]string, len(key))
	for i, n := range key {
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, ".")
}
