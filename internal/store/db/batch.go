package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"
)

// Batch is a statement that deals with many rows at once, which it finds in a
// table called new with these columns.
type Batch struct {
	Columns   []Column
	Statement string
	// Lock is the table whose rows a SELECT locks where that is needed; it
	// passes over those that others have locked.
	Lock string
	// Unasked says that nobody asks what came of it: it may be put off until
	// the transaction goes on to something else.
	Unasked bool
	texts   sync.Map // by the number of rows
}

// Column is a column of new: its name, and its type, which is BIGINT, TEXT or
// BOOLEAN.
type Column [2]string

// maxBatch is how many rows go into one statement on SQLite; above batchStep
// they are multiples of it, so that there are few texts to keep compiled.
const maxBatch, batchStep = 64, 16

func batchSize(rows int) int {
	if rows <= batchStep {
		return rows
	}
	return min(rows/batchStep*batchStep, maxBatch)
}

// Run runs the statement for rows of values. scan gets what it returns, if it
// is not nil.
func (b *Batch) Run(ctx context.Context, tx *Tx, rows int, values func(row int) []any, scan func(Row) error) error {
	if rows == 0 {
		return nil
	}
	if tx.Dialect.arrays {
		args, err := b.arrays(rows, values)
		if err != nil {
			return err
		}
		return b.once(ctx, tx, b.fromArrays(), args, scan)
	}
	for first := 0; first < rows; {
		size := batchSize(rows - first)
		args := make([]any, 0, size*len(b.Columns))
		for i := range size {
			args = append(args, values(first+i)...)
		}
		if err := b.once(ctx, tx, b.fromValues(size), args, scan); err != nil {
			return err
		}
		first += size
	}
	return nil
}

func (b *Batch) once(ctx context.Context, tx *Tx, text string, args []any, scan func(Row) error) error {
	if scan != nil {
		return tx.Each(ctx, text, args, scan)
	}
	if p, can := tx.run.(postponer); can && b.Unasked {
		p.later(text, args, nil)
		return nil
	}
	_, err := tx.Exec(ctx, text, args...)
	return err
}

// with is the statement with what new is made of.
func (b *Batch) with(source string) string {
	names := make([]string, len(b.Columns))
	for i, c := range b.Columns {
		names[i] = c[0]
	}
	return fmt.Sprintf("WITH new (%s) AS (%s) %s", strings.Join(names, ", "), source, b.Statement)
}

// fromValues is the statement for so many rows, each value a parameter. They
// have no numbers, because SQLite's driver would look for each number by going
// through all of them.
func (b *Batch) fromValues(rows int) string {
	if known, ok := b.texts.Load(rows); ok {
		return known.(string)
	}
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(b.Columns)), ", ") + ")"
	text := b.with("VALUES " + strings.TrimSuffix(strings.Repeat(row+", ", rows), ", "))
	b.texts.Store(rows, text)
	return text
}

// fromArrays is the statement for any number of rows, each column an array.
func (b *Batch) fromArrays() string {
	if known, ok := b.texts.Load(0); ok {
		return known.(string)
	}
	placeholders := make([]string, len(b.Columns))
	for i, c := range b.Columns {
		placeholders[i] = fmt.Sprintf("CAST($%d AS %s[])", i+1, c[1])
	}
	text := b.with("SELECT * FROM unnest(" + strings.Join(placeholders, ", ") + ")")
	if b.Lock != "" {
		text += " FOR UPDATE OF " + b.Lock + " SKIP LOCKED"
	}
	b.texts.Store(0, text)
	return text
}

// arrays turns rows into columns.
func (b *Batch) arrays(rows int, values func(row int) []any) ([]any, error) {
	columns := make([]any, len(b.Columns))
	for i, c := range b.Columns {
		switch c[1] {
		case "BIGINT":
			columns[i] = make([]*int64, rows)
		case "BOOLEAN":
			columns[i] = make([]*bool, rows)
		default:
			columns[i] = make([]*string, rows)
		}
	}
	for row := range rows {
		for i, value := range values(row) {
			plain, err := driver.DefaultParameterConverter.ConvertValue(value)
			if err != nil {
				return nil, err
			}
			if plain == nil {
				continue
			}
			switch column := columns[i].(type) {
			case []*int64:
				n := plain.(int64)
				column[row] = &n
			case []*bool:
				yes := plain.(bool)
				column[row] = &yes
			case []*string:
				text := plain.(string)
				column[row] = &text
			}
		}
	}
	return columns, nil
}
