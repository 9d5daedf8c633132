package subscription

import (
	"slices"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/ledger"
)

// State is where a subscription is in its life.
type State string

// The states of a subscription.
const (
	StatePending      State = "PENDING"
	StateTrial        State = "TRIAL"
	StateActive       State = "ACTIVE"
	StateCanceled     State = "CANCELED"
	StateExpired      State = "EXPIRED"
	StateTrialExpired State = "TRIAL_EXPIRED"
)

// Wire is the state as webhooks spell it.
func (s State) Wire() string { return strings.ToLower(string(s)) }

// Live reports whether a subscription in this state gives features.
func (s State) Live() bool { return s == StateTrial || s == StateActive }

// Ended reports whether the subscription is over, unless it is reinstated.
func (s State) Ended() bool {
	return s == StateCanceled || s == StateExpired || s == StateTrialExpired
}

// Subscription is an account's contract on one price list. EndDate and
// TrialEndDate are the last days that count; StartDate is the first paid day
// ever and stays when terms are renewed.
//
// Its actions decide what it becomes when somebody does something to it today.
// They leave the original as it is. A change that did not happen means that it
// was so already. They count on everything that was due by today having been
// done: see Due and Step.
type Subscription struct {
	ID billing.SubscriptionID `json:"id"`
	// Code is what another system calls the subscription: imports know it by
	// that. One that was made here has none until it is exported.
	Code        *string             `json:"code"`
	AccountID   billing.AccountID   `json:"accountId"`
	ProductID   billing.ProductID   `json:"productId"`
	PriceListID billing.PriceListID `json:"priceListId"`
	TenantID    *billing.TenantID   `json:"tenantId"`
	State       State               `json:"state"`
	// Standing says what unpaid invoices do to the subscription, and StandingInvoiceID
	// which of them is the reason; nil if the standing is good.
	Standing          billing.Standing   `json:"standing"`
	StandingInvoiceID *billing.InvoiceID `json:"-"`
	// Pauses are the days on which it was suspended and nothing is owed for that.
	Pauses ledger.Pauses `json:"-"`

	Evergreen         bool         `json:"evergreen"`
	RenewalTermMonths int          `json:"renewalTermMonths"`
	StartDate         billing.Date `json:"startDate"`
	EndDate           billing.Date `json:"endDate"`
	// TermStartDate is the first day of the paid term that ends on EndDate.
	TermStartDate billing.Date `json:"-"`
	// AnchorDay is the day of the month that terms start on where the month
	// has it, so that a term from the 31st does not drift to the 28th.
	AnchorDay int `json:"-"`
	// Epochs are the runs of terms into whose periods the days fall that are
	// billed.
	Epochs ledger.Epochs `json:"-"`

	TrialStartDate        *billing.Date                  `json:"trialStartDate"`
	TrialEndDate          *billing.Date                  `json:"trialEndDate"`
	TrialExpirationAction *catalog.TrialExpirationAction `json:"trialExpirationAction"`

	// CancellationDate is the first day without the subscription; while the
	// subscription is not canceled, it is a schedule.
	CancellationDate *billing.Date `json:"cancellationDate"`
	// Unused is KEEP if unused days are kept at the cancellation, nil otherwise.
	Unused *UnusedDays `json:"unused"`
	// NextPriceList is the price list that takes over, if a change of plan is
	// scheduled.
	NextPriceList *NextPriceList `json:"nextPriceList"`

	Charges []Line `json:"-"`
	// LinesSince is the day before which ended lines are missing in Charges, because
	// they were not needed; zero if all are there. It is not kept: a subscription with
	// such a day cannot be written.
	LinesSince billing.Date `json:"-"`
	// AsOf is the day that the subscription has been brought to: quantities of
	// lines that begin by then have been told of. It never goes back, even if
	// the clock does.
	AsOf billing.Date `json:"-"`
	// TestClockID is the clock that the subscription's account is on, if any.
	TestClockID *billing.TestClockID `json:"-"`
	// Problem is why the subscription was set aside.
	Problem *string `json:"problem"`

	// PONumber is the customer's purchase order, which documents quote.
	PONumber *string `json:"poNumber"`
	// SeparateInvoice says that the subscription has invoices of its own.
	SeparateInvoice bool `json:"separateInvoice"`
	// BilledThrough is the last day that was billed elsewhere, before the
	// subscription was imported.
	BilledThrough *billing.Date `json:"billedThrough"`
	// BillOn is the earliest day on which the account has to be looked at because
	// of this subscription; nil if there is nothing to bill any more.
	BillOn *billing.Date `json:"-"`
	// DirtyFrom is the first day from which on something else may be owed since
	// the subscription was billed, and ChangedOn the day of the first change since
	// then; nil if there was none.
	DirtyFrom *billing.Date `json:"-"`
	ChangedOn *billing.Date `json:"-"`
	// BilledOn is the day on which everything was billed that was due by then; nil
	// if nothing was.
	BilledOn *billing.Date `json:"-"`
	// BillingSince is the first day that was to be billed when something was billed
	// for the first time; nil if nothing was. It stays, whichever entity the account
	// has later.
	BillingSince *billing.Date `json:"-"`

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// NextPriceList is a scheduled change of plan, with the quantities that were
// given for it. What was not given is carried over on that day.
type NextPriceList struct {
	ID         billing.PriceListID `json:"id"`
	On         billing.Date        `json:"on"`
	Quantities []PlannedQuantity   `json:"quantities,omitempty"`
}

// Change is what happened to a subscription in one step. An empty
// Kind means that nothing did.
type Change struct {
	Kind     string
	From, To State
	// On is the day whose beginning is the moment of the change, for changes
	// that time brought; zero for those that somebody made.
	On     billing.Date
	Detail map[string]any
}

// Happened reports whether there was a change at all.
func (c Change) Happened() bool { return c.Kind != "" }

// HistoryEntry is what happened to a subscription, when, and who did it.
// EffectiveAt is the moment it counts from: for what time brought, the boundary.
type HistoryEntry struct {
	ID             billing.ChangeID
	SubscriptionID billing.SubscriptionID
	At             time.Time
	EffectiveAt    time.Time
	Actor          string
	Kind           string
	From           *State
	To             State
	Detail         map[string]any
}

// The kinds of changes; webhooks carry them as their reason. A change of how the
// subscription is invoiced is nothing to a tenant: no webhook is sent.
const (
	KindCreated             = "subscription.created"
	KindStateChanged        = "state.changed"
	KindRenewed             = "subscription.renewed"
	KindQuantityChanged     = "quantity.changed"
	KindQuantityScheduled   = "quantity.scheduled"
	KindQuantityUnscheduled = "quantity.unscheduled"
	KindPlanChanged         = "plan.changed"
	KindPlanScheduled       = "plan.scheduled"
	KindPlanUnscheduled     = "plan.unscheduled"
	KindCancelScheduled     = "cancellation.scheduled"
	KindCancelUnscheduled   = "cancellation.unscheduled"
	KindAutoRenewChanged    = "autorenew.changed"
	KindTrialExtended       = "trial.extended"
	KindInvoicingChanged    = "invoicing.changed"
	KindUpdated             = "subscription.updated"
	KindTenantChanged       = "tenant.changed"
	KindFeatureAdded        = "feature.added"
	KindFeatureChanged      = "feature.changed"
	KindFeatureRemoved      = "feature.removed"
	KindTenantSync          = "tenant.sync"
	KindProvisioningEnabled = "provisioning.enabled"
)

// FirstDay is the day on which the subscription begins: that of the trial if
// there is one.
func (s *Subscription) FirstDay() billing.Date {
	if s.TrialStartDate != nil {
		return *s.TrialStartDate
	}
	return s.StartDate
}

// LastTermDay is the last day of the trial while it lasts or is to come, and of
// the paid term otherwise.
func (s *Subscription) LastTermDay() billing.Date {
	if s.hasTrialAhead() {
		return *s.TrialEndDate
	}
	return s.EndDate
}

// TermEnd is the day that "at the end of the term" means: the first day after
// the trial while it lasts or is to come, after the paid term otherwise.
func (s *Subscription) TermEnd() billing.Date { return s.LastTermDay().AddDays(1) }

// EndedOn is the first day without the subscription, if it is over.
func (s *Subscription) EndedOn() (billing.Date, bool) {
	switch {
	case s.State == StateCanceled && s.CancellationDate != nil:
		return *s.CancellationDate, true
	case s.State == StateTrialExpired && s.TrialEndDate != nil:
		return s.TrialEndDate.AddDays(1), true
	}
	return s.EndDate.AddDays(1), s.State.Ended()
}

// hasTrialAhead reports whether the subscription is in its trial or begins
// with one.
func (s *Subscription) hasTrialAhead() bool {
	return s.TrialEndDate != nil && (s.State == StateTrial || s.State == StatePending)
}

// now is today, or the day that the subscription has been brought to if the
// clock went back behind it.
func (s *Subscription) now(today billing.Date) billing.Date { return maxDate(today, s.AsOf) }

// clone copies what an action may change, so that the original stays.
func (s Subscription) clone() Subscription {
	s.Charges = slices.Clone(s.Charges)
	return s
}

// refused says that the state does not allow an action.
func (s *Subscription) refused(action string) *billing.Error { return s.refusedFor("", action) }

// refusedFor is refused with the field that asked for the action.
func (s *Subscription) refusedFor(field, action string) *billing.Error {
	return billing.Fail(billing.NotAllowed, field, "Subscription %d is %s and cannot be %s.", s.ID, s.inWords(), action)
}

// inWords is the state as messages have it.
func (s *Subscription) inWords() string { return strings.ReplaceAll(s.State.Wire(), "_", " ") }

// mayBe returns why a subscription cannot be acted on: it is over, or its data
// is bad.
func (s *Subscription) mayBe(action string) error {
	if s.State.Ended() {
		return s.refused(action)
	}
	return s.sound()
}

// sound returns what about the data keeps the rules from moving the
// subscription, nil if nothing does.
func (s *Subscription) sound() error {
	problem := ""
	switch {
	case s.State != StatePending && !s.State.Live() && !s.State.Ended():
		problem = "has the unknown state " + string(s.State)
	case (s.TrialStartDate == nil) != (s.TrialEndDate == nil), s.State == StateTrial && s.TrialEndDate == nil:
		problem = "lacks a date of its trial"
	case s.RenewalTermMonths < 1 || s.AnchorDay < 1 || s.AnchorDay > 31:
		problem = "has no length or no anchor of its terms"
	case !s.Epochs.Sound():
		problem = "has no length or no anchor of terms that it had"
	case s.EndDate.Before(s.StartDate):
		problem = "ends before it starts"
	default:
		return nil
	}
	return billing.Fail(billing.NotAllowed, "", "Subscription %d cannot be moved: it %s.", s.ID, problem)
}

func at(d billing.Date) *billing.Date { return &d }

func maxDate(a, b billing.Date) billing.Date {
	if a.Before(b) {
		return b
	}
	return a
}

func minDate(a, b billing.Date) billing.Date {
	if b.Before(a) {
		return b
	}
	return a
}
