package clock

import "time"

// sinceStart measures time with the clock of the process, which may stand still
// while the machine sleeps.
func sinceStart() func() time.Duration {
	start := real()
	return func() time.Duration { return real().Sub(start) }
}
