package delivery

import (
	"context"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/delivery/log"
	"github.com/tenantry/tenantry/internal/delivery/outbox"
	"github.com/tenantry/tenantry/internal/store"
)

// EndImpossibleWaits has webhooks sent that wait for a time that no rule would
// give, unless nobody knows what time it is. It returns how many tenants and
// endpoints waited.
func (s *Service) EndImpossibleWaits(ctx context.Context) (n int64, err error) {
	err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if n = 0; tx.Unsure {
			return nil
		}
		n, err = outbox.EndImpossibleWaits(ctx, tx, tx.Now)
		return err
	})
	return n, err
}

// oldBatch is how many events are looked at in one go.
const oldBatch = 200

// sweep is how far the removal of old events has come.
type sweep struct {
	mu    sync.Mutex
	after billing.EventID
}

// ForgetOldEvents removes a batch of webhook events that were delivered or given
// up that long ago, unless nobody knows what time it is. It reports whether there is more to look at: the next call
// goes on behind this one, and begins anew when all has been looked at.
func (s *Service) ForgetOldEvents(ctx context.Context, keepDelivered, keepFailed time.Duration) (more bool, err error) {
	s.sweep.mu.Lock()
	defer s.sweep.mu.Unlock()
	moment := s.Store.Snapshot()
	if moment.Unsure {
		return false, nil
	}
	now := moment.Now
	retention := log.Retention{Delivered: now.Add(-keepDelivered), Failed: now.Add(-keepFailed)}
	old, last, err := log.OldEvents(ctx, s.Read(), retention, s.sweep.after, oldBatch)
	if err != nil {
		return false, err
	}
	if len(old) > 0 {
		err = s.Store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := log.RemoveEvents(ctx, tx, retention, old)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	s.sweep.after = last
	return last != 0, nil
}
