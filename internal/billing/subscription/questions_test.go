package subscription

import (
	"fmt"
	"strings"
	"testing"
)

// askWords are asks as texts: code, number, and what is known about it.
func askWords(asks []Ask) string {
	var words []string
	for _, a := range asks {
		text := a.Charge.Code + " " + inWords(a.Quantity)
		if a.Required {
			text += " required"
		}
		if a.Kept {
			text += " kept"
		}
		if a.Included != nil {
			text += fmt.Sprintf(" included %d", *a.Included)
		}
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// TestAsks compares what people are asked for with what the rules do if they
// say nothing.
func TestAsks(t *testing.T) {
	if got, want := askWords(offers[monthlyID].Asks()), "base none, seats 1 required, space none included 10, setup none"; got != want {
		t.Errorf("a new subscription is asked for %s, want %s", got, want)
	}
	y := fiveSeats(t).do(quantities("2026-01-20", order("seats", 50)))
	for _, c := range []struct {
		what string
		asks []Ask
		want string
	}{
		{"to change", y.s.AsksToChange(offers[monthlyID], d("2026-01-10")), "base none kept, seats 5 required kept, space none kept included 10"},
		{"to change later", y.s.AsksToChange(offers[monthlyID], d("2026-02-01")), "base none kept, seats 50 required kept, space none kept included 10"},
		{"to change what is due once", y.s.AsksToChange(offers[monthlyID], d("2026-01-01")), "base none kept, seats 5 required kept, space none kept included 10, setup none kept"},
		{"to move", y.s.AsksToMove(offers[annualID], d("2026-01-10")), "base none kept, licences 5 required kept"},
		{"to move later", y.s.AsksToMove(offers[annualID], d("2026-02-01")), "base none kept, licences 50 required kept"},
		{"to move where a number is missing", y.s.AsksToMove(offers[splitID], d("2026-01-10")), "extra 1 required, seats 5 required kept"},
	} {
		if got := askWords(c.asks); got != c.want {
			t.Errorf("%s, one is asked for %s, want %s", c.what, got, c.want)
		}
	}
	seats := offers[annualID].ask(&offers[annualID].Charges[1])
	for n, want := range map[int]bool{4: false, 5: true, 50: true, 51: false, -1: false} {
		if seats.Fits(&n) != want {
			t.Errorf("%d fits: %v", n, !want)
		}
	}
	if seats.Fits(nil) {
		t.Error("no number fits a charge that needs one")
	}
}

// TestRestartedTerm compares what is said before with what happens.
func TestRestartedTerm(t *testing.T) {
	for name, draft := range map[string]Draft{"active": plainDraft, "trial": trialDraft, "pending": pendingDraft, "later trial": laterTrialDraft} {
		y := newStory(t, "2026-01-01", monthlyID, draft).until("2026-01-10")
		first, last := y.s.RestartedTerm(12, y.today)
		y.do(changePlan(annualID, PlanUpdate{Term: RestartTerm}))
		if y.err != nil || y.s.TermStartDate != first || y.s.EndDate != last {
			t.Errorf("%s: said %s to %s, became %s to %s (%v)", name, first, last, y.s.TermStartDate, y.s.EndDate, y.err)
		}
	}
}

func TestPaidTerm(t *testing.T) {
	for _, c := range []struct {
		name  string
		draft Draft
		do    action
		until string
		want  string
	}{
		{"a term", plainDraft, nil, "2026-01-10", "2026-01-01..2026-01-31"},
		{"cut by a cancellation", plainDraft, cancel("2026-01-20"), "2026-01-10", "2026-01-01..2026-01-19"},
		{"canceled at its end", plainDraft, cancel(""), "2026-01-10", "2026-01-01..2026-01-31"},
		{"over", plainDraft, cancel("2026-01-20"), "2026-01-25", "2026-01-01..2026-01-19"},
		{"after a trial", trialDraft, nil, "2026-01-10", "2026-01-15..2026-02-14"},
		{"a trial that is canceled", trialDraft, cancel(""), "2026-01-10", "none"},
		{"a trial that was canceled", trialDraft, cancel("2026-01-05"), "2026-01-10", "none"},
		{"a trial that expires", cancelingTrialDraft, nil, "2026-01-10", "none"},
		{"a trial that has expired", cancelingTrialDraft, nil, "2026-01-20", "none"},
	} {
		y := newStory(t, "2026-01-01", monthlyID, c.draft)
		if c.do != nil {
			y.do(c.do)
		}
		first, last, paid := y.until(c.until).s.PaidTerm()
		got := "none"
		if paid {
			got = first.String() + ".." + last.String()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	y := newStory(t, "2026-01-01", monthlyID, plainDraft)
	for _, c := range []struct {
		do   action
		want bool
	}{{nil, true}, {cancel(""), false}} {
		if c.do != nil {
			y.do(c.do)
		}
		if day, follows := y.s.NextTerm(); day != d("2026-02-01") || follows != c.want {
			t.Errorf("the next term is %s, %v", day, follows)
		}
	}
}

// TestTheNextScheduledChangeIsNamed orders two numbers for later, the later one
// first: who orders another one is told until when it would count.
func TestTheNextScheduledChangeIsNamed(t *testing.T) {
	y := fiveSeats(t).do(quantities("2026-01-25", order("seats", 7)))
	y.do(orderQuantities(QuantityUpdate{Orders: []QuantityOrder{order("seats", 6)}, StartDate: at(d("2026-01-20")), Scheduled: KeepScheduled}))
	y.do(quantities("", order("seats", 9)))
	if y.err == nil || !strings.HasPrefix(y.err.Error(), `A change of "seats" to 6 on 2026-01-20 is scheduled already.`) {
		t.Errorf("got %v", y.err)
	}
}
