package oauth

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tenantry/tenantry/internal/admission"
	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// keyring is the signing keys of the database, in memory.
type keyring struct {
	mirror
	store *store.Store
	box   *secret.Box
	now   func() time.Time
	known atomic.Pointer[keySet]
}

// keySet is the keys at one time. It is never changed.
type keySet struct {
	rows   []store.SigningKey
	keys   []*signingKey // by activeFrom
	byID   map[string]*signingKey
	public []byte // the answer of /oauth/jwks
}

func newKeyring(st *store.Store, box *secret.Box, now func() time.Time, elapsed func() time.Duration, log *slog.Logger) *keyring {
	k := &keyring{store: st, box: box, now: now}
	k.known.Store(&keySet{})
	k.mirror = mirror{
		what: "signing keys", load: k.load, elapsed: elapsed, log: log,
		// Keys are published long before they sign: a token of an unknown one
		// is nearly always forged.
		second: admission.Bucket{Pace: admission.Pace{Interval: time.Second, Burst: 5}},
	}
	return k
}

// prepare loads the keys and sees to it that there is one to sign with.
func (k *keyring) prepare(ctx context.Context) error {
	if err := k.refresh(ctx); err != nil {
		return err
	}
	return k.tend(ctx)
}

// signing returns the key that signs at a time: the one that became active
// last. Where none is active yet, because the clock of the replica that made
// the first key is ahead, it is the first. It is nil if there are no keys.
func (k *keyring) signing(now time.Time) *signingKey {
	keys := k.known.Load().keys
	for _, key := range slices.Backward(keys) {
		if !key.activeFrom.After(now) {
			return key
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return keys[0]
}

// find returns the key with that id, or nil.
func (k *keyring) find(id string) *signingKey { return k.known.Load().byID[id] }

func (k *keyring) load(ctx context.Context, _ time.Duration) error {
	rows, err := store.SigningKeys(ctx, k.store.Queries())
	if err != nil {
		return err
	}
	set := &keySet{byID: make(map[string]*signingKey, len(rows))}
	set.rows = rows
	published := []publicKey{} // [] rather than null
	before := k.known.Load()
	for _, row := range rows {
		key := before.byID[row.ID]
		if key == nil {
			if key, err = openKey(k.box, row); err != nil {
				return err
			}
		}
		set.keys = append(set.keys, key)
		set.byID[row.ID] = key
		published = append(published, key.public)
	}
	if set.public, err = json.Marshal(map[string]any{"keys": published}); err != nil {
		return err
	}
	k.known.Store(set)
	return nil
}
