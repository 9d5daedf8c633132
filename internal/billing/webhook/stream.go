package webhook

import (
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// GiveWayAfter is how long the head of a stream may fail before it gives way to
// newer events.
const GiveWayAfter = 5 * time.Minute

// Subject is what a stream of events is about.
type Subject struct {
	Kind SubjectKind
	ID   int64
}

// SubjectKind is a kind of things that have streams.
type SubjectKind string

// The kinds there are.
const (
	// SubjectTenant is the kind whose events tell an application the state of a tenant:
	// each replaces those before it.
	SubjectTenant SubjectKind = "TENANT"
	// SubjectAccount is the kind whose events tell what happened to an account: none
	// replaces another. An account has a stream for every event endpoint.
	SubjectAccount SubjectKind = "ACCOUNT"
)

// OfTenant is a tenant as a subject.
func OfTenant(id billing.TenantID) Subject { return Subject{SubjectTenant, int64(id)} }

// OfAccount is an account as a subject.
func OfAccount(id billing.AccountID) Subject { return Subject{SubjectAccount, int64(id)} }

// ToldStates says whether the events of the subject tell states, so that an older
// one would take it back in time.
func (s Subject) ToldStates() bool { return s.Kind != SubjectAccount }

// Account returns the account that the subject is, 0 if it is something else.
func (s Subject) Account() billing.AccountID {
	if s.Kind != SubjectAccount {
		return 0
	}
	return billing.AccountID(s.ID)
}

// Tenant returns the tenant that the subject is, 0 if it is something else.
func (s Subject) Tenant() billing.TenantID {
	if s.Kind != SubjectTenant {
		return 0
	}
	return billing.TenantID(s.ID)
}

// Stream is the queue of a subject: what has to be sent to its application, in
// order, one request at a time. Positions number what is queued; all up to
// DonePosition is finished.
type Stream struct {
	ID         billing.StreamID
	Subject    Subject
	PlatformID billing.PlatformID
	// LastSequence is the number of the subject's newest event, and
	// NewestPosition where that event was queued when it was recorded.
	LastSequence   int
	LastPosition   int64
	NewestPosition int64
	DonePosition   int64
	// DueAt is when there is something to do next, nil if nothing waits. While
	// a request is under way it is when the lease ends.
	DueAt *time.Time
	// AttemptID is the request under way, which is also the lease: only who
	// knows it may finish the request.
	AttemptID *billing.AttemptID
	// StartedAt is when that request was taken to be made.
	StartedAt *time.Time
	// Holder is the process that makes it, 0 if that cannot prove that it lives.
	Holder int64
	// Attempts counts the failures of the head, Tries the requests begun.
	Attempts, Tries int
	// GiveWayAt is from when on the head, which fails, gives way to newer
	// events; nil if it does not fail or never gives way.
	GiveWayAt *time.Time
	// DeliveredSequence is the number of what was delivered last, 0 if nothing
	// was or nobody knows any more; HighestSequence is the highest that ever was.
	DeliveredSequence, HighestSequence int
	DeliveredAt                        *time.Time
	LastError                          *string
}

// Head is the position of what is next: the first that is not finished. In SQL, the
// outbox has it as Head.
func (s *Stream) Head() int64 { return s.DonePosition + 1 }

// GoesBack says whether an event of that number would take the subject back in time.
func (s *Stream) GoesBack(sequence int) bool {
	return s.Subject.ToldStates() && sequence < s.HighestSequence
}

// InSync says whether the application knows the tenant's newest state.
func (s *Stream) InSync() bool { return s.DeliveredSequence == s.LastSequence }

// Waiting is how many deliveries are not finished.
func (s *Stream) Waiting() int64 { return s.LastPosition - s.DonePosition }

// Begin notes that a request for the head is under way.
func (s *Stream) Begin(attempt billing.AttemptID, now, leaseEnd time.Time) {
	s.AttemptID, s.StartedAt, s.DueAt = &attempt, &now, &leaseEnd
}

// end notes that no request is under way.
func (s *Stream) end() { s.AttemptID, s.StartedAt, s.Holder = nil, nil, 0 }

// Release ends the lease without an outcome: the head is still to be sent.
func (s *Stream) Release(now time.Time) {
	s.end()
	s.DueAt = &now
}

// Delivered notes that the head, an event of that number, has arrived.
func (s *Stream) Delivered(sequence int, now time.Time) {
	s.HighestSequence = max(s.HighestSequence, sequence)
	if s.DeliveredSequence = sequence; !s.Subject.ToldStates() {
		s.DeliveredSequence = s.HighestSequence // an older one that is resent takes nothing back
	}
	s.DeliveredAt, s.LastError = &now, nil
	s.Pass(s.Head(), now)
}

// Pass finishes all up to a position, however that came about, and looks at
// what is next.
func (s *Stream) Pass(position int64, now time.Time) {
	s.DonePosition = position
	s.end()
	s.Attempts, s.Tries, s.GiveWayAt, s.DueAt = 0, 0, nil, nil
	if s.Waiting() > 0 {
		s.DueAt = &now
	}
}

// Failed notes that a request for the head failed. It reports whether the head
// is given up; then the stream goes on behind it.
func (s *Stream) Failed(r Retry, why string, now time.Time) (exhausted bool) {
	s.LastError = &why
	s.Attempts++
	if s.Attempts > len(r.Delays) {
		s.Pass(s.Head(), now)
		return true
	}
	delay := time.Duration(float64(r.Delays[s.Attempts-1]) * r.Jitter * float64(time.Second))
	due := now.Add(max(delay, min(r.After, MaxRetryAfter)))
	s.end()
	s.DueAt = &due
	if r.Order == Strict {
		s.GiveWayAt = nil
		return false
	}
	if s.GiveWayAt == nil {
		at := now.Add(GiveWayAfter)
		s.GiveWayAt = &at
	}
	if s.headIsOld() && s.GiveWayAt.Before(due) {
		sooner := *s.GiveWayAt
		if sooner.Before(now) {
			sooner = now
		}
		s.DueAt = &sooner
	}
	return false
}

// GaveUpBack notes that what was given up would have taken the tenant back in
// time: the application may have acted on it all the same, so nobody knows what
// it knows, until something is delivered.
func (s *Stream) GaveUpBack() { s.DeliveredSequence = 0 }

// headIsOld says whether a newer event waits behind the head.
func (s *Stream) headIsOld() bool { return s.NewestPosition > s.Head() }

// GivesWay returns the position of the tenant's newest event if everything that
// waits before it is to be superseded by it, because the head has failed for
// too long, and whether that is so.
func (s *Stream) GivesWay(order DeliveryOrder, now time.Time) (int64, bool) {
	gives := order == Ordered && s.headIsOld() && s.GiveWayAt != nil && !now.Before(*s.GiveWayAt)
	return s.NewestPosition, gives
}
