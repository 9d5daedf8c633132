package ui

// Failure is the page of an error.
type Failure struct {
	Status      int
	Title, Text string
	RequestID   string
	Back        Link
}
