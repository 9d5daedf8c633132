package console

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// reference is a resource that the fields of others refer to.
type reference interface {
	referredBy() string
	link(id int64, known map[int64]string) ui.Cell
	names(c *call, ids []int64) (map[int64]string, error)
	listLink() ui.Link
}

// references are the resources of the menu, by the end of the names of fields that
// refer to them.
var references = sync.OnceValue(func() map[string]reference {
	all := map[string]reference{}
	for _, group := range menu() {
		for _, entry := range group.entries {
			if pages, is := entry.(reference); is {
				all[pages.referredBy()] = pages
			}
		}
	}
	return all
})

// referenceOf is the resource that a field refers to, nil if it is none.
func referenceOf(field string) reference {
	for end, pages := range references() {
		if len(field) >= len(end) && strings.EqualFold(field[len(field)-len(end):], end) {
			return pages
		}
	}
	return nil
}

func (r *resource[T, K]) referredBy() string { return r.Name + "Id" }

// names are the names of the rows with those ids.
func (r *resource[T, K]) names(c *call, wanted []int64) (map[int64]string, error) {
	keys := make([]K, len(wanted))
	for i, id := range wanted {
		keys[i] = K(id)
	}
	rows, err := r.Table.ByIDs(c.ctx(), c.q(), keys)
	known := make(map[int64]string, len(rows))
	for i := range rows {
		if known[int64(r.id(&rows[i]))] = r.name(&rows[i]); r.fullName != nil {
			if known[int64(r.id(&rows[i]))], err = r.fullName(c, &rows[i]); err != nil {
				return nil, err
			}
		}
	}
	return known, err
}

func (r *resource[T, K]) link(id int64, known map[int64]string) ui.Cell {
	switch name, found := known[id]; {
	case id == 0:
		return ui.Muted("none")
	case !found:
		return ui.Muted(r.one + " " + ui.IDText(id))
	default:
		return ui.Linked(name, r.href(K(id)))
	}
}

// idIn is the id in a field, 0 if there is none.
func idIn(at any) int64 {
	value := reflect.ValueOf(at).Elem()
	if value.Kind() == reflect.Pointer {
		if value.IsNil() {
			return 0
		}
		value = value.Elem()
	}
	return value.Int()
}

// columnNames are those of the list.
func (r *resource[T, K]) columnNames() []string {
	if r.columns != nil {
		return r.columns
	}
	columns := []string{"Name"}
	for _, f := range r.listedFields() {
		if f.Label == "" {
			f.Label = auditField(f.Name)
		}
		columns = append(columns, f.Label)
	}
	return append(columns, "Created")
}

func (r *resource[T, K]) listedFields() []billing.Field[T] {
	fields := make([]billing.Field[T], len(r.listed))
	for f := range r.fields.All() {
		if i := slices.Index(r.listed, f.Name); i >= 0 {
			fields[i] = f
		}
	}
	return fields
}

// cellsOf are the rows of the list: unless it has cells of its own, the name, the
// listed fields and the time of creation.
func (r *resource[T, K]) cellsOf(c *call, rows []T) ([][]ui.Cell, error) {
	if r.cells != nil {
		return r.cells(c, rows)
	}
	var notes map[K]string
	if r.notes != nil {
		var err error
		if notes, err = r.notes(c, rows); err != nil {
			return nil, err
		}
	}
	table := make([][]ui.Cell, len(rows))
	for i := range rows {
		name := ui.Linked(r.name(&rows[i]), r.href(r.id(&rows[i])))
		if r.sub != nil {
			name.Sub = r.sub(&rows[i])
		}
		if note := notes[r.id(&rows[i])]; note != "" {
			name.Sub = note
		}
		table[i] = append(table[i], name)
	}
	for _, f := range r.listedFields() {
		cell := func(row *T) ui.Cell {
			if cell := ui.CellFor(f.Name, f.At(row)); cell.Text != "" {
				return cell
			}
			return ui.OrDash("")
		}
		if f.Reference {
			to := referenceOf(f.Name)
			known, err := to.names(c, ids(rows, func(row *T) int64 { return idIn(f.At(row)) }))
			if err != nil {
				return nil, err
			}
			cell = func(row *T) ui.Cell { return to.link(idIn(f.At(row)), known) }
		}
		for i := range rows {
			table[i] = append(table[i], cell(&rows[i]))
		}
	}
	for i := range rows {
		created, _ := r.Table.Times(&rows[i])
		table[i] = append(table[i], ui.Moment(created))
	}
	return table, nil
}

// describe adds what follows from the description to the page of one: facts, and
// the way to what it belongs to.
func (r *resource[T, K]) describe(c *call, row *T, data *ui.Details) error {
	for f := range r.fields.All() {
		to := referenceOf(f.Name)
		if !f.Reference || to == nil {
			continue
		}
		id := idIn(f.At(row))
		if id == 0 && !slices.Contains(r.listed, f.Name) {
			continue
		}
		known, err := to.names(c, []int64{id})
		if err != nil {
			return err
		}
		cell := to.link(id, known)
		if data.Fact(auditField(f.Name), cell); f.Name == r.parent {
			data.Crumbs = []ui.Link{to.listLink(), {Text: cell.Text, Href: cell.Href}}
		}
	}
	if !r.ownFacts {
		ui.Describe(data, r.fields, row, append([]string{"name", "firstName", "lastName"}, r.said...)...)
	}
	created, _ := r.Table.Times(row)
	data.Fact("Created", ui.Moment(created))
	data.Fact("Id", ui.Code(ui.IDText(r.id(row))))
	return nil
}

// parentHref is the page of what a row belongs to, or else the list.
func (r *resource[T, K]) parentHref(row *T) string {
	for f := range r.fields.All() {
		if f.Name == r.parent {
			return referenceOf(f.Name).link(idIn(f.At(row)), map[int64]string{idIn(f.At(row)): ""}).Href
		}
	}
	return "/" + r.path
}
