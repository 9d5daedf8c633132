package webhook

const (
	// mostAhead and leastAhead are how many times as many lanes as there may be
	// requests at once are taken beforehand.
	mostAhead, leastAhead = 16, 1
	// lanesAhead is how many lanes that is at most.
	lanesAhead = 2048
)

// ahead is how far a worker takes lanes ahead of the requests that may be under
// way, so that those do not wait for a turn. A receiver that answers at once
// makes it more: a turn records and takes the more the better. One that takes
// its time makes it less: what a process has taken, nobody else can send, and if
// it dies nobody knows of any of it whether it was sent.
type ahead struct{ times int }

// lanes is how many that is, if there may be so many requests at once.
func (a ahead) lanes(most int) int {
	return min(max(a.times, leastAhead)*most, max(lanesAhead, leastAhead*most))
}

// learn goes by how many requests wait to be made when more of them come.
func (a *ahead) learn(waiting, most int) {
	switch {
	case waiting == 0:
		a.times = min(2*max(a.times, leastAhead), mostAhead)
	case waiting > a.lanes(most)/2:
		a.times = max(a.times/2, leastAhead)
	}
}
