package webhook

import "time"

// MaxRetryAfter bounds how long a receiver can ask to be left alone.
const MaxRetryAfter = time.Hour

// DefaultRetryDelays are the seconds between the attempts of a delivery: 15
// attempts in about three days.
func DefaultRetryDelays() []int {
	return []int{5, 30, 120, 600, 1800, 3600, 7200, 14400, 28800, 43200, 43200, 43200, 43200, 28800}
}

// Retry is how failures are dealt with: Delays between attempts, the last
// failure is final.
type Retry struct {
	Delays []int
	Order  DeliveryOrder
	// Jitter is 0.8 to 1.2 and stretches the delay.
	Jitter float64
	// After is what the receiver asked for, 0 if nothing.
	After time.Duration
}
