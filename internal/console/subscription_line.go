package console

import (
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/ui"
)

// lineOf draws a subscription as it is today, with what is scheduled for it. It
// shows what will happen: no term that a cancellation or the end of a trial
// keeps from coming, and no renewal after them.
func lineOf(s *subscription.Subscription, today billing.Date, scheduled []scheduledItem) *ui.Timeline {
	var bands []ui.Period
	marks := []ui.Milestone{{Kind: "today", Text: "Today", On: today}}
	ended, over := s.EndedOn()
	if s.TrialStartDate != nil && s.TrialEndDate != nil {
		end := s.TrialEndDate.AddDays(1)
		switch c := s.CancellationDate; {
		case over:
			end = earlier(end, ended)
		case c != nil:
			end = earlier(end, *c)
		}
		bands = append(bands, ui.Period{Kind: "trial", Text: "Trial", From: *s.TrialStartDate, To: end})
		marks = append(marks, ui.Milestone{Kind: "start", Text: "Trial starts", On: *s.TrialStartDate})
	}
	first, last, paid := s.PaidTerm()
	if paid {
		bands = append(bands, ui.Period{Kind: "term", Text: "Term", From: first, To: last.AddDays(1)})
		word := "Term starts"
		if first == s.StartDate && s.TrialStartDate != nil {
			word = "Paid term starts"
		}
		marks = append(marks, ui.Milestone{Kind: "start", Text: word, On: first})
	}
	marks = append(marks, endMark(s, paid))
	for _, item := range scheduled {
		if item.Kind != subscription.ScheduledCancellation && !item.Moot {
			marks = append(marks, ui.Milestone{Kind: "plan", Text: item.Short, On: item.On})
		}
	}
	return ui.NewTimeline(bands, marks)
}

// endMark says how the trial or the term ends.
func endMark(s *subscription.Subscription, paid bool) ui.Milestone {
	ended, over := s.EndedOn()
	switch c := s.CancellationDate; {
	case over && s.State == subscription.StateCanceled:
		return ui.Milestone{Kind: "end", Text: "Ended", On: ended}
	case over:
		return ui.Milestone{Kind: "end", Text: "Expired", On: ended}
	case c != nil:
		return ui.Milestone{Kind: "end", Text: "Ends", On: *c}
	case !paid:
		return ui.Milestone{Kind: "end", Text: "Expires with its trial", On: s.TermEnd()}
	case s.Evergreen:
		return ui.Milestone{Kind: "end", Text: "Renews", On: s.EndDate.AddDays(1)}
	}
	return ui.Milestone{Kind: "end", Text: "Expires", On: s.EndDate.AddDays(1)}
}

func earlier(a, b billing.Date) billing.Date {
	if b.Before(a) {
		return b
	}
	return a
}
