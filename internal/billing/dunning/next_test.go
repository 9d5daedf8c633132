package dunning

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

var (
	due = billing.Date{Year: 2026, Month: 3, Day: 1}
	eur = money.Currency{Code: "EUR", Digits: 2}
)

// unpaid is an invoice that was issued two weeks before it is due.
func unpaid(changes ...func(*Invoice)) Invoice {
	i := Invoice{Number: "INV-1", Issued: due.AddDays(-14), Due: due, Currency: eur, AmountDue: 4900, HasMethod: true}
	for _, change := range changes {
		change(&i)
	}
	return i
}

func on(day int) Moment     { return Moment{Day: due.AddDays(day), Passed: true} }
func before(day int) Moment { return Moment{Day: due.AddDays(day)} }

// text writes a plan as "COLLECT 3, REMIND 3; again 7".
func (plan Plan) text() string {
	var steps []string
	for _, s := range plan.Now {
		steps = append(steps, fmt.Sprintf("%s %d", s.Action, s.Day))
	}
	again := "never"
	if plan.Again != (billing.Date{}) {
		again = fmt.Sprint(due.DaysUntil(plan.Again))
	}
	return strings.TrimSpace(strings.Join(steps, ", ") + "; again " + again)
}

func TestNext(t *testing.T) {
	t.Parallel()
	done := func(p Progress) func(*Invoice) { return func(i *Invoice) { i.Done = p } }
	noMethod := func(i *Invoice) { i.HasMethod = false }
	hold := func(day int) func(*Invoice) { return func(i *Invoice) { i.HoldUntil = due.AddDays(day) } }
	attempt := func(a Attempt, day int) func(*Invoice) {
		return func(i *Invoice) { i.Attempt, i.AttemptOn = a, due.AddDays(day) }
	}
	hard := func(i *Invoice) { i.HardDecline = true }
	newMethod := func(i *Invoice) { i.NewMethod = true }
	oneOff := func(i *Invoice) { i.OneOff = true }
	amount := func(a money.Amount) func(*Invoice) { return func(i *Invoice) { i.AmountDue = a } }

	p := NewPolicy()
	p.Tolerance = "0.5"
	for _, c := range []struct {
		name    string
		invoice Invoice
		now     Moment
		want    string
	}{
		{"a method needs no reminder before the due day", unpaid(), on(-3), "; again 0"},
		{"without a method there is one", unpaid(noMethod), on(-3), "REMIND -3; again 3"},
		{"not before its time of day", unpaid(noMethod), before(-3), "; again -3"},
		{"later if it was missed", unpaid(noMethod), on(-1), "REMIND -3; again 3"},
		{"not once it is due", unpaid(noMethod), on(0), "; again 3"},
		{"not with an invoice that has just been sent", unpaid(noMethod, func(i *Invoice) { i.Issued = due.AddDays(-2) }), on(-2), "; again 3"},
		{"on the due day", unpaid(), on(0), "COLLECT 0; again 1"},
		{"before its time of day", unpaid(), before(0), "; again 0"},
		{"the reminder depends on what collecting brings", unpaid(done(Progress{Collect: 1})), on(3), "COLLECT 3; again 3"},
		{"and is sent if that was declined", unpaid(done(Progress{Collect: 3})), on(3), "REMIND 3; again 7"},
		{"in the end", unpaid(done(Progress{Collect: 14, Remind: 14, Suspend: 21})), on(45), "CANCEL 45, WRITE_OFF 45; again never"},

		{"partly paid, above the tolerance", unpaid(amount(51)), on(0), "COLLECT 0; again 1"},
		{"partly paid, within the tolerance", unpaid(amount(50)), on(0), "; again never"},
		{"paid", unpaid(amount(0)), on(0), "; again never"},
		{"written off and not restored", unpaid(amount(0), func(i *Invoice) { i.Forfeited = true }), on(21), "; again never"},

		{"pending: reminders go on", unpaid(attempt(Pending, 1), done(Progress{Collect: 1})), on(3), "REMIND 3; again 7"},
		{"pending: suspension waits", unpaid(attempt(Pending, 15), done(Progress{Collect: 14, Remind: 14})), on(24), "; again 25"},
		{"pending: for ten days", unpaid(attempt(Pending, 15), done(Progress{Collect: 14, Remind: 14})), on(25), "SUSPEND 21; again 45"},
		{"pending: nothing else is collected, ever", unpaid(attempt(Pending, 0), done(Progress{Collect: 0, Remind: 14})), on(22), "SUSPEND 21; again 45"},
		{"pending and failed: what was missed", unpaid(done(Progress{Collect: 14, Remind: 14})), on(24), "SUSPEND 21; again 45"},
		{"pending: canceling and writing off wait", unpaid(attempt(Pending, 44), done(Progress{Collect: 14, Remind: 14, Suspend: 21})), on(46), "; again 54"},
		{"pending: canceling and writing off wait for ten days", unpaid(attempt(Pending, 44), done(Progress{Collect: 14, Remind: 14, Suspend: 21})), on(54), "CANCEL 45, WRITE_OFF 45; again never"},
		{"no answer yet: the reminder waits too", unpaid(attempt(Unanswered, 3), done(Progress{Collect: 3})), on(3), "; again 13"},

		{"hard decline: nothing is collected", unpaid(hard, done(Progress{Collect: 0})), on(1), "; again 3"},
		{"hard decline: reminders go on", unpaid(hard, done(Progress{Collect: 0})), on(3), "REMIND 3; again 7"},
		{"a new method collects at once", unpaid(newMethod, done(Progress{Collect: 14, Remind: 14})), before(16), "COLLECT 14; again 21"},
		{"also in the morning of a step", unpaid(newMethod, done(Progress{Collect: 1})), before(3), "COLLECT 1; again 3"},
		{"but not before anything is due", unpaid(newMethod), before(0), "; again 0"},
		{"and not during a hold", unpaid(newMethod, hold(20), done(Progress{Collect: 14, Remind: 14})), before(16), "; again 20"},

		{"hold: all steps wait", unpaid(hold(8), done(Progress{Collect: 1})), on(7), "; again 8"},
		{"hold: the last of each action when it ends", unpaid(hold(16), done(Progress{Collect: 1})), on(16), "COLLECT 14; again 16"},
		{"hold: and then what follows", unpaid(hold(23), done(Progress{Collect: 14})), on(23), "REMIND 14, SUSPEND 21; again 45"},
		{"hold: longer than to the next step", unpaid(hold(5), done(Progress{Collect: 1})), on(1), "; again 5"},
		{"hold: a reminder before the due day lapses", unpaid(hold(1), noMethod), on(-3), "; again 3"},

		{"downtime: each action once, in order", unpaid(), on(30), "COLLECT 14; again 30"},
		{"downtime: without a method", unpaid(noMethod), on(50), "REMIND 14, SUSPEND 21, CANCEL 45, WRITE_OFF 45; again never"},
		{"downtime: not in the night", unpaid(noMethod), before(50), "; again 50"},

		{"chargeback: the steps begin again", unpaid(func(i *Invoice) { i.Restarted = due.AddDays(60) }), on(60), "COLLECT 0; again 61"},
		{"no subscription: remind and collect only", unpaid(oneOff, done(Progress{Collect: 14, Remind: 7})), on(60), "REMIND 14; again never"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := p.Next(&c.invoice, c.now).text(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestNextWithoutAPolicy(t *testing.T) {
	t.Parallel()
	i := unpaid()
	if got := (*Policy)(nil).Next(&i, on(50)).text(); got != "; again never" {
		t.Error(got)
	}
}

func TestTheLastReminderIsTheOneThatIsSent(t *testing.T) {
	t.Parallel()
	p, i := NewPolicy(), unpaid(func(i *Invoice) { i.HasMethod = false })
	if now := p.Next(&i, on(15)).Now; len(now) != 1 || now[0].Template != TemplateLastReminder {
		t.Errorf("%+v", now)
	}
}

func TestAfterChangesACopy(t *testing.T) {
	t.Parallel()
	was := unpaid(func(i *Invoice) { i.Done, i.NewMethod = Progress{Collect: 0}, true })
	is := was.After(Step{Day: 3, Action: Remind}).After(Step{Day: 1, Action: Collect})
	if len(was.Done) != 1 || was.Done[Collect] != 0 || is.Done[Collect] != 1 || is.Done[Remind] != 3 || is.NewMethod {
		t.Errorf("was %+v, is %+v", was, is)
	}
}

func TestReversed(t *testing.T) {
	t.Parallel()
	p := NewPolicy()
	all := Progress{Collect: 14, Remind: 14, Suspend: 21}
	paid := unpaid(func(i *Invoice) { i.AmountDue, i.Done = 0, all })
	today := due.AddDays(40)
	got := p.Reversed(paid, 4900, today)
	if got.AmountDue != 4900 || got.Restarted != today || len(got.Done) != 0 || p.Standing(&got, today) != billing.Good {
		t.Errorf("a settled invoice: %+v", got)
	}
	if standing := p.Standing(&got, today.AddDays(1)); standing != billing.PastDue {
		t.Errorf("the day after: %s", standing)
	}
	partly := unpaid(func(i *Invoice) { i.AmountDue, i.Done = 100, all })
	if got := p.Reversed(partly, 4800, today); got.AmountDue != 4900 || p.Standing(&got, today) != billing.Suspended {
		t.Errorf("an invoice that was open: %+v", got)
	}
	forfeited := unpaid(func(i *Invoice) { i.AmountDue, i.Done, i.Forfeited = 0, all, true })
	if got := p.Reversed(forfeited, 100, today); !p.Open(&got) || got.Restarted != today || len(got.Done) != 1 || p.Standing(&got, today) != billing.Suspended {
		t.Errorf("an invoice whose rest was written off: %+v", got)
	}
	early := p.Reversed(paid, 4900, due.AddDays(-5))
	if plan := p.Next(&early, on(-4)).text(); plan != "; again 0" {
		t.Errorf("a chargeback before the due day: %s", plan)
	}
}

func TestUpcoming(t *testing.T) {
	t.Parallel()
	p := NewPolicy()
	list := func(i Invoice, now Moment) (texts []string) {
		for _, planned := range p.Upcoming(i, now) {
			texts = append(texts, fmt.Sprintf("%d %s", due.DaysUntil(planned.Day), planned.Step.Action))
		}
		return texts
	}
	want := []string{"0 COLLECT", "1 COLLECT", "3 COLLECT", "3 REMIND", "7 COLLECT", "7 REMIND", "14 COLLECT", "14 REMIND", "21 SUSPEND", "45 CANCEL", "45 WRITE_OFF"}
	if got := list(unpaid(), on(-10)); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	held := unpaid(func(i *Invoice) { i.HoldUntil, i.Done = due.AddDays(30), Progress{Collect: 0} })
	want = []string{"30 COLLECT", "30 REMIND", "30 SUSPEND", "45 CANCEL", "45 WRITE_OFF"}
	if got := list(held, before(2)); !slices.Equal(got, want) {
		t.Errorf("held: %v, want %v", got, want)
	}
	if got := list(unpaid(func(i *Invoice) { i.AmountDue = 0 }), on(3)); got != nil {
		t.Errorf("paid: %v", got)
	}
}
