package ui

// Table is a table with a header.
type Table struct {
	Columns []string
	Rows    [][]Cell
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
