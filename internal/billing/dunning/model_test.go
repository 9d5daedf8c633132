package dunning

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"pgregory.net/rapid"
)

// model is dunning told a second time, as a diary: each step is put on a list when
// its time comes, and is crossed out when it is carried out. Days are numbers.
type model struct {
	steps              []Step
	origin, issued     int // origin is day 0
	tolerance, owed    int
	oneOff             bool
	hold               int // the first day without a hold
	pendingOn          int
	pending, silent    bool // a charge is pending, or has no answer
	method, hard, anew bool
	list               []Step
	lastCollect        *Step // the last COLLECT whose time has come
	suspended, limited bool
}

// come puts the steps of a day on the list, each in place of an older one of its action.
func (m *model) come(day int) {
	for _, s := range m.steps {
		if m.origin+s.Day != day {
			continue
		}
		m.list = append(slices.DeleteFunc(m.list, func(o Step) bool { return o.Action == s.Action }), s)
		if s.Action == Collect {
			m.lastCollect = &s
		}
	}
}

// lapse crosses out what is too late or too early to be said.
func (m *model) lapse(day int) {
	m.list = slices.DeleteFunc(m.list, func(s Step) bool {
		return s.Action == Remind && s.Day < 0 && (day >= m.origin || m.origin+s.Day < m.issued)
	})
}

// one carries out the next step, if there is one.
func (m *model) one(day int, passed bool) (Step, bool) {
	if m.owed <= m.tolerance || day < m.hold {
		return Step{}, false
	}
	if m.anew && m.lastCollect != nil && m.mayCollect() {
		if !passed {
			return m.did(*m.lastCollect), true
		}
		m.relist(*m.lastCollect)
	}
	if !passed {
		return Step{}, false
	}
	for _, s := range m.list {
		late := day >= m.pendingOn+10
		switch s.Action {
		case Collect:
			if !m.mayCollect() {
				continue
			}
		case Remind:
			if m.silent && !late || s.Day < 0 && m.method {
				continue
			}
		default:
			if m.oneOff || (m.silent || m.pending) && !late {
				continue
			}
		}
		return m.did(s), true
	}
	return Step{}, false
}

func (m *model) mayCollect() bool { return m.method && !m.hard && !m.pending && !m.silent }

// relist puts a step that was carried out on the list again, in its place.
func (m *model) relist(again Step) {
	var list []Step
	for _, s := range m.steps {
		if s == again || slices.Contains(m.list, s) {
			list = append(list, s)
		}
	}
	m.list = list
}

func (m *model) did(s Step) Step {
	m.list = slices.DeleteFunc(m.list, func(o Step) bool { return o.Action == s.Action })
	switch s.Action {
	case Collect:
		m.anew = false
	case Suspend:
		m.suspended = true
	case Restrict:
		m.limited = true
	case WriteOff:
		m.owed = 0
	}
	return s
}

// reverse takes a payment back. The diary of one that was paid begins again, at
// once if the time of day has passed.
func (m *model) reverse(amount, day int, passed bool) {
	if m.owed <= m.tolerance {
		m.origin, m.list, m.lastCollect, m.suspended, m.limited = max(0, day), nil, nil, false, false
		m.steps = slices.DeleteFunc(slices.Clone(m.steps), func(s Step) bool { return s.Day < 0 })
		if passed {
			m.come(day)
		}
	}
	m.owed += amount
}

func (m *model) standing(day int) billing.Standing {
	switch {
	case m.owed <= m.tolerance || m.oneOff:
		return billing.Good
	case m.suspended:
		return billing.Suspended
	case m.limited:
		return billing.Restricted
	case day > m.origin:
		return billing.PastDue
	}
	return billing.Good
}

// history runs an invoice and its model through the same days.
type history struct {
	t       *rapid.T
	policy  Policy
	invoice Invoice
	model   model
	day     int
	passed  bool
}

func (h *history) date(day int) billing.Date { return due.AddDays(day) }

func (h *history) moment() Moment { return Moment{h.date(h.day), h.passed} }

// run carries out what is to be done now, one step at a time.
func (h *history) run() {
	for {
		plan := h.policy.Next(&h.invoice, h.moment())
		h.checkAgain(plan)
		if len(plan.Now) == 0 {
			if s, acts := h.model.one(h.day, h.passed); acts {
				h.t.Fatalf("day %d, passed %v: nothing is done, the model does %v", h.day, h.passed, s)
			}
			return
		}
		for n, step := range plan.Now {
			want, acts := h.model.one(h.day, h.passed)
			if !acts || want != step {
				h.t.Fatalf("day %d, passed %v: %v is done, the model does %v %v", h.day, h.passed, step, acts, want)
			}
			h.invoice = h.invoice.After(step)
			switch step.Action {
			case Collect:
				if n != len(plan.Now)-1 {
					h.t.Fatalf("steps after COLLECT: %v", plan.Now)
				}
				h.outcome()
			case WriteOff:
				h.invoice.AmountDue = 0
			}
		}
	}
}

