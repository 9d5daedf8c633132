package ui

// Table is a table with a header.
type Table struct {
	Columns []string
	Rows    [][]Cell
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
