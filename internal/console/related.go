package console

import (
	"strconv"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/ui"
)

// byID loads what many rows refer to, at once.
func byID[T any, K ~int64](c *call, table *store.Table[T, K], idOf func(*T) K, ids []K) (map[K]*T, error) {
	rows, err := table.ByIDs(c.ctx(), c.q(), ids)
	if err != nil {
		return nil, err
	}
	found := make(map[K]*T, len(rows))
	for i := range rows {
		found[idOf(&rows[i])] = &rows[i]
	}
	return found, nil
}

// ids collects what rows refer to.
func ids[T any, K ~int64](rows []T, of func(*T) K) []K {
	all := make([]K, 0, len(rows))
	for i := range rows {
		if id := of(&rows[i]); id != 0 {
			all = append(all, id)
		}
	}
	return all
}

// maxOptions is how many options a field offers.
const maxOptions = 1000

// optionsOf are the rows of a table as options, in its order.
func optionsOf[T any, K ~int64](c *call, table *store.Table[T, K], narrow []billing.Term, describe func(*T) (K, string)) ([]ui.Option, error) {
	var rows []T
	var err error
	if filter := (billing.Filter{Terms: narrow}); table.IsSorted() {
		rows, _, err = table.ListSorted(c.ctx(), c.q(), store.SortedPage{Limit: maxOptions, Filter: filter})
	} else {
		rows, err = table.List(c.ctx(), c.q(), store.Page{Limit: maxOptions, Filter: filter})
	}
	if err != nil {
		return nil, err
	}
	options := make([]ui.Option, len(rows))
	for i := range rows {
		id, text := describe(&rows[i])
		options[i] = ui.Option{Value: ui.IDText(id), Text: text}
	}
	return options, nil
}

// term narrows a list to those that refer to an id.
func term[K ~int64](field string, id K) []billing.Term {
	return []billing.Term{{Field: field, Op: billing.ByID, Value: strconv.FormatInt(int64(id), 10)}}
}

// few reads the newest of a list for a block of a page.
func few[T any, K ~int64](c *call, table *store.Table[T, K], limit int, narrow []billing.Term) (rows []T, more bool, err error) {
	rows, err = table.List(c.ctx(), c.q(), store.Page{Limit: limit + 1, Backwards: true, Filter: billing.Filter{Terms: narrow}})
	if err != nil || len(rows) <= limit {
		return rows, false, err
	}
	return rows[:limit], true, nil
}

// firstOf reads the first of a list for a block of a page: in the list's own order
// if it has one, else the newest.
func firstOf[T any, K ~int64](c *call, table *store.Table[T, K], limit int, narrow []billing.Term) (rows []T, more bool, err error) {
	if !table.IsSorted() {
		return few(c, table, limit, narrow)
	}
	rows, _, err = table.ListSorted(c.ctx(), c.q(), store.SortedPage{Limit: limit + 1, Filter: billing.Filter{Terms: narrow}})
	if err != nil || len(rows) <= limit {
		return rows, false, err
	}
	return rows[:limit], true, nil
}

// related is a block with the resources that belong to another, or with all if no field
// says so.
func related[T any, K ~int64](c *call, r *resource[T, K], title, field string, owner int64, parameter string) (ui.Block, error) {
	all := ui.Link{Text: "All of them", Href: "/" + r.path}
	var narrow []billing.Term
	if field != "" {
		narrow = term(field, owner)
		all.Href += "?q=" + field + "%3A" + strconv.FormatInt(owner, 10)
	}
	rows, more, err := firstOf(c, r.Table, 20, narrow)
	if err != nil {
		return ui.Block{}, err
	}
	b := ui.Block{Title: title, Table: ui.Table{Columns: r.columnNames()}, Empty: "None yet."}
	if b.Table.Rows, err = r.cellsOf(c, rows); err != nil {
		return ui.Block{}, err
	}
	b.Table = b.Table.Without(auditField(field)) // the owner, who is on the page
	if more {
		b.More = &all
	}
	_, write := r.scopes()
	if r.begin != nil && c.may(write) && parameter != "" {
		b.Add = &ui.Link{Text: "New " + r.one, Href: "/" + r.path + "/new?" + parameter + "=" + strconv.FormatInt(owner, 10)}
	}
	return b, nil
}

// queryID is an id in the query or the form.
func queryID[K ~int64](c *call, name string) K {
	return parseID[K](c.value(name))
}

// parseID reads an id, 0 if it is none.
func parseID[K ~int64](text string) K {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return K(id)
}
