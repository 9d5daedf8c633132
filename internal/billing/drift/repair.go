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
	Arrival
}

// Arrival is what became of an event that was sent to repair a tenant. What is newer
// tells all that it did, so that counts as well.
type Arrival struct {
	// Delivered says that it arrived, at a time that is nil if nobody knows it any
	// more.
	Delivered bool
	At        *time.Time
	// GivenUp says that it did not arrive and never will.
	GivenUp bool
}

// Cause is what has a tenant wait to be repaired: the id of a full report, which must
// be complete and believed, or one of these.
type Cause int64

// The causes that are no full report.
const (
	NoCause    Cause = 0
	SomeReport Cause = -1 // a report of some tenants
	Person     Cause = -2
)

// Response is what is to be done about a judgement.
type Response int

// The responses.
const (
	// Nothing is for what needs no repair, and for what an event repairs that is
	// still under way.
	Nothing Response = iota
	// Send is for drift that no event was sent for, or one that will never arrive.
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
	case sequence >= r.Sequence, r.Delivered && (r.At == nil || r.At.Add(Grace).Before(looked)):
		return Persists
	case r.GivenUp:
		return Send
	}
	return Nothing
}
