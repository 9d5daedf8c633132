package drift

import "time"

// Policy is what is done about drift on a platform.
type Policy string

// The policies.
const (
	Off    Policy = "OFF"    // reports are refused
	Report Policy = "REPORT" // drift is shown
	Repair Policy = "REPAIR" // drift is shown and repaired
)

// RepairReason is the reason of the events that repair.
const RepairReason = "drift.repair"

// UsualRepairsPerMinute is how many repairs a platform gets a minute if nobody says
// otherwise, and MostRepairsPerMinute the most that can be said.
const (
	UsualRepairsPerMinute = 60
	MostRepairsPerMinute  = 10_000
)

// Repaired is the event that was sent to repair a tenant, the zero value if none was.
type Repaired struct {
	// Digest is the kind of drift that it was sent for.
	Digest   string
	Sequence int
	// DeliveredAt is when it was delivered, nil if it waits.
	DeliveredAt *time.Time
}

// Response is what is to be done about a judgement.
type Response int

// The responses.
const (
	// Nothing is for what needs no repair, and for what an event repairs that is
	// still under way.
	Nothing Response = iota
	// Send is for drift that no event was sent for.
	Send
	// Persists is for drift that is still there after its repair: an event more
	// would change nothing.
	Persists
)

// Decide returns what is to be done about a tenant, which the application looked at
// when it had acted on the webhook of that number.
func (j *Judgement) Decide(r Repaired, sequence int, looked time.Time) Response {
	switch {
	case !j.Repairable():
		return Nothing
	case r.Sequence == 0 || r.Digest != j.Digest:
		return Send
	case sequence >= r.Sequence, r.DeliveredAt != nil && r.DeliveredAt.Add(Grace).Before(looked):
		return Persists
	}
	return Nothing
}
