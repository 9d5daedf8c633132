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
// Where that leaves something open:
//
//   - A difference is due on the first day on which what is owed differs from what
//     was billed, but not before the day of the change. A quantity that is scheduled, or the end of a subscription, is
//     counted with at once in what is billed first, but corrected on its day.
//   - A key that was billed is compared as a whole, even if its first day has since
//     moved to a day to come.
//   - A key in arrears is due after its last paid day, also where a new epoch cuts
//     its period. If a key has days of both timings, it is due as those in advance.
//   - Where unused days were kept and two lines of a charge have periods of
//     different lengths, the larger price per month counts.
//   - Days of a pause are not paid for. While it goes on, days that were billed stay
//     so, and others are not billed; when it has ended, the difference is due.
//   - The key of a one-time charge is the day on which it is due, which is the first
//     day of its line unless that lies in the trial.
//
// The package has no clock and does no I/O.
package ledger
