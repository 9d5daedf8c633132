package access

import (
	"context"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// SourceLife is how long a source is known after somebody signed in from it.
const SourceLife = 90 * 24 * time.Hour

// SignInSource is where somebody signs in from. Attempts from a source that is known to
// the user are counted apart from those of everybody else.
type SignInSource struct {
	// Network is the caller's address, as attempts are counted.
	Network string
	// Shared says that it is the address of a proxy, which may stand for anybody:
	// nobody is known by it.
	Shared bool
	// Device is what a cookie of the browser says, empty if there is none.
	Device string
	// Known says what of it is known to the user; see Recognize.
	Known Acquaintance
}

// Acquaintance is how well a source is known.
type Acquaintance int

// A browser that signed in before is the user's own; an address may be shared.
const (
	Stranger Acquaintance = iota
	KnownNetwork
	KnownDevice
)

func (p SignInSource) network() string { return "network " + p.Network }
func (p SignInSource) device() string  { return "device " + hashOf(p.Device) }

// Recognize finds out whether a user has signed in from that source before. It
// does the same work for a user that does not exist.
func (s *Service) Recognize(ctx context.Context, email string, at SignInSource) (SignInSource, error) {
	u, err := store.UserByEmail(ctx, s.Read(), email)
	if err != nil {
		return at, err
	}
	var id billing.UserID
	if u != nil {
		id = u.ID
	}
	sources, err := store.KnownSources(ctx, s.Read(), id, at.network(), at.device())
	switch {
	case at.Device != "" && slices.Contains(sources, at.device()):
		at.Known = KnownDevice
	case !at.Shared && slices.Contains(sources, at.network()):
		at.Known = KnownNetwork
	}
	return at, err
}

// matches tries a password in the queue that is for the source.
func (p SignInSource) matches(ctx context.Context, password, hash string) (bool, error) {
	if p.Known == Stranger {
		return secret.StrangerMatches(ctx, password, hash)
	}
	return secret.PasswordMatches(password, hash), nil
}

// remember records that a user has signed in from the source.
func (p SignInSource) remember(ctx context.Context, tx *store.Tx, u billing.UserID) error {
	if p.Device != "" {
		if err := store.RememberSource(ctx, tx, u, p.device()); err != nil {
			return err
		}
	}
	if p.Network == "" || p.Shared {
		return nil
	}
	return store.RememberSource(ctx, tx, u, p.network())
}
