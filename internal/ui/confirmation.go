package ui

// Confirmation is a page that asks before something is done.
type Confirmation struct {
	Title, Text string
	Problem     string
	Action      string
	Submit      string // empty if it cannot be done
	Cancel      Link   // empty if going back to the form is enough
	Fields      []Pair
	// Back is the field that a button sends which goes back to the form; empty if there
	// is none.
	Back string
	// Safe means that nothing is lost. Other is what could be done instead.
	Safe    bool
	Warning string
	Other   *Link
	// Table is what will change, and Foretold what that does to others.
	Table    Table
	Foretold Foretold
}

// Foretold is what something would do if it was done: in sentences, and as data for those
// who want to know more.
type Foretold struct {
	Says []Said
	Data string
}

// Said is a sentence. Names are what it is about, beyond what it names itself, and Others
// how many more there are.
type Said struct {
	Text   string
	Names  []Link
	Others int
}
