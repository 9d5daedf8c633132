package oauth

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

const (
	// clientsAge is how old the knowledge of clients may be: well below the
	// second within which a deleted client is refused everywhere.
	clientsAge = 500 * time.Millisecond
	// deletedAfter is when the mark of a deleted client goes: when its last
	// token has expired. Until then nobody can make a client of the same id,
	// for which those tokens would be good.
	deletedAfter = billing.MaxTokenSeconds*time.Second + 24*time.Hour
	// wholeAfter is when a server that was idle reads all clients anew: before
	// the mark of a deletion that it did not see can be gone.
	wholeAfter = 24 * time.Hour
)

// directory is the API clients that exist, in memory.
type directory struct {
	mirror
	store *store.Store

	version int64 // of the newest change that is known; guarded by the mirror

	mu      sync.RWMutex
	clients map[string]*client
}

// client is an API client as the token endpoint needs it. It is never changed.
type client struct {
	billing.Client
	claims []byte // the claims that are the same in all its tokens, as JSON
}

func newDirectory(st *store.Store, elapsed func() time.Duration, log *slog.Logger) *directory {
	d := &directory{store: st, clients: map[string]*client{}}
	d.mirror = mirror{
		what: "API clients", load: d.load, elapsed: elapsed, log: log,
		second: admission.Bucket{Pace: admission.Pace{Interval: 50 * time.Millisecond, Burst: 20}},
	}
	return d
}

// find returns the client with that public id, nil if there is none or it was
// deleted.
func (d *directory) find(clientID string) *client {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.clients[clientID]
}

func (d *directory) load(ctx context.Context, age time.Duration) error {
	since, whole := d.version, age > wholeAfter
	if whole {
		since = 0
	}
	rows, err := store.ClientsSince(ctx, d.store.Queries(), since)
	if err != nil {
		return err
	}
	if len(rows) == 0 && !whole {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if whole {
		d.clients = make(map[string]*client, len(rows))
	}
	for _, row := range rows {
		d.version = row.Version
		if row.Deleted {
			delete(d.clients, row.ClientID)
		} else {
			d.clients[row.ClientID] = newClient(row)
		}
	}
	return nil
}

func newClient(row billing.Client) *client {
	id, _ := json.Marshal(row.ClientID) // a string always marshals
	claims := append([]byte(`"sub":`), id...)
	claims = append(claims, `,"client_id":`...)
	return &client{Client: row, claims: append(claims, id...)}
}

// unknown takes the place of a client that does not exist, so that the answer
// takes as long.
var unknown = client{Client: billing.Client{SecretHash: secret.Hash(secret.Random())}}

// accepts reports whether a secret is the client's.
func (c *client) accepts(given string, now time.Time) bool {
	current := secret.Matches(given, c.SecretHash)
	old := secret.Matches(given, c.OldSecretHash)
	return current || old && c.OldSecretUntil != nil && now.Before(*c.OldSecretUntil)
}
