package ledger

import (
	"math/big"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/catalog"
	"github.com/tenantry/tenantry/internal/billing/money"
	"github.com/tenantry/tenantry/internal/billing/rate"
)

// Timeline is a subscription as it is owed for, with everything that is
// scheduled: past days as they were, days to come as they will be if nobody
// acts.
type Timeline struct {
	// StartDate is the first paid day; days before it are a trial.
	StartDate billing.Date
	// BillingStartsOn is the first day that is billed here. Zero stands for
	// StartDate.
	BillingStartsOn billing.Date
	// End is the first day without the subscription. It is zero if the
	// subscription goes on until somebody ends it.
	End billing.Date
	// ChangedOn is the day of the first change since it was billed last, before
	// which no difference is due; zero if that does not matter.
	ChangedOn billing.Date
	Epochs    Epochs
	// Paused are days that are not paid for, and PausedFrom is the first day of a
	// pause that goes on; zero if none does. Pause sets them.
	Paused     []Period
	PausedFrom billing.Date
	// Lines of one charge do not overlap, but for days that were kept.
	Lines []Line
}

// Line is a charge of a subscription at one rate and quantity, from one day to
// another. A line that ends before it begins does not count.
type Line struct {
	Charge billing.ChargeID
	// Rate is nil if it cannot be known; the line can then not be billed.
	Rate     *rate.Rate
	Currency money.Currency
	// Quantity is what is billed: 1 for a charge without a quantity.
	Quantity int
	From     billing.Date
	// To is the last day; zero if the line lasts as long as the subscription.
	To billing.Date
	// KeptTo is the last day of a line whose unused days were kept when it was
	// reduced or canceled; zero if none were.
	KeptTo billing.Date
}

// BillingStart is the first day of a subscription that is billed here: none before
// the entity starts invoicing, nor one that was billed elsewhere. Zero days are
// none.
func BillingStart(startDate, invoicingStartsOn, billedThrough billing.Date) billing.Date {
	start := later(startDate, invoicingStartsOn)
	if billedThrough != (billing.Date{}) {
		start = later(start, billedThrough.AddDays(1))
	}
	return start
}

// first is the first day that can be billed.
func (t *Timeline) first() billing.Date { return later(t.StartDate, t.BillingStartsOn) }

// live are the days of a line on which it counts and is paid for.
func (t *Timeline) live(l *Line) Period {
	p := Period{later(l.From, t.first()), forever}
	if l.To != (billing.Date{}) {
		p.To = l.To
	}
	if t.End != (billing.Date{}) {
		p.To = sooner(p.To, t.End.AddDays(-1))
	}
	return p
}

// kept are the days after a line's last live one that stay owed. A term that
// starts afresh ends them. There are none of a period that was paused from its first
// day on, which was not billed.
func (t *Timeline) kept(l *Line, live Period) Period {
	if l.KeptTo == (billing.Date{}) || live.empty() || len(t.Epochs) == 0 {
		return Period{From: forever}
	}
	if len(t.Paused) > 0 && l.Rate != nil && l.Rate.Months() > 0 {
		if _, cut := t.Epochs.period(live.To, l.Rate.Months()); t.isPaused(Period{later(cut.From, t.first()), live.To}) {
			return Period{From: forever}
		}
	}
	end := t.Epochs.end(max(0, t.Epochs.index(live.To)))
	return Period{live.To.AddDays(1), sooner(l.KeptTo, end)}
}

// KeepTo is the last day up to which a line that ends stays owed if its unused
// days are kept: the end of the period of its last live day, if that was billed
// in advance. It is zero if nothing is kept.
func (t *Timeline) KeepTo(l *Line) billing.Date {
	live := t.live(l)
	if l.Rate == nil || l.Rate.BillingTiming != catalog.InAdvance || l.Rate.Months() == 0 || live.empty() {
		return billing.Date{}
	}
	_, cut := t.Epochs.period(live.To, l.Rate.Months())
	return cut.To
}

// once is the day of a one-time line: its own, or the first paid day if it lies
// in the trial. It has none if the subscription is over before.
func (t *Timeline) once(l *Line) Period {
	due := later(l.From, t.StartDate)
	never := t.End != (billing.Date{}) && !t.End.After(due)
	uncounted := l.To != (billing.Date{}) && l.To.Before(l.From)
	if never || uncounted || due.Before(t.BillingStartsOn) {
		return Period{From: forever}
	}
	return Period{due, due}
}

// value is the exact price of a line for one whole period.
func (t *Timeline) value(l *Line) (*big.Rat, error) {
	switch {
	case l.Rate == nil:
		return nil, billing.Fail(billing.NotAllowed, "rate", "The rate of charge %d from %s on is not known: the charge was deleted before rates were kept.", l.Charge, l.From)
	case (l.Rate.ChargeType == catalog.OneTime) != (l.Rate.Months() == 0):
		return nil, billing.Fail(billing.NotAllowed, "rate", "The rate of charge %d from %s on is %s and billed %s, which cannot be.", l.Charge, l.From, l.Rate.ChargeType, l.Rate.BillingPeriod)
	case len(t.Epochs) == 0 && l.Rate.Months() > 0:
		return nil, billing.Fail(billing.NotAllowed, "epochs", "The subscription has no terms into whose periods charge %d could be divided.", l.Charge)
	}
	return l.Rate.Value(big.NewRat(int64(l.Quantity), 1))
}
