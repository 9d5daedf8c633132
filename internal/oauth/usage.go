package oauth

import (
	"context"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
)

// usage remembers when clients got tokens until it is written down.
type usage struct {
	mu   sync.Mutex
	last map[billing.ClientID]time.Time
}

func (u *usage) mark(id billing.ClientID, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = map[billing.ClientID]time.Time{}
	}
	if at.After(u.last[id]) {
		u.last[id] = at
	}
}

func (u *usage) take() map[billing.ClientID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	last := u.last
	u.last = nil
	return last
}

// writeUsage records when clients were last used. What cannot be written now
// is kept for the next time.
func (s *Server) writeUsage(ctx context.Context) error {
	used := s.used.take()
	if len(used) == 0 {
		return nil
	}
	err := s.store.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.MarkClientsUsed(ctx, tx, used)
	})
	if err != nil {
		for id, at := range used {
			s.used.mark(id, at)
		}
	}
	return err
}
