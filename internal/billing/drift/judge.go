package drift

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Grace is how long after a webhook was delivered the application may take to act on
// it. Until then the webhook counts as under way.
const Grace = time.Minute

// State is one tenant as the application reports it.
type State struct {
	Code string
	// Sequence is the number of the newest webhook that the application has acted
	// on, 0 if on none.
	Sequence int
	// At is when it looked, nil for now.
	At       *time.Time
	Features []Feature
}

// Told is what an application was told about a tenant.
type Told struct {
	// Last is the number of the tenant's newest event, and Highest of the newest
	// that was delivered.
	Last, Highest int
	// Waits says that something of the tenant's is still to be delivered. Otherwise
	// what was not delivered never will be.
	Waits bool
	// NewerAt is when the first event behind the one that the application names
	// was delivered; nil if nobody knows any more, or none was.
	NewerAt *time.Time
	// Features are those told with the number that the application names.
	// Forgotten says that they are past their retention.
	Features  []Feature
	Forgotten bool
	// Current is what the tenant has now. It is needed only if the features of the
	// newest event are forgotten.
	Current []Feature
}

// Judgement is what came of comparing a tenant.
type Judgement struct {
	Outcome Outcome
	// Accepted says of a tenant that is behind that the application accepted
	// something newer and did not act on it, and GivenUp that something newer will
	// not be delivered. Otherwise the newer one waits.
	Accepted    bool
	GivenUp     bool
	Differences []Difference
	// Digest identifies the kind of drift, empty if there is nothing to repair.
	Digest string
}

// Judge compares what an application has with what it was told. It goes by the
// webhook that the application names and never by how things are now, so nothing
// that is under way is drift. now bounds when the application can have looked.
func Judge(s *State, t *Told, now time.Time) Judgement {
	told := t.Features
	switch {
	case s.Sequence > t.Last:
		return Judgement{Outcome: Ahead}
	case s.Sequence == 0:
		told = nil
	case t.Forgotten && s.Sequence == t.Last:
		told = t.Current
	case t.Forgotten:
		return t.behind(s, now, Behind)
	}
	if differences := Compare(told, s.Features); len(differences) > 0 {
		return Judgement{Outcome: Drifted, Differences: differences, Digest: digest(Drifted, differences)}
	}
	return t.behind(s, now, InSync)
}

// behind judges a tenant that has what it was told. otherwise is the outcome if
// there is nothing newer to wait for.
func (t *Told) behind(s *State, now time.Time, otherwise Outcome) Judgement {
	switch {
	case t.Highest > s.Sequence && (t.NewerAt == nil || t.NewerAt.Add(Grace).Before(s.LookedAt(now))):
		return Judgement{Outcome: Behind, Accepted: true, Digest: digest(Behind, s.Sequence)}
	case t.Last > max(s.Sequence, t.Highest) && !t.Waits:
		return Judgement{Outcome: Behind, GivenUp: true, Digest: digest(Behind, s.Sequence)}
	case t.Last > max(s.Sequence, t.Highest):
		return Judgement{Outcome: Behind}
	}
	return Judgement{Outcome: otherwise}
}

// LookedAt is when the application looked. It cannot have been later than now.
func (s *State) LookedAt(now time.Time) time.Time {
	if s.At == nil || s.At.After(now) {
		return now
	}
	return *s.At
}

// JudgeMissing is the judgement of a tenant that a full report does not name.
func JudgeMissing() Judgement { return Judgement{Outcome: Missing, Digest: digest(Missing, nil)} }

// Repairable says whether an event with the tenant's state could bring it in line.
func (j *Judgement) Repairable() bool { return j.Digest != "" }

// digest identifies a kind of drift. The numbers of webhooks are no part of a
// difference: after a repair they are others, and the difference may be the same.
func digest(outcome Outcome, what any) string {
	text, err := json.Marshal(what)
	if err != nil {
		panic(fmt.Sprintf("a difference is no JSON: %v", err))
	}
	sum := sha256.Sum256(append([]byte(outcome+" "), text...))
	return hex.EncodeToString(sum[:16])
}
