package ui

// Confirmation is a page that asks before something is done.
type Confirmation struct {
	Title, Text string
	Problem     string
	Action      string
	Submit      string // empty if it cannot be done
	Cancel      Link
	Fields      []Pair
	// Safe means that nothing is lost. Other is what could be done instead.
	Safe    bool
	Warning string
	Other   *Link
	// Table is what will change.
	Table Table
}
