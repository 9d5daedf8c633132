package db

// Dialect is all in which the two engines differ for those who write SQL.
type Dialect struct {
	Name string // sqlite or postgres
	// ForUpdate locks the rows that a SELECT finds. SQLite has one writer, so
	// what a transaction reads stays true until it ends: there all three are
	// empty.
	ForUpdate string
	// ForNoKeyUpdate does so too, but not for those who only refer to the row:
	// to insert a child locks its parent against deletion, and two who did so
	// would wait for each other.
	ForNoKeyUpdate string
	// ForUpdateSkip is ForUpdate that passes over rows others have locked.
	ForUpdateSkip string
	// SearchTables says that free words are looked up in a table NAME_search,
	// which answers in the order of ids, instead of by an index of the table.
	SearchTables bool
	// Position is the function that says where a text has another one in it,
	// 0 if it has not.
	Position string
	// KeepPlans is a column for the first SELECT of a transaction whose
	// statements are to be planned once and not anew for each value.
	KeepPlans string

	// yieldAfterRead lets a waiting writer run: on few cores, busy readers in
	// the same process starve it otherwise.
	yieldAfterRead bool
	// beginFrozen begins a transaction that only reads, all of one moment.
	beginFrozen string
	// presence says that processes prove by advisory locks that they live.
	presence bool
	// arrays can be parameters.
	arrays bool
}
