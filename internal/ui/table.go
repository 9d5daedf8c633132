package ui

import "slices"

// Table is a table with a header.
type Table struct {
	Columns []string
	Rows    [][]Cell
}

// Without is the table without a column, if it has one of that name.
func (t Table) Without(column string) Table {
	at := slices.Index(t.Columns, column)
	if at < 0 {
		return t
	}
	less := Table{Columns: slices.Delete(slices.Clone(t.Columns), at, at+1), Rows: make([][]Cell, len(t.Rows))}
	for n, row := range t.Rows {
		less.Rows[n] = slices.Delete(slices.Clone(row), at, at+1)
	}
	return less
}

// RowsOf are the rows of a table, one for each of a list.
func RowsOf[T any](list []T, cells func(*T) []Cell) [][]Cell {
	rows := make([][]Cell, len(list))
	for i := range list {
		rows[i] = cells(&list[i])
	}
	return rows
}

// Money reports whether a column contains prices.
func (t Table) Money(column int) bool {
	for _, row := range t.Rows {
		if column < len(row) && row[column].Kind == CellMoney {
			return true
		}
	}
	return false
}
