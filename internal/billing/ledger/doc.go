// Package ledger decides what a subscription owes, to the day and exactly: into
// which periods its days fall, what each of them costs, what has to be invoiced
// or credited so that everything billed is right again, and when.
//
// A subscription is given as a Timeline, which includes what is scheduled for
// it. Its days are counted by keys, each a period of a charge. For every key the
// ledger knows what was billed, and one rule decides what is to be billed now,
// whatever has changed:
//
//	target = max(0, round(exact) − forgiven)
//	amount = target − net
//
// The package has no clock and does no I/O.
package ledger