func (h *history) outcome() {
	i, m := &h.invoice, &h.model
	switch rapid.SampledFrom([]string{"declined", "declined", "hard", "pending", "silent", "paid"}).Draw(h.t, "outcome") {
	case "hard":
		i.HardDecline, m.hard = true, true
	case "pending":
		i.Attempt, i.AttemptOn, m.pending, m.pendingOn = Pending, h.date(h.day), true, h.day
	case "silent":
		i.Attempt, i.AttemptOn, m.silent, m.pendingOn = Unanswered, h.date(h.day), true, h.day
	case "paid":
		i.AmountDue, m.owed = 0, 0
	}
}

// checkAgain holds the day to look again to its promise: nothing is to be done
// before it, and something is on it.
func (h *history) checkAgain(plan Plan) {
	i := h.invoice
	for _, step := range plan.Now {
		i = i.After(step)
		if step.Action == WriteOff {
			i.AmountDue = 0
		}
	}
	if plan.Again == (billing.Date{}) {
		return
	}
	for day := h.day; h.date(day).Before(plan.Again); day++ {
		if now := h.policy.Next(&i, Moment{h.date(day), true}).Now; len(now) > 0 {
			h.t.Fatalf("day %d: look again on %s, but %v is to be done on day %d", h.day, plan.Again, now, day)
		}
	}
	if now := h.policy.Next(&i, Moment{plan.Again, true}).Now; len(now) == 0 {
		h.t.Fatalf("day %d: look again on %s, when nothing is to be done", h.day, plan.Again)
	}
}

// disturb lets something happen between two runs.
func (h *history) disturb() {
	i, m := &h.invoice, &h.model
	switch rapid.SampledFrom([]string{"", "", "", "", "hold", "release", "pay", "reverse", "decided", "new method", "no method"}).Draw(h.t, "event") {
	case "hold":
		m.hold = h.day + rapid.IntRange(0, 20).Draw(h.t, "hold")
		i.HoldUntil = h.date(m.hold)
	case "release":
		m.hold, i.HoldUntil = h.day, billing.Date{}
	case "pay":
		m.owed /= 2
		i.AmountDue /= 2
	case "reverse":
		m.reverse(8, h.day, h.passed)
		*i = h.policy.Reversed(*i, 8, h.date(h.day))
	case "decided":
		i.Attempt, m.pending, m.silent = NoAttempt, false, false
	case "new method":
		i.HasMethod, i.HardDecline, i.NewMethod = true, false, true
		m.method, m.hard, m.anew = true, false, true
	case "no method":
		i.HasMethod, m.method = false, false
	}
}

func drawPolicy(t *rapid.T) Policy {
	p := Policy{Code: "p", Name: "P", Tolerance: "0.02"}
	for day := -5; day <= 30; day++ {
		for _, action := range rapid.SampledFrom([][]Action{nil, nil, nil, {Collect}, {Remind}, {Collect, Remind}, {Remind, Collect}, {Restrict}, {Suspend}, {Cancel, WriteOff}, {Collect, Suspend}}).Draw(t, "actions") {
			longer := p
			longer.Steps = append(slices.Clone(p.Steps), Step{day, action, fmt.Sprint("t", day)})
			if longer.Check() == nil {
				p = longer
			}
		}
	}
	return p
}

// TestNextEqualsTheModel runs invoices through random days: holds, payments,
// chargebacks, pending charges, new methods and days on which nothing runs.
func TestNextEqualsTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := history{t: t, policy: drawPolicy(t)}
		issued := rapid.IntRange(-10, 0).Draw(t, "issued")
		method, oneOff := rapid.Bool().Draw(t, "method"), rapid.Bool().Draw(t, "one-off")
		h.invoice = Invoice{Number: "N", Issued: h.date(issued), Due: due, Currency: eur, AmountDue: 16, HasMethod: method, OneOff: oneOff}
		h.model = model{steps: h.policy.Steps, issued: issued, tolerance: 2, owed: 16, method: method, oneOff: oneOff, hold: issued}
		for h.day = -10; h.day < issued; h.day++ {
			h.model.come(h.day)
		}
		for ; h.day < 60; h.day++ {
			h.model.lapse(h.day)
			for _, h.passed = range []bool{false, true} {
				if h.passed {
					h.model.come(h.day)
					h.model.lapse(h.day)
				}
				h.disturb()
				if !rapid.SampledFrom([]bool{false, false, true}).Draw(t, "down") {
					h.run()
				}
				if got, want := h.policy.Standing(&h.invoice, h.date(h.day)), h.model.standing(h.day); got != want {
					t.Fatalf("day %d: standing is %s, the model's %s", h.day, got, want)
				}
			}
		}
	})
}
