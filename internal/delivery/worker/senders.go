package worker

import (
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

// start hands requests to goroutines that send them.
func (w *worker) start(jobs []*job) {
	if len(jobs) > w.most/2 {
		w.prefetch.learn(len(w.jobs), w.most)
	}
	w.underWay += len(jobs)
	if n := w.senders - w.most; n > 0 { // there may be fewer at once now
		w.leaving.Add(int64(n))
		w.senders = w.most
	}
	for w.senders < min(w.underWay, w.most) {
		w.senders++
		go func() {
			for j := range w.jobs {
				if w.tooMany() {
					j.attempt.Outcome = webhook.AttemptUnsent
					w.results <- j
					return
				}
				w.send(j)
				w.results <- j
			}
		}()
	}
	for _, j := range jobs {
		w.jobs <- j
	}
}

// tooMany says whether a goroutine that makes requests is to leave.
func (w *worker) tooMany() bool {
	for n := w.leaving.Load(); n > 0; n = w.leaving.Load() {
		if w.leaving.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}
