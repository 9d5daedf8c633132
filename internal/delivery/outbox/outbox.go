package outbox

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store"
	"github.com/tenantry/tenantry/internal/store/db"
)

// Sender is who sends webhooks in this process. None of its methods may block.
type Sender interface {
	// Offer returns a lease for a stream of a platform, if the sender is ready to
	// send what is recorded there as soon as it is committed.
	Offer(billing.PlatformID) (Lease, bool)
	// Withdraw hears that a lease is not used: something else waits in the stream,
	// or the transaction was not committed.
	Withdraw(Lease)
	// Queued hears what was committed.
	Queued(*Commit)
}

// Lease makes a stream the sender's, for a request with that id, until a time. The
// sender knows the platform's route of that version.
type Lease struct {
	Attempt billing.AttemptID
	Until   time.Time
	Version int64
	// Holder is the process, if it can prove that it lives.
	Holder int64
	// From is the sender's own.
	From any
}

// Taken is a new event whose stream was leased to the sender when it was recorded.
type Taken struct {
	Lease
	*Queued
	Platform billing.PlatformID
	// Current says that the route had that version still. It is false too if
	// nobody knows whether the transaction was committed.
	Current bool
}

// Commit is what a transaction left for the sender: how many events are new,
// those it has, and the platforms on which there is more to look for.
type Commit struct {
	Events    int
	Taken     []*Taken
	Platforms []billing.PlatformID
}

// SetSender says who sends the webhooks of this process from now on; nil if nobody
// does. From then on, each transaction that writes has an outbox.
func SetSender(s *store.Store, sender Sender) {
	if sender == nil {
		s.OnBegin(nil)
		return
	}
	platforms := &platformCache{}
	s.OnBegin(func(tx *store.Tx) {
		o := &outbox{sender: sender, platformCache: platforms}
		tx.Attach(o)
		tx.OnEnd(o.end)
	})
}

// outbox is what a transaction has to be sent.
type outbox struct {
	sender        Sender
	platformCache *platformCache
	events        int
	asked         int // for how many leases
	taken         []*Taken
	// waiting is how many things there are to look for on each platform.
	waiting map[billing.PlatformID]int
}

// queued notes that there will be something to send once this is committed.
func (o *outbox) queued(platform billing.PlatformID, events int) {
	o.events += events
	if o.waiting == nil {
		o.waiting = make(map[billing.PlatformID]int, 1)
	}
	o.waiting[platform]++
}

// manyOffers is how many leases a transaction asks for. One that tells many
// tenants something has no use for more: those are found and sent together.
const manyOffers = 4

// offer asks the sender for a lease of a tenant's stream; it is nil if there is
// none to have.
func (o *outbox) offer(ctx context.Context, q store.Queries, tenant billing.TenantID) (*Taken, error) {
	if o.sender == nil || o.asked == manyOffers {
		return nil, nil
	}
	o.asked++
	platform, err := o.platformCache.of(ctx, q, tenant)
	if err != nil || platform == 0 {
		return nil, err
	}
	lease, ready := o.sender.Offer(platform)
	if !ready {
		return nil, nil
	}
	t := &Taken{Lease: lease, Platform: platform}
	o.taken = append(o.taken, t)
	return t, nil
}

// withdraw gives back a lease that was offered.
func (o *outbox) withdraw(t *Taken) {
	o.sender.Withdraw(t.Lease)
	o.taken = slices.DeleteFunc(o.taken, func(other *Taken) bool { return other == t })
}

// outboxOf is what a transaction has to be sent; of no consequence if nobody sends.
func outboxOf(tx *store.Tx) *outbox {
	if o, has := db.Attached[*outbox](tx.Queries); has {
		return o
	}
	return &outbox{}
}

// end tells the sender what has become of the transaction.
func (o *outbox) end(outcome db.Outcome) {
	switch outcome {
	case db.Committed:
		o.committed()
	case db.RolledBack:
		o.rolledBack()
	case db.InDoubt:
		o.inDoubt()
	}
}

// rolledBack ends a transaction that is not committed.
func (o *outbox) rolledBack() {
	for _, t := range o.taken {
		o.sender.Withdraw(t.Lease)
	}
	o.taken = nil
}

// inDoubt ends a transaction of which nobody knows whether it is committed. The
// sender finds out what has become of the streams.
func (o *outbox) inDoubt() {
	var leased []*Taken
	for _, t := range o.taken {
		if t.Queued == nil {
			o.sender.Withdraw(t.Lease)
			continue
		}
		t.Current = false
		leased = append(leased, t)
	}
	o.taken = nil
	if len(leased) > 0 {
		o.sender.Queued(&Commit{Taken: leased})
	}
}

// committed tells the sender what there is to send.
func (o *outbox) committed() {
	c := &Commit{Events: o.events}
	for _, t := range o.taken {
		if t.Queued == nil { // the sequence number was not used
			o.sender.Withdraw(t.Lease)
			continue
		}
		c.Taken = append(c.Taken, t)
		o.waiting[t.Platform]--
	}
	for id, n := range o.waiting {
		if n > 0 {
			c.Platforms = append(c.Platforms, id)
		}
	}
	if len(o.waiting) > 0 {
		slices.Sort(c.Platforms)
		o.sender.Queued(c)
	}
}

// maxCachedPlatforms is how many tenants the cache holds.
const maxCachedPlatforms = 100_000

// platformCache remembers the platforms of tenants, which never change. An id may be
// given to another tenant, though, if the transaction of the first is taken back:
// who goes by this looks at the platform too.
type platformCache struct {
	mu    sync.Mutex
	known map[billing.TenantID]billing.PlatformID
}

// of returns the platform of a tenant, 0 if there is no such tenant.
func (c *platformCache) of(ctx context.Context, q store.Queries, tenant billing.TenantID) (platform billing.PlatformID, err error) {
	c.mu.Lock()
	platform = c.known[tenant]
	c.mu.Unlock()
	if platform != 0 {
		return platform, nil
	}
	found, err := q.One(ctx, `SELECT platform_id FROM tenant WHERE id = $1`, []any{int64(tenant)}, &platform)
	if err != nil || !found {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxCachedPlatforms {
		c.known = make(map[billing.TenantID]billing.PlatformID)
	}
	c.known[tenant] = platform
	return platform, nil
}
