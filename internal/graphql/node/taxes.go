package node

// Percent is the rate itself, under another name than the row that it is in.
func (r *TaxRate) Percent() string { return string(r.Rate.Rate) }
