package webhook

import (
	"context"
	"sync"
)

// Store remembers the number of the last change of each tenant.
type Store interface {
	// Update calls change with the number that is remembered for a tenant, 0 if
	// there is none, and remembers the one it returns. If change fails, nothing
	// is remembered and its error is returned. For one tenant, change is never
	// called while another call for it runs, in this process or, if the store
	// is shared, in any.
	Update(ctx context.Context, tenant int64, change func(ctx context.Context, last int64) (next int64, err error)) error
}

// MemoryStore is a Store for one process that forgets with it. What is older
// than the last change before a restart may then be applied once more; the
// newest state follows it, because Tenantry sends in order.
type MemoryStore struct {
	mu      sync.Mutex
	tenants map[int64]*remembered
}

type remembered struct {
	turn chan struct{} // holds one value while nobody has the turn
	last int64
}

// NewMemoryStore makes an empty store.
func NewMemoryStore() *MemoryStore { return &MemoryStore{tenants: map[int64]*remembered{}} }

// Update is that of Store.
func (s *MemoryStore) Update(ctx context.Context, tenant int64, change func(context.Context, int64) (int64, error)) error {
	r := s.of(tenant)
	select {
	case <-r.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { r.turn <- struct{}{} }()
	next, err := change(ctx, r.last)
	if err == nil {
		r.last = next
	}
	return err
}

func (s *MemoryStore) of(tenant int64) *remembered {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.tenants[tenant]
	if r == nil {
		r = &remembered{turn: make(chan struct{}, 1)}
		r.turn <- struct{}{}
		s.tenants[tenant] = r
	}
	return r
}
