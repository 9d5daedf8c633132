package drift

import (
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Tenant is what came of comparing a tenant the last time.
type Tenant struct {
	TenantID   billing.TenantID
	PlatformID billing.PlatformID
	Outcome    Outcome
	// Sequence is the webhook that the application named, 0 for a missing tenant.
	Sequence int
	// CheckedAt is when the application looked, and Since from when on it was seen
	// with this outcome.
	CheckedAt, Since time.Time
	Differences      []Difference
	// Digest is that of the judgement.
	Digest string
	// RepairDigest and RepairSequence are of the event that was last sent to repair
	// the tenant; it is forgotten once the tenant is in sync.
	RepairDigest   string
	RepairSequence int
	RepairedAt     *time.Time
	// Persistent says that the difference was still there after its repair.
	Persistent bool
	// ReportID is the newest full report that says something of the tenant, and
	// ReportOutcome the outcome that it counts the tenant with.
	ReportID      billing.DriftReportID
	ReportOutcome Outcome
	// TurnAt is when the difference was found, or when it was last repaired: who
	// waits longest is repaired first.
	TurnAt time.Time
	// QueuedBy is why the tenant waits to be repaired, NoCause if it does not.
	QueuedBy Cause
	// LastRepair is the last event that was sent to repair the tenant, nil if none was. It
	// is kept, so that people can see what it was sent for.
	LastRepair *SentRepair
	// New says that nothing is kept of the tenant yet.
	New bool
}

// SentRepair is an event that was sent to repair a tenant, and what it was sent for.
type SentRepair struct {
	Sequence int       `json:"sequence"`
	At       time.Time `json:"at"`
	Since    time.Time `json:"since"`
	// Acted is the webhook that the application had acted on, 0 if it named none.
	Acted       int          `json:"acted"`
	Outcome     Outcome      `json:"outcome"`
	Differences []Difference `json:"differences"`
	// Earlier are the events that were sent for other kinds of drift since the tenant was
	// in sync, the newest last.
	Earlier []SentKind `json:"earlier,omitempty"`
}

// SentKind is an event that was sent for a kind of drift.
type SentKind struct {
	Digest   string `json:"digest"`
	Sequence int    `json:"sequence"`
	// Persistent says that the difference was still there after it.
	Persistent bool `json:"persistent,omitempty"`
}

// mostEarlier is how many kinds of drift are remembered for which events were sent.
const mostEarlier = 20

// mostKept is how many differences of a tenant are kept to be shown.
const mostKept = 100

// Overtaken says that something is kept of the tenant that the application saw after it
// looked then. A tenant that was missing has been looked for at some time before.
func (t *Tenant) Overtaken(looked time.Time) bool {
	return !t.New && t.Outcome != Missing && looked.Before(t.CheckedAt)
}

// Note keeps a judgement, of a tenant that the application looked at then.
func (t *Tenant) Note(j *Judgement, sequence int, looked time.Time) {
	if t.Outcome != j.Outcome {
		t.Since = looked
	}
	if persistent := t.recall(j.Digest); t.Digest != j.Digest {
		t.Persistent, t.TurnAt = persistent, looked
	}
	if t.QueuedBy != Person || !j.Repairable() {
		t.QueuedBy = NoCause // a report is believed or not with all that it says
	}
	if j.Outcome == InSync {
		t.RepairDigest, t.RepairSequence = "", 0 // what differs from now on is something else
		t.remember(nil)
	}
	t.Outcome, t.Sequence, t.CheckedAt, t.Digest = j.Outcome, sequence, looked, j.Digest
	t.Differences = j.Differences[:min(len(j.Differences), mostKept)]
}

// recall has the event count that was sent for a kind of drift, if there was one, also if
// another kind was repaired since: drift that goes back and forth is not sent for each time.
// It reports whether that is known to have changed nothing.
func (t *Tenant) recall(digest string) (persistent bool) {
	earlier := t.sent()
	at := slices.IndexFunc(earlier, func(k SentKind) bool { return k.Digest == digest })
	if at < 0 {
		return false
	}
	found := earlier[at]
	t.remember(slices.Delete(earlier, at, at+1))
	t.RepairDigest, t.RepairSequence = found.Digest, found.Sequence
	return found.Persistent
}

// sent are the events that were sent for kinds of drift, that which counts last.
func (t *Tenant) sent() (all []SentKind) {
	if t.LastRepair != nil {
		all = slices.Clone(t.LastRepair.Earlier)
	}
	if t.RepairDigest != "" {
		all = append(all, SentKind{t.RepairDigest, t.RepairSequence, t.Persistent && t.Digest == t.RepairDigest})
	}
	return all
}

func (t *Tenant) remember(earlier []SentKind) {
	if t.LastRepair != nil {
		t.LastRepair.Earlier = earlier[max(0, len(earlier)-mostEarlier):]
	}
}

// Count notes that a full report counts the tenant with an outcome. A newer report
// keeps it.
func (t *Tenant) Count(report billing.DriftReportID, outcome Outcome) {
	if report >= t.ReportID {
		t.ReportID, t.ReportOutcome = report, outcome
	}
}

// Queue has the tenant wait to be repaired, unless a person has already asked for it. A
// repair that was sent for the difference and will never arrive is forgotten.
func (t *Tenant) Queue(cause Cause) {
	if t.RepairDigest == t.Digest {
		t.RepairDigest = ""
	}
	if t.QueuedBy != Person {
		t.QueuedBy = cause
	}
}

// Untold says whether the tenant differs and either no event was sent for that, or one
// that changed nothing.
func (t *Tenant) Untold() bool {
	return t.Digest != "" && (t.Digest != t.RepairDigest || t.Persistent)
}

// Repair notes that an event of that number was sent to repair the tenant.
func (t *Tenant) Repair(sequence int, now time.Time) {
	earlier := slices.DeleteFunc(t.sent(), func(k SentKind) bool { return k.Digest == t.Digest })
	t.RepairDigest, t.RepairSequence, t.RepairedAt, t.Persistent = t.Digest, sequence, &now, false
	t.LastRepair = &SentRepair{Sequence: sequence, At: now, Since: t.Since, Acted: t.Sequence, Outcome: t.Outcome, Differences: t.Differences}
	t.remember(earlier)
	t.TurnAt, t.QueuedBy = now, NoCause
}

// FullReport is a report of all tenants of an application, in one request or in
// several.
type FullReport struct {
	ID         billing.DriftReportID
	PlatformID billing.PlatformID
	// Name is the application's own id of the report.
	Name        string
	BegunAt     time.Time
	CompletedAt *time.Time
	Outcomes    Counts
	// Repaired is how many tenants were told their state again.
	Repaired int
	// Held says that so much differed that a person has to decide on repairs.
	Held bool
	// Repairing says that tenants of it still wait to be repaired.
	Repairing bool
	// Swept is the tenant up to which those that it does not name were looked for.
	Swept billing.TenantID
}

// Recent is how many of the newest reports are looked at to find the last that was
// completed.
const Recent = 20

// LastCompleted is the newest completed report of those, which are the newest first, but
// for one; nil if there is none. What is under way says nothing yet.
func LastCompleted(reports []FullReport, but billing.DriftReportID) *FullReport {
	for n := range reports {
		if r := &reports[n]; r.CompletedAt != nil && r.ID != but {
			return r
		}
	}
	return nil
}

// Last is the newest completed report of those, which are the newest first, or the newest
// if none is complete; nil if there is none.
func Last(reports []FullReport) *FullReport {
	if last := LastCompleted(reports, 0); last != nil || len(reports) == 0 {
		return last
	}
	return &reports[0]
}

// Continue returns why a request cannot continue the report, nil if it can.
func (r *FullReport) Continue(now time.Time) *billing.Error {
	switch {
	case r.CompletedAt != nil:
		return billing.Fail(billing.Conflict, "report", "The report %q was completed at %s. Begin another with a new id.", r.Name, r.CompletedAt.UTC().Format(time.RFC3339))
	case now.Sub(r.BegunAt) > OpenFor:
		return billing.Fail(billing.Conflict, "report", "The report %q began more than %d hours ago and was never completed. Begin another with a new id.", r.Name, int(OpenFor.Hours()))
	}
	return nil
}
