// Package clock keeps the time that every process on a database goes by, and
// notices when clocks cannot be believed.
//
// The source of time is the database's clock, or this machine's if the database
// has none of its own. It is asked every few seconds; in between the monotonic
// clock of this process carries on, so that asking the time costs nothing and a
// wall clock that jumps changes nothing. What to do about a clock that cannot be
// believed is for others to decide.
package clock
