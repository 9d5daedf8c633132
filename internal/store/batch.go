package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
)

// batch is a statement that deals with many rows at once: before, the rows as
// VALUES, after. Types are those of the columns, for PostgreSQL to know them.
type batch struct {
	before, after string
	types         []string
	texts         sync.Map // by the number of rows
}

// maxBatch is how many rows go into one statement; above batchStep they are
// multiples of it, so that there are few different texts to keep compiled.
const maxBatch, batchStep = 64, 16

func batchSize(rows int) int {
	if rows <= batchStep {
		return rows
	}
	return min(rows/batchStep*batchStep, maxBatch)
}

// text is the statement for that many rows.
func (b *batch) text(rows int) string {
	if known, ok := b.texts.Load(rows); ok {
		return known.(string)
	}
	var s strings.Builder
	s.WriteString(b.before)
	n := 0
	for row := range rows {
		s.WriteString([]string{"(", ", ("}[min(row, 1)])
		for i, kind := range b.types {
			n++
			if i > 0 {
				s.WriteString(", ")
			}
			if row == 0 {
				fmt.Fprintf(&s, "CAST($%d AS %s)", n, kind)
			} else {
				fmt.Fprintf(&s, "$%d", n)
			}
		}
		s.WriteString(")")
	}
	s.WriteString(b.after)
	text := s.String()
	b.texts.Store(rows, text)
	return text
}

// run runs the statement for rows of values, in parts if they are many. scan
// gets what it returns, if it is not nil.
func (b *batch) run(ctx context.Context, tx *Tx, rows int, values func(row int) []any, scan func(*sql.Rows) error) error {
	for first := 0; first < rows; {
		size := batchSize(rows - first)
		args := make([]any, 0, size*len(b.types))
		for i := range size {
			args = append(args, values(first+i)...)
		}
		var err error
		if scan != nil {
			err = tx.each(ctx, b.text(size), args, scan)
		} else {
			_, err = tx.exec(ctx, b.text(size), args...)
		}
		if err != nil {
			return err
		}
		first += size
	}
	return nil
}
