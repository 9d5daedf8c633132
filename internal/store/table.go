package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Table maps a type of package billing to the table that keeps it. What every
// table needs (insert, update, delete, read by id, list) is built once from
// the column list; what only one needs is SQL text beside its table.
type Table[T any, K ~int64] struct {
	name string
	id   func(*T) *K
	// described are the fields with a column each, and columns and fields what
	// else is kept: pointers into T, in the order of columns. See complete.
	described billing.Fields[T]
	columns   []string
	fields    func(*T) []any
	stamps    func(*T) (created, updated *time.Time)
	words     func(*T) []string // what free words of a filter match; the first is the name
	// moreWords adds searchable texts that other tables keep.
	moreWords func(ctx context.Context, q Queries, row *T) ([]string, error)
	// changed runs after every insert, update and delete, for what other
	// tables derive from this one. before is nil for a new row, after for one
	// that is gone.
	changed func(ctx context.Context, tx *Tx, before, after *T) error
	// wordsOfMany is words and moreWords for many new rows, and inserted is
	// changed, for those that would ask the database once for each row.
	wordsOfMany func(ctx context.Context, q Queries, rows []*T) ([][]string, error)
	inserted    func(ctx context.Context, tx *Tx, rows []*T) error
	filters     map[string]field
	// matchWord keeps the rows that a free word matches, if that is not all
	// whose searchable texts have it.
	matchWord func(s *db.Select, d *db.Dialect, word string)
	// indexed says that free words are looked up in an index instead of by
	// reading the table; for tables that grow with the business.
	indexed bool
	// isDocument says that rows are documents or payments of accounts; settled is the
	// stage that most of them come to. See narrowDocuments.
	isDocument bool
	settled    string
	// about returns the rows about the document that a folded word is the number of,
	// if rows are about documents of others.
	about func(ctx context.Context, q Queries, word string) ([]int64, error)
	// order is that of ListSorted, if there is one.
	order *order
	// hide is a condition that lists and counts always have, if not empty.
	hide string
	// own is a condition that tells its rows from those of another type which the
	// same table of the database keeps, if not empty.
	own string
	// renamed are the columns of described fields that have another name.
	renamed map[string]string

	insertText, updateText, sameWordsText, deleteText, byIDText string
	insertMany                                                  *db.Batch
}

func newTable[T any, K ~int64](t Table[T, K]) *Table[T, K] {
	t.complete()
	placeholders := make([]string, len(t.columns))
	assignments := make([]string, 0, len(t.columns))
	for i, column := range t.columns {
		placeholders[i] = fmt.Sprintf("$%d", i+1)
		if i > 0 {
			assignments = append(assignments, fmt.Sprintf("%s = $%d", column, i+1))
		}
	}
	search := fmt.Sprintf("$%d", len(t.columns)+1)
	t.insertText = fmt.Sprintf("INSERT INTO %s (%s, search) VALUES (%s) RETURNING id",
		t.name, strings.Join(t.columns[1:], ", "), strings.Join(placeholders, ", "))
	t.updateText = fmt.Sprintf("UPDATE %s SET %s, search = %s WHERE id = $1", t.name, strings.Join(assignments, ", "), search)
	t.sameWordsText = fmt.Sprintf("UPDATE %s SET %s WHERE id = $1", t.name, strings.Join(assignments, ", "))
	t.deleteText = fmt.Sprintf("DELETE FROM %s WHERE id = $1", t.name)
	t.byIDText = fmt.Sprintf("SELECT %s FROM %s WHERE id = $1%s", strings.Join(t.columns, ", "), t.name, t.andOwn())
	t.insertMany = t.manyRows()
	return &t
}

// Insert adds the row, stamps it and sets its id.
func (t *Table[T, K]) Insert(ctx context.Context, tx *Tx, row *T) error {
	if t.stamps != nil {
		created, updated := t.stamps(row)
		*created, *updated = tx.Now, tx.Now
	}
	fields := t.fields(row)
	search, err := t.searchOf(ctx, tx, row)
	if err != nil {
		return err
	}
	args := append(slices.Clone(fields[1:]), search)
	if _, err := tx.One(ctx, t.insertText, args, fields[0]); err != nil || t.changed == nil {
		return err
	}
	return t.changed(ctx, tx, nil, row)
}

// InsertLater is Insert for a row whose id nobody asks for before another statement
// has run: see EachLater. It is for tables without stamps whose changes nobody has to
// hear of.
func (t *Table[T, K]) InsertLater(ctx context.Context, tx *Tx, row *T) error {
	fields := t.fields(row)
	search, err := t.searchOf(ctx, tx, row)
	if err != nil {
		return err
	}
	return tx.EachLater(ctx, t.insertText, append(slices.Clone(fields[1:]), search), func(rows scanner) error { return rows.Scan(fields[0]) })
}

// Update writes the row over the one with its id.
func (t *Table[T, K]) Update(ctx context.Context, tx *Tx, row *T) error {
	if t.stamps != nil {
		_, updated := t.stamps(row)
		*updated = tx.Now
	}
	before, err := t.beforeChange(ctx, tx, row)
	if err != nil {
		return err
	}
	search, err := t.searchOf(ctx, tx, row)
	if err != nil {
		return err
	}
	if err := t.updateRow(ctx, tx, t.updateText, append(slices.Clone(t.fields(row)), search)); err != nil || t.changed == nil {
		return err
	}
	return t.changed(ctx, tx, before, row)
}

