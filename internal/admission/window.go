package admission

import "time"

// span is how long what a caller took counts, in seconds.
const span = 60

// window adds up amounts of the last minute, by the second.
type window struct {
	amounts [span]int64
	last    int64 // the newest second that has an amount
	sum     int64
}

// at moves the window on to a second.
func (w *window) at(second int64) {
	for n := min(second-w.last, span); n > 0; n-- {
		w.last = second - n + 1
		w.sum -= w.amounts[w.last%span]
		w.amounts[w.last%span] = 0
	}
}

func (w *window) add(second, amount int64) {
	w.at(second)
	w.amounts[w.last%span] += amount
	w.sum += amount
}

// wait is how many seconds it takes until less than limit is left, if nothing is
// added; 0 if that is so now.
func (w *window) wait(second, limit int64) time.Duration {
	w.at(second)
	left := w.sum
	for n := range int64(span) {
		if left < limit {
			return time.Duration(n) * time.Second
		}
		left -= w.amounts[(w.last+1+n)%span] // the oldest
	}
	return span * time.Second
}
