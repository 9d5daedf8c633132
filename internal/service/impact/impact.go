package impact

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/subscription"
	"github.com/tenantry/tenantry/internal/service/invoicing"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/service/provisioning"
	"github.com/tenantry/tenantry/internal/store"
)

// Impact is what operations would do.
type Impact struct {
	// Tenants is how many would be told something, and Webhooks how often. An event that
	// is sent again counts as a tenant.
	Tenants  int       `json:"tenants"`
	Features []Feature `json:"features"`
	// Subscriptions is how many would change, or give something else than before.
	Subscriptions int `json:"subscriptions"`
	Webhooks      int `json:"webhooks"`
	// Seconds is about how long it would take to send them.
	Seconds int     `json:"seconds"`
	Money   []Money `json:"money"`
	// Suspended is how many tenants would gain, lose or have something differently if they
	// were not suspended.
	Suspended int `json:"-"`
}

// Feature is what would happen to a feature: how many tenants would gain it, lose it, or
// have another quantity or value of it.
type Feature struct {
	Code   string `json:"code"`
	Name   string `json:"-"`
	Gain   int    `json:"gain"`
	Lose   int    `json:"lose"`
	Change int    `json:"change"`
	// Tenants are the codes of some of them, those with most users first. As data, no more
	// than ten are named.
	Tenants []string `json:"tenants"`
	// Values are what those who gain it or have another quantity or value of it have
	// before and after, most tenants first.
	Values []Values `json:"-"`
}

// MarshalJSON names the first ten tenants.
func (f Feature) MarshalJSON() ([]byte, error) {
	type data Feature
	f.Tenants = append([]string{}, f.Tenants[:min(mostNamed, len(f.Tenants))]...)
	return json.Marshal(data(f))
}

// Values is a quantity or value of a feature before and after, for people: both are empty
// for a feature that is on or off, and Before is for one that is gained.
type Values struct {
	Before, After string
	Tenants       int
}

// Money is what would change in one currency: what recurs, and what would be billed at once,
// or credited if it is less than nothing.
type Money struct {
	Currency string `json:"currency"`
	Recurring
	Now string `json:"now"`
	// Later is what recurs from later days on, in order, as far as that is something else.
	Later []Later `json:"later,omitempty"`
}

// Recurring is how much more recurs, by the month and without tax unless prices include it,
// than it would without the operations.
type Recurring struct {
	PerMonth string `json:"perMonth"`
	// Customers is how many pay more or less by the month, and Accounts are some of them,
	// those with most at stake first.
	Customers int                 `json:"-"`
	Accounts  []billing.AccountID `json:"-"`
}

// Later is what recurs from a day on, because of something that happens then by itself: a
// trial ends, or what is scheduled counts.
type Later struct {
	From billing.Date `json:"from"`
	Recurring
}

// Service finds out what rehearsed operations would do.
type Service struct {
	*operation.Runner
	Invoicing *invoicing.Service
	// Longest is how long a preview may take.
	Longest time.Duration
}

// perSecond is how many webhooks are assumed to be sent in a second: as many as a receiver
// takes that answers within 100 ms, with the requests that are made at once.
const perSecond = 320

// loadBatch is how many tenants are read at a time.
const loadBatch = 500

// Longest is how long a preview may take: on SQLite, everybody who writes waits for it.
const Longest = 15 * time.Second

// ErrTooLong means that a preview took longer than it may.
var ErrTooLong = errors.New("the preview takes too long")

// Foretell returns what do would do. It is called with a context in which operations are
// done as ever, and nothing lasts. It returns ErrTooLong if that takes too long.
func (s *Service) Foretell(ctx context.Context, do func(context.Context) error) (*Impact, error) {
	limited, cancel := context.WithTimeout(ctx, s.Longest)
	defer cancel()
	found, err := s.ForetellAtLength(limited, do)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return nil, errors.Join(ErrTooLong, err)
	}
	return found, err
}

// ForetellAtLength is Foretell for as long as it takes, where nobody waits for it.
func (s *Service) ForetellAtLength(ctx context.Context, do func(context.Context) error) (found *Impact, err error) {
	var m *sums
	err = s.Rehearse(ctx, func(ctx context.Context, effects *operation.Effects) (err error) {
		if err = do(ctx); err != nil {
			return err
		}
		if found, err = s.reach(ctx, effects); err == nil {
			m, err = s.money(ctx, effects)
		}
		return err
	})
	if err == nil {
		err = s.without(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	found.Money, err = m.list()
	return found, err
}

// reach returns whom the operations reach that were rehearsed in this context.
func (s *Service) reach(ctx context.Context, effects *operation.Effects) (*Impact, error) {
	c := newCount()
	subscriptions := map[billing.SubscriptionID]bool{}
	for _, id := range effects.Subscriptions {
		subscriptions[id] = true
	}
	c.others, c.webhooks = effects.Resends, effects.Resends
	if err := s.countTold(ctx, c, effects.Planned, len(effects.Jobs) > 0); err != nil {
		return nil, err
	}
	if err := s.countFanOuts(ctx, c, effects.Jobs, subscriptions); err != nil {
		return nil, err
	}
	return &Impact{
		Tenants: len(c.tenants) + c.others, Features: c.features(), Subscriptions: len(subscriptions) + c.otherSubscriptions, Webhooks: c.webhooks,
		Seconds: (c.webhooks + perSecond - 1) / perSecond, Suspended: c.suspended,
	}, nil
}

// countTold compares the tenants that would be told something themselves. More says that
// something may follow, so that what they were told is not what they have in the end.
func (s *Service) countTold(ctx context.Context, c *count, planned []operation.Planned, more bool) error {
	c.webhooks += len(planned)
	var ids []billing.TenantID
	after := map[billing.TenantID][]subscription.ProvisionedFeature{}
	for n := range planned {
		id := planned[n].Tenant.ID
		if !c.tenants[id] {
			c.tenants[id], ids = true, append(ids, id)
		}
		after[id] = planned[n].Features
	}
	if more {
		after = nil
	}
	for some := range slices.Chunk(ids, loadBatch) {
		states, err := s.compared(ctx, some, after)
		if err != nil {
			return err
		}
		if len(some) > 1 {
			rows, err := store.Tenants.ByIDs(ctx, s.Read(), some)
			if err != nil {
				return err
			}
			for n := range rows {
				if h := states[rows[n].ID]; h != nil {
					h.users = valueOf(rows[n].UserCount)
				}
			}
		}
		for _, h := range states {
			c.add(h)
		}
	}
	return nil
}

// compared returns what tenants have before and after. What they have after is read unless
// it is known.
func (s *Service) compared(ctx context.Context, ids []billing.TenantID, after map[billing.TenantID][]subscription.ProvisionedFeature) (map[billing.TenantID]*had, error) {
	states := make(map[billing.TenantID]*had, len(ids))
	of := func(t *billing.Tenant) *had {
		if states[t.ID] == nil {
			states[t.ID] = &had{tenant: tenant{code: t.Code}}
		}
		return states[t.ID]
	}
	before, err := provisioning.LoadStates(store.WithoutRehearsal(ctx), s.Store.Committed(), ids, nil)
	if err != nil {
		return nil, err
	}
	for _, state := range before {
		h := of(&state.Tenant)
		h.before, h.after = state.Features(), after[state.Tenant.ID]
	}
	if after != nil && len(before) == len(ids) {
		return states, nil
	}
	then, err := provisioning.LoadStates(ctx, s.Store.Snapshot(), ids, nil)
	for _, state := range then {
		of(&state.Tenant).after = state.Features()
	}
	return states, err
}

func valueOf(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
