// Package clock provides the time that all processes on a database share, and
// detects clocks that cannot be trusted.
//
// The source of time is the database's clock, or this machine's if the database
// has none of its own. It is read every few seconds; in between, the process's
// monotonic clock advances it, so reading the time costs nothing and a wall clock
// that jumps has no effect. How to react to a clock that cannot be trusted is up to
// the callers.
package clock
