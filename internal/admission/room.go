package admission

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// roomShare is the part of a room that one caller may have.
const roomShare = 4

// Room bounds how many bytes of answers wait for readers that are slow, of all
// callers and of one. It is safe for concurrent use.
type Room struct {
	most int64

	mu      sync.Mutex
	taken   int64
	callers map[string]int64
	refused int64
}

// NewRoom returns room for so many bytes.
func NewRoom(bytes int64) *Room { return &Room{most: bytes, callers: map[string]int64{}} }

// Take takes room for an answer until leave is called, if there is enough left
// for the caller. No room at all bounds nothing.
func (r *Room) Take(caller string, bytes int64) (leave func(), ok bool) {
	if r == nil {
		return func() {}, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken+bytes > r.most || r.callers[caller]+bytes > r.most/roomShare {
		r.refused++
		return nil, false
	}
	r.add(caller, bytes)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.add(caller, -bytes)
	}, true
}

func (r *Room) add(caller string, bytes int64) {
	r.taken += bytes
	if r.callers[caller] += bytes; r.callers[caller] == 0 {
		delete(r.callers, caller)
	}
}

// Collectors returns the metrics of the room.
func (r *Room) Collectors() []prometheus.Collector {
	return []prometheus.Collector{
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "tenantry_answers_unread_bytes", Help: "Bytes of answers that wait for readers that are slow."}, locked(&r.mu, &r.taken)),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tenantry_answers_cut_off_total", Help: "Answers cut off because their readers are slow and too much waits for them.",
		}, locked(&r.mu, &r.refused)),
	}
}
