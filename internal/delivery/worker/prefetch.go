package worker

const (
	// mostPrefetch and leastPrefetch are how many times as many streams as there may
	// be requests at once are taken beforehand.
	mostPrefetch, leastPrefetch = 64, 1
	// prefetchStreams is how many streams that is at most.
	prefetchStreams = 2048
)

// prefetch is how many streams a worker takes beyond the requests that may be under
// way, so that senders do not wait for a batch. Faster receivers get a deeper
// prefetch. A slow one gets less: what a process has taken nobody else can send,
// and if it dies nobody knows of any of it whether it was sent.
type prefetch struct{ times int }

// streams is how many that is, if there may be so many requests at once.
func (p prefetch) streams(most int) int {
	return min(max(p.times, leastPrefetch)*most, max(prefetchStreams, leastPrefetch*most))
}

// learn goes by how many requests wait to be made when more of them come.
func (p *prefetch) learn(waiting, most int) {
	switch {
	case waiting == 0:
		p.times = min(2*max(p.times, leastPrefetch), mostPrefetch)
	case waiting > p.streams(most)/2:
		p.times = max(p.times/2, leastPrefetch)
	}
}
