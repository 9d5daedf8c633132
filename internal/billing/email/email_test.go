package email_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/email"
	"github.com/tenantry/tenantry/internal/billing/webhook"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestTaken ends with the first attempt that the server takes.
func TestTaken(t *testing.T) {
	e := email.Email{State: email.Waiting}
	e.Take(email.Deferred, "451 later", 1, noon)
	if e.State != email.Waiting || e.Reason != "451 later" || !e.NextAt.Equal(noon.Add(5*time.Second)) {
		t.Errorf("after a deferral: %+v", e)
	}
	e.Take(email.Taken, "250 ok", 1, noon.Add(time.Minute))
	if e.State != email.Sent || e.Reason != "" || e.NextAt != nil || !e.SentAt.Equal(noon.Add(time.Minute)) || e.Attempts != 2 {
		t.Errorf("after it was taken: %+v", e)
	}
}

// TestGivenUp refuses at once what the server refuses, and gives up what it has deferred
// as often as webhooks are tried, but waits for a server that is not there.
func TestGivenUp(t *testing.T) {
	e := email.Email{State: email.Waiting}
	e.Take(email.Refused, "550 no such user", 1, noon)
	if e.State != email.Failed || e.NextAt != nil {
		t.Errorf("refused: %+v", e)
	}
	rapid.Check(t, func(t *rapid.T) {
		e, now, deferred := email.Email{State: email.Waiting}, noon, 0
		most := len(webhook.DefaultRetryDelays())
		for e.State == email.Waiting {
			down := rapid.IntRange(0, 3).Draw(t, "minutes down")
			for range down {
				e.Take(email.Unreachable, "no connection", 1, now)
				if e.State != email.Waiting || !e.NextAt.After(now) {
					t.Fatalf("while the server is not there: %+v", e)
				}
				now = *e.NextAt
			}
			jitter := rapid.Float64Range(0.8, 1.2).Draw(t, "jitter")
			e.Take(email.Deferred, "451 later", jitter, now)
			if deferred++; e.State == email.Waiting {
				if wait, delay := e.NextAt.Sub(now).Seconds()/jitter, webhook.DefaultRetryDelays()[deferred-1]; math.Round(wait) != float64(delay) {
					t.Fatalf("attempt %d comes after %v s, that of a webhook after %d s", deferred+1, wait, delay)
				}
				now = *e.NextAt
			}
		}
		if deferred != most+1 || e.State != email.Failed || e.Attempts != deferred {
			t.Fatalf("given up after %d attempts: %+v", deferred, e)
		}
	})
}

// TestSendAgain sends what was not sent, or again as another message.
func TestSendAgain(t *testing.T) {
	for name, c := range map[string]struct {
		before email.Email
		to     string
		copies int
		ok     bool
	}{
		"sent":          {email.Email{State: email.Sent, Attempts: 1}, "a@example.com", 1, true},
		"given up":      {email.Email{State: email.Failed, Attempts: 15}, "a@example.com", 1, true},
		"never tried":   {email.Email{State: email.NotSent}, "a@example.com", 0, true},
		"waiting":       {email.Email{State: email.Waiting}, "a@example.com", 0, false},
		"no address":    {email.Email{State: email.NotSent}, "", 0, false},
		"on test clock": {email.Email{State: email.NotSent, TestClockID: new(billing.TestClockID(1))}, "a@example.com", 0, false},
	} {
		e := c.before
		if err := e.SendAgain(c.to, noon); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if c.ok && (e.State != email.Waiting || e.Copies != c.copies || e.Attempts != 0 || e.To != c.to || !e.NextAt.Equal(noon)) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
