package webhook

const (
	// mostPrefetch and leastPrefetch are how many times as many lanes as there may
	// be requests at once are taken beforehand.
	mostPrefetch, leastPrefetch = 16, 1
	// prefetchLanes is how many lanes that is at most.
	prefetchLanes = 2048
)

// prefetch is how many lanes a worker takes beyond the requests that may be under
// way, so that senders do not wait for a batch. Faster receivers get a deeper
// prefetch. A slow one gets less: what a process has taken nobody else can send,
// and if it dies nobody knows of any of it whether it was sent.
type prefetch struct{ times int }

// lanes is how many that is, if there may be so many requests at once.
func (p prefetch) lanes(most int) int {
	return min(max(p.times, leastPrefetch)*most, max(prefetchLanes, leastPrefetch*most))
}

// learn goes by how many requests wait to be made when more of them come.
func (p *prefetch) learn(waiting, most int) {
	switch {
	case waiting == 0:
		p.times = min(2*max(p.times, leastPrefetch), mostPrefetch)
	case waiting > p.lanes(most)/2:
		p.times = max(p.times/2, leastPrefetch)
	}
}
