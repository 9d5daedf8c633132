package app

import (
	"context"
	"time"

	"github.com/tenantry/tenantry/internal/service/subscriptions"
)

// heedClock has the lifecycle held while the clock cannot be believed, and decides
// for the first time whether it can: before that nobody is to act on what day it
// is.
func (s *server) heedClock(ctx context.Context) error {
	s.service.Subscriptions.SetMaxDowntime(time.Duration(*s.config.maxDowntime) * 24 * time.Hour)
	s.service.Subscriptions.OnHold(s.tellHold)
	_, err := s.service.Subscriptions.Held(ctx, s.now())
	return err
}

// tellHold says in the log what everybody has to know.
func (s *server) tellHold(hold *subscriptions.Hold) {
	if hold == nil {
		s.log.Warn("the lifecycle goes on: the clock can be believed again")
		return
	}
	s.log.Error("THE LIFECYCLE IS HELD: nothing is renewed, ended, changed on schedule or removed", "reason", hold.Reason, "remedy", hold.Remedy)
}

// mayRemove says whether what has run its time may be removed: not while nobody
// knows what time it is.
func (s *server) mayRemove() bool {
	hold := s.service.Subscriptions.Hold()
	if hold != nil {
		s.tellHold(hold) // again, for as long as it lasts
	}
	return hold == nil && !s.store.Clock().Unsure()
}
