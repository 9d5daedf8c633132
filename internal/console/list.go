package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// pageSize is how many rows a list shows at once.
const pageSize = 50

func (r *resource[T, K]) list(c *call) error {
	data := ui.List{Title: r.many, Path: "/" + r.path, Hint: r.hint, About: r.about}
	_, write := r.scopes()
	if r.begin != nil && c.may(write) {
		data.New = &ui.Link{Text: "New " + r.one, Href: "/" + r.path + "/new"}
	}
	if r.whole != nil {
		return showPart(c, data, r.columnNames(), r.cellsOf, func(data *ui.List) ([]T, error) { return wholeOf(c, data, r) })
	}
	if r.Table.IsSorted() {
		return showSorted(c, data, r)
	}
	return showList(c, data, r.Table, r.id, r.columnNames(), r.cellsOf, nil)
}

// wholeOf reads all rows of a short list in the order of its pages.
func wholeOf[T any, K ~int64](c *call, data *ui.List, r *resource[T, K]) ([]T, error) {
	filter, err := billing.ParseFilter(data.Filter)
	if err != nil {
		return nil, err
	}
	rows, err := r.Table.List(c.ctx(), c.q(), store.Page{Filter: filter, Limit: maxOptions + 1})
	if len(rows) > maxOptions {
		rows, data.Note = rows[:maxOptions], "The first "+ui.Grouped(maxOptions)+" of them; search for the others."
	}
	slices.SortFunc(rows, func(a, b T) int { return r.whole(&a, &b) })
	return rows, err
}

// reader reads a page of a list.
type reader[T any] func(context.Context, store.Queries, store.Page) ([]T, error)

// How many rows one page looks through where no index helps: what takes some
// milliseconds. An event is on a page of the database with few others.
const (
	mostEntries = 10_000
	mostEvents  = 5000
)

// within is the reader of a list that stops early, which the list then says.
func within[T any](d *ui.List, most int, things string, read func(context.Context, store.Queries, store.Page, int) ([]T, int64, error)) reader[T] {
	d.Rest, d.Note = new(int64), "These are the matches among "+ui.Grouped(most)+" "+things+"."
	return func(ctx context.Context, q store.Queries, p store.Page) (rows []T, err error) {
		rows, *d.Rest, err = read(ctx, q, p, most)
		return rows, err
	}
}

// showList answers with a page of a list, the newest first. always narrows the
// list beside what was typed.
func showList[T any, K ~int64](c *call, data ui.List, table *store.Table[T, K], id func(*T) K, columns []string,
	cells func(*call, []T) ([][]ui.Cell, error), always []billing.Term,
) error {
	return showRows(c, data, table.List, id, columns, cells, always)
}

// showRows is showList of whatever can be read by pages.
func showRows[T any, K ~int64](c *call, data ui.List, read reader[T], id func(*T) K, columns []string,
	cells func(*call, []T) ([][]ui.Cell, error), always []billing.Term,
) error {
	return showPart(c, data, columns, cells, func(data *ui.List) ([]T, error) { return pageOf(c, data, read, id, always) })
}

// showPart answers with the part of a list that page reads.
func showPart[T any](c *call, data ui.List, columns []string, cells func(*call, []T) ([][]ui.Cell, error), page func(*ui.List) ([]T, error)) error {
	data.Filter = c.value("q")
	data.Here = ui.LocalPath(c.r.URL.RequestURI())
	data.Table.Columns = columns
	rows, err := page(&data)
	if problems, known := billing.AsProblems(err); known {
		data.Problem = problems.Error()
		return listPage.showStatus(c, http.StatusUnprocessableEntity, data.Title, data)
	}
	if err != nil {
		return err
	}
	if data.Table.Rows, err = cells(c, rows); err != nil {
		return err
	}
	return listPage.show(c, data.Title, data)
}

// pageOf reads the page that the address asks for: the newest, those older than
// an id, or those newer than one.
func pageOf[T any, K ~int64](c *call, data *ui.List, read reader[T], id func(*T) K, always []billing.Term) ([]T, error) {
	filter, err := billing.ParseFilter(data.Filter)
	if err != nil {
		return nil, err
	}
	filter.Terms = append(filter.Terms, always...)
	older, newer := cursor(c, "older"), cursor(c, "newer")
	ask := store.Page{Filter: filter, After: older, Limit: pageSize + 1, Backwards: newer == 0}
	if newer > 0 {
		ask.After = newer
	}
	rows, err := read(c.ctx(), c.q(), ask)
	if err != nil {
		return nil, err
	}
	more := len(rows) > pageSize
	rows = rows[:min(len(rows), pageSize)]
	if newer > 0 {
		slices.Reverse(rows)
	}
	defer data.Continue(newer > 0)
	if len(rows) == 0 {
		if older > 0 || newer > 0 {
			data.Newer = data.PageAt("", "")
		}
		return rows, nil
	}
	if newer > 0 || more {
		data.Older = data.PageAt("older", ui.IDText(id(&rows[len(rows)-1])))
	}
	if older > 0 || newer > 0 && more {
		data.Newer = data.PageAt("newer", ui.IDText(id(&rows[0])))
	}
	return rows, nil
}

func cursor(c *call, name string) int64 {
	n, err := strconv.ParseInt(c.value(name), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
