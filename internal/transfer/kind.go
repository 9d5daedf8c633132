package transfer

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service/catalogs"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// rowKind is a type of lines about the rows of one table, all of which are in
// memory during an import.
type rowKind interface {
	kindName() string
	newLine() line
	load(ctx context.Context, q store.Queries, c *knownCatalog) error
	check(ctx context.Context, i *importer, members []member) (operation.ImportResult, error)
	write(ctx context.Context, i *importer, to *catalogs.Import, members []member) (operation.ImportResult, error)
	export(ctx context.Context, e *exporter) error
}

// kind describes a rowKind: what its lines have beside the described fields, and
// what is special about importing one.
type kind[T any, K ~int64] struct {
	operation.Resource[T, K]
	name string   // as the type of a line
	key  []string // the members that identify one
	// optional are those of the key that may be missing, which identifies one too.
	optional []string
	fields   billing.Fields[T]
	// references are named by codes in place of ids.
	references []codeOf[T]
	// special are members in place of described fields, and more those that are
	// no fields.
	special func(c *knownCatalog, row *T) (other instead, more []field)
	// begin completes what a new row begins with, and prepare a row that a line
	// has changed from what it was.
	begin   func(c *knownCatalog, row *T, codes codes)
	prepare func(row *T, was T)
	// problems are what is wrong with a row, if not what its Check says; allowed
	// asks the database whether it may be changed.
	problems func(c *knownCatalog, row *T) billing.Problems
	allowed  func(ctx context.Context, q store.Queries, was, row *T) error
	// installed says that every installation begins with the row, which is then
	// not exported.
	installed func(row *T) bool
	// leftOut takes what cannot be moved from a copy of a row that is exported.
	leftOut func(ctx context.Context, e *exporter, row *T) error
	// known is told of every row that is in memory.
	known func(c *knownCatalog, row *T, isNew bool)
	// imported writes one, if that takes more than creating or changing it.
	imported func(ctx context.Context, to *catalogs.Import, known *T, initial T, edit func(*T) error) (operation.ImportResult, error)
}

// codeOf is a reference: its name in a line, the field that has the id, and how to
// get from one to the other. set is given all codes of the line.
type codeOf[T any] struct {
	name, field string
	get         func(c *knownCatalog, row *T) *string
	set         func(c *knownCatalog, row *T, codes codes) *billing.Error
}

// codes are those of what a line refers to, by name.
type codes map[string]*string

func (c codes) of(name string) string { return text(c[name]) }

// refer is the reference to a row of another kind by its code. within are the codes
// that come before it in the key of the other, if it has more.
func refer[T, P any, K ~int64](name string, to *kind[P, K], at func(*T) *K, within func(*knownCatalog, *T, codes) []string) codeOf[T] {
	return codeOf[T]{
		name: name, field: name + "Id",
		get: func(c *knownCatalog, row *T) *string { return to.code(c, *at(row)) },
		set: func(c *knownCatalog, row *T, given codes) *billing.Error {
			var outer []string
			if within != nil {
				outer = within(c, row, given)
			}
			found, wrong := to.named(c, name, outer, given.of(name))
			if wrong == nil {
				*at(row) = to.ID(found)
			}
			return wrong
		},
	}
}

// referIfAny is refer for a reference that may be missing.
func referIfAny[T, P any, K ~int64](name string, to *kind[P, K], at func(*T) **K, within func(*knownCatalog, *T, codes) []string) codeOf[T] {
	return codeOf[T]{
		name: name, field: name + "Id",
		get: func(c *knownCatalog, row *T) *string {
			if *at(row) == nil {
				return nil
			}
			return to.code(c, **at(row))
		},
		set: func(c *knownCatalog, row *T, given codes) *billing.Error {
			if *at(row) = nil; given[name] == nil {
				return nil
			}
			id := new(K)
			*at(row) = id
			return refer(name, to, func(*T) *K { return id }, within).set(c, row, given)
		},
	}
}

// named finds a row by its code, within the codes before it in its key.
func (k *kind[T, K]) named(c *knownCatalog, field string, within []string, code string) (*T, *billing.Error) {
	if row := k.find(c, append(within, code)...); row != nil {
		return row, nil
	}
	words := k.Words
	if len(within) > 0 {
		words += " of the " + k.key[0] + " " + within[0]
	}
	return nil, missing(field, words, code)
}

// code is the code of the row with that id, nil if there is none.
func (k *kind[T, K]) code(c *knownCatalog, id K) *string {
	row := k.of(c, id)
	if row == nil {
		return nil
	}
	key := k.lineOf(c, row).key()
	return &key[len(key)-1]
}

// rows are those of one kind in memory.
type rows[T any, K ~int64] struct {
	byKey map[string]*T
	byID  map[K]*T
}

func (k *kind[T, K]) kindName() string { return k.name }

func (k *kind[T, K]) newLine() line { return k.lineOf(nil, new(T)) }

// in are the rows that are known, none without a catalog.
func (k *kind[T, K]) in(c *knownCatalog) *rows[T, K] {
	if c == nil {
		return &rows[T, K]{}
	}
	known, ok := c.rows[k.name].(*rows[T, K])
	if !ok {
		known = &rows[T, K]{map[string]*T{}, map[K]*T{}}
		c.rows[k.name] = known
	}
	return known
}

// find returns the row with that key, nil if there is none.
func (k *kind[T, K]) find(c *knownCatalog, key ...string) *T { return k.in(c).byKey[keyText(key)] }

// of returns the row with that id.
func (k *kind[T, K]) of(c *knownCatalog, id K) *T { return k.in(c).byID[id] }