// UpdateSameWords is Update for a row that is found by the same words as before,
// which saves reading them. Nobody may have to hear of the change.
func (t *Table[T, K]) UpdateSameWords(ctx context.Context, tx *Tx, row *T) error {
	_, updated := t.stamps(row)
	*updated = tx.Now
	return t.updateRow(ctx, tx, t.sameWordsText, t.fields(row))
}

// UpdateLater is UpdateSameWords that may be put off: then what runs next fails if
// the row is gone or refers to something that is.
func (t *Table[T, K]) UpdateLater(ctx context.Context, tx *Tx, row *T) error {
	_, updated := t.stamps(row)
	*updated = tx.Now
	return tx.ExecLater(ctx, t.sameWordsText, t.fields(row)...)
}

func (t *Table[T, K]) updateRow(ctx context.Context, tx *Tx, text string, args []any) error {
	n, err := tx.Exec(ctx, text, args...)
	if err == nil && n != 1 {
		err = fmt.Errorf("update %s: the row is gone", t.name)
	}
	return err
}

// Delete removes the row.
func (t *Table[T, K]) Delete(ctx context.Context, tx *Tx, row *T) error {
	before, err := t.beforeChange(ctx, tx, row)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, t.deleteText, t.ID(row)); err != nil || before == nil {
		return err
	}
	return t.changed(ctx, tx, before, nil)
}

// beforeChange returns the row as it is, if anybody needs to know.
func (t *Table[T, K]) beforeChange(ctx context.Context, tx *Tx, row *T) (*T, error) {
	if t.changed == nil {
		return nil, nil
	}
	return t.Get(ctx, tx.Queries, t.ID(row))
}

// Get returns the row with that id, or nil.
func (t *Table[T, K]) Get(ctx context.Context, q Queries, id K) (*T, error) {
	return t.first(ctx, q, t.byIDText, int64(id))
}

// Lock returns the row with that id, or nil, and keeps others from changing it
// until the transaction ends.
func (t *Table[T, K]) Lock(ctx context.Context, tx *Tx, id K) (*T, error) {
	return t.first(ctx, tx.Queries, t.byIDText+tx.Dialect.ForUpdate, int64(id))
}

// ByIDs returns the rows with those ids, in the order of ids.
func (t *Table[T, K]) ByIDs(ctx context.Context, q Queries, ids []K) ([]T, error) {
	s, err := t.selection(ctx, q, billing.Filter{})
	if err != nil {
		return nil, err
	}
	s.WhereIn(s.Key, db.JSONList(ids))
	columns, scan := t.Projection(nil)
	// Without a limit: in the hope of reaching it soon, PostgreSQL would read
	// the table from its first row on.
	return t.rows(ctx, q, s.Ordered(columns), s.Args, min(len(ids), 100), scan)
}

// first returns the first row that a query by columns finds, or nil.
func (t *Table[T, K]) first(ctx context.Context, q Queries, text string, args ...any) (*T, error) {
	var row *T
	err := q.Each(ctx, text, args, func(rows scanner) error {
		if row != nil {
			return nil
		}
		row = new(T)
		return rows.Scan(t.fields(row)...)
	})
	return row, err
}

// by returns the row whose column has that value, or nil.
func (t *Table[T, K]) by(ctx context.Context, q Queries, column, value string) (*T, error) {
	if nobodyHas(value) {
		return nil, nil
	}
	text := fmt.Sprintf("SELECT %s FROM %s WHERE %s = $1%s ORDER BY id LIMIT 1", strings.Join(t.columns, ", "), t.name, column, t.andOwn())
	return t.first(ctx, q, text, value)
}

// andOwn is own as a further condition of a statement.
func (t *Table[T, K]) andOwn() string {
	if t.own == "" {
		return ""
	}
	return " AND " + t.own
}

// ByCode returns the row with that code, or nil.
func (t *Table[T, K]) ByCode(ctx context.Context, q Queries, code string) (*T, error) {
	return t.by(ctx, q, "code", code)
}

// byPair is by with a second column, for what is unique within its parent.
func (t *Table[T, K]) byPair(ctx context.Context, q Queries, parent string, id int64, column, value string) (*T, error) {
	if nobodyHas(value) {
		return nil, nil
	}
	text := fmt.Sprintf("SELECT %s FROM %s WHERE %s = $1 AND %s = $2", strings.Join(t.columns, ", "), t.name, parent, column)
	return t.first(ctx, q, text, id, value)
}

// nobodyHas says whether a text is one that no row can hold. PostgreSQL does not
// even take it to look for it, so nobody is asked.
func nobodyHas(text string) bool {
	return strings.ContainsRune(text, 0) || !utf8.ValidString(text)
}

// separator stands between the searchable texts of a row; no word holds it,
// because folding turns control characters into blanks.
const separator = "\x1f"

// searchOf is what free words of a filter match in the row.
func (t *Table[T, K]) searchOf(ctx context.Context, tx *Tx, row *T) (string, error) {
	var words []string
	if t.words != nil {
		words = t.words(row)
	}
	if t.moreWords != nil {
		more, err := t.moreWords(ctx, tx.Queries, row)
		if err != nil {
			return "", err
		}
		words = append(words, more...)
	}
	for i := range words {
		words[i] = billing.Fold(words[i])
	}
	return strings.Join(words, separator), nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
