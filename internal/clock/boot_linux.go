package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot measures time with a clock that nobody can set and that goes on while
// the machine sleeps: a laptop that was closed for the night is no fault.
func sinceBoot() func() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return sinceStart()
	}
	return func() time.Duration {
		var t unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // it did not fail before
		return time.Duration(t.Nano())
	}
}