// remember keeps a row in memory. A new one gets an id below zero.
func (k *kind[T, K]) remember(c *knownCatalog, row *T) {
	known := k.in(c)
	key := k.lineOf(c, row).key()
	was := known.byKey[keyText(key)]
	if was != nil {
		*was = *row
		row = was
	} else {
		if k.ID(row) == 0 {
			c.last--
			k.Table.SetID(row, K(c.last))
		}
		known.byID[k.ID(row)] = row
		if !slices.Contains(key, "") { // else it has no code
			known.byKey[keyText(key)] = row
		}
	}
	if k.known != nil {
		k.known(c, row, was == nil)
	}
}

func (k *kind[T, K]) load(ctx context.Context, q store.Queries, c *knownCatalog) error {
	return eachPage(ctx, q, k.Table, func(found []T) error {
		for i := range found {
			k.remember(c, &found[i])
		}
		return nil
	})
}

// rowLine is a line about a row.
type rowLine[T any] struct {
	row     *T
	codes   []*string // of the references
	members []field
	keys    []string
	// optional are the keys that may be missing.
	optional []string
}

// lineOf is the line about a row. Without a catalog, it refers to nothing.
func (k *kind[T, K]) lineOf(c *knownCatalog, row *T) *rowLine[T] {
	l := &rowLine[T]{row: row, codes: make([]*string, len(k.references)), keys: k.key, optional: k.optional}
	other, more := instead{}, []field(nil)
	if k.special != nil {
		other, more = k.special(c, row)
	}
	for i, r := range k.references {
		if c != nil {
			l.codes[i] = r.get(c, row)
		}
		if one := (field{name: r.name, at: &l.codes[i]}); r.field != "" {
			other[r.field] = one
		} else {
			more = append(more, one)
		}
	}
	l.members = described(k.fields, row, other, more...)
	return l
}

func (l *rowLine[T]) fields() []field { return l.members }
func (l *rowLine[T]) names() []string { return l.keys }

func (l *rowLine[T]) key() []string {
	values := make([]string, len(l.keys))
	for i, name := range l.keys {
		if at := reflect.ValueOf(find(l.members, name).at).Elem(); at.Kind() != reflect.Pointer {
			values[i] = fmt.Sprint(at)
		} else if !at.IsNil() {
			values[i] = fmt.Sprint(at.Elem())
		} else if slices.Contains(l.optional, name) {
			values[i] = "-"
		}
	}
	return values
}

// edit brings a row in line with a line, with codes looked up.
func (k *kind[T, K]) edit(c *knownCatalog, members []member) func(*T) error {
	return func(row *T) error {
		l, was := k.lineOf(c, row), *row
		err := readFields(members, l.fields())
		given := k.codes(l)
		for _, r := range k.references {
			if r.set == nil {
				continue
			}
			if wrong := r.set(c, row, given); wrong != nil {
				return join(err, wrong)
			}
		}
		if k.prepare != nil {
			k.prepare(row, was)
		}
		return err
	}
}

// codes are what a line says of its references.
func (k *kind[T, K]) codes(l *rowLine[T]) codes {
	given := codes{}
	for i, r := range k.references {
		given[r.name] = l.codes[i]
	}
	return given
}

// read returns the row that a line is about, nil if there is none, and what a new
// one begins with.
func (k *kind[T, K]) read(c *knownCatalog, members []member) (was *T, initial T, err error) {
	l := k.lineOf(nil, new(T))
	if err := readFields(members, l.fields()); err != nil {
		return nil, initial, err
	}
	if row, ok := any(l.row).(interface{ Normalize() }); ok && len(k.optional) > 0 {
		row.Normalize() // as the rows that it is compared with
	}
	if k.New != nil {
		initial = k.New(nil)
	}
	if k.begin != nil {
		k.begin(c, &initial, k.codes(l))
	}
	return k.find(c, l.key()...), initial, nil
}

func (k *kind[T, K]) check(ctx context.Context, i *importer, members []member) (operation.ImportResult, error) {
	was, initial, err := k.read(i.catalog, members)
	if err != nil {
		return 0, err
	}
	row, result, err := edited(was, initial, k.edit(i.catalog, members), func(row *T) billing.Problems {
		if k.problems != nil {
			return k.problems(i.catalog, row)
		}
		return any(row).(interface{ Check() billing.Problems }).Check()
	})
	if err == nil && was != nil && k.allowed != nil {
		err = k.allowed(ctx, i.st.Queries(), was, row)
	}
	if err == nil {
		k.remember(i.catalog, row)
	}
	return result, err
}

func (k *kind[T, K]) write(ctx context.Context, i *importer, to *catalogs.Import, members []member) (operation.ImportResult, error) {
	was, initial, err := k.read(i.catalog, members)
	if err != nil {
		return 0, err
	}
	if was != nil {
		if was, err = k.Table.Get(ctx, to.Queries(), k.ID(was)); err != nil {
			return 0, err
		}
	}
	edit := k.edit(i.catalog, members)
	if k.imported != nil {
		return k.imported(ctx, to, was, initial, edit)
	}
	return catalogs.ImportRow(ctx, to, k.Resource, was, initial, edit)
}

func (k *kind[T, K]) export(ctx context.Context, e *exporter) error {
	return eachPage(ctx, e.tx.Queries, k.Table, func(rows []T) error {
		for n := range rows {
			if k.installed != nil && k.installed(&rows[n]) {
				continue
			}
			if k.leftOut != nil {
				if err := k.leftOut(ctx, e, &rows[n]); err != nil {
					return err
				}
			}
			l := k.lineOf(e.catalog, &rows[n])
			if key := l.key(); key[len(key)-1] == "" {
				e.missing.Plans++
			}
			if err := e.write(k.name, l); err != nil {
				return err
			}
		}
		return nil
	})
}
