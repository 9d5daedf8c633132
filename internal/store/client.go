package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/column"
)

// Clients keeps billing.Client. A deleted client stays, marked, so that other
// replicas learn that its tokens are over.
var Clients = newTable(Table[billing.Client, billing.ClientID]{
	name:      "api_client",
	id:        func(c *billing.Client) *billing.ClientID { return &c.ID },
	described: billing.ClientFields,
	columns:   []string{"client_id", "scopes", "secret_hash", "old_secret_hash", "old_secret_until", "generation", "deleted", "last_used_at", "version"},
	fields: func(c *billing.Client) []any {
		return []any{
			&c.ClientID, column.JSON(&c.Scopes), &c.SecretHash, &c.OldSecretHash, column.OptionalMillis(&c.OldSecretUntil),
			&c.Generation, &c.Deleted, column.OptionalMillis(&c.LastUsedAt), &c.Version,
		}
	},
	stamps: func(c *billing.Client) (*time.Time, *time.Time) { return &c.CreatedAt, &c.UpdatedAt },
	words:  func(c *billing.Client) []string { return []string{c.Name, c.ClientID} },
	filters: map[string]field{
		"clientId": {"client_id", exact, nil}, "lastUsed": {"last_used_at", moment, nil},
	},
	hide: "NOT api_client.deleted",
})

// InsertClient adds a client as the newest change of all clients.
func InsertClient(ctx context.Context, tx *Tx, c *billing.Client) (err error) {
	if c.Version, err = next(ctx, tx, "api_client"); err != nil {
		return err
	}
	return Clients.Insert(ctx, tx, c)
}

// UpdateClient writes a client as the newest change of all clients.
func UpdateClient(ctx context.Context, tx *Tx, c *billing.Client) (err error) {
	if c.Version, err = next(ctx, tx, "api_client"); err != nil {
		return err
	}
	return Clients.Update(ctx, tx, c)
}

// ClientByClientID returns the client with that public id, or nil; deleted
// ones too.
func ClientByClientID(ctx context.Context, q Queries, id string) (*billing.Client, error) {
	return Clients.by(ctx, q, "client_id", id)
}

// ClientsSince returns the clients that changed after a version, deleted ones
// included, in the order of their changes. Versions are given out in the order
// of commits, so nobody who remembers the last one misses a change.
func ClientsSince(ctx context.Context, q Queries, version int64) ([]billing.Client, error) {
	columns, scan := Clients.Projection(nil)
	return Clients.rows(ctx, q, `SELECT `+columns+` FROM api_client WHERE version > $1 ORDER BY version`, []any{version}, 0, scan)
}

// CountClients returns how many clients there ever were.
func CountClients(ctx context.Context, q Queries) (int, error) {
	return q.Number(ctx, `SELECT count(*) FROM api_client`)
}

// MarkClientsUsed records when clients were last used. It is no change of a
// client: versions stay.
func MarkClientsUsed(ctx context.Context, tx *Tx, used map[billing.ClientID]time.Time) error {
	const text = `UPDATE api_client SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)`
	// In one order, so that two replicas that do this cannot block each other.
	for _, id := range slices.Sorted(maps.Keys(used)) {
		if _, err := tx.Exec(ctx, text, used[id].UnixMilli(), int64(id)); err != nil {
			return err
		}
	}
	return nil
}

// ForgetDeletedClients removes the marks of clients deleted before a time.
func ForgetDeletedClients(ctx context.Context, tx *Tx, before time.Time) (int64, error) {
	return tx.Exec(ctx, `DELETE FROM api_client WHERE deleted AND updated_at < $1`, before.UnixMilli())
}

// SigningKey is a key that signs access tokens. Sealed is its private part,
// encrypted.
type SigningKey struct {
	ID         string
	Sealed     string
	CreatedAt  time.Time
	ActiveFrom time.Time
	RetiresAt  *time.Time
}

// SigningKeys returns all keys, oldest first.
func SigningKeys(ctx context.Context, q Queries) ([]SigningKey, error) {
	const text = `SELECT kid, sealed, created_at, active_from, retires_at FROM signing_key ORDER BY active_from, created_at, kid`
	var keys []SigningKey
	err := q.Each(ctx, text, nil, func(rows scanner) error {
		var k SigningKey
		err := rows.Scan(&k.ID, &k.Sealed, column.Millis(&k.CreatedAt), column.Millis(&k.ActiveFrom), column.OptionalMillis(&k.RetiresAt))
		keys = append(keys, k)
		return err
	})
	return keys, err
}

// LockSigningKeys lets one transaction at a time change the keys.
func LockSigningKeys(ctx context.Context, tx *Tx) error {
	_, err := next(ctx, tx, "signing_key")
	return err
}

// InsertSigningKey adds a key.
func InsertSigningKey(ctx context.Context, tx *Tx, k SigningKey) error {
	_, err := tx.Exec(ctx, `INSERT INTO signing_key (kid, sealed, created_at, active_from, retires_at) VALUES ($1, $2, $3, $4, $5)`,
		k.ID, k.Sealed, k.CreatedAt.UnixMilli(), k.ActiveFrom.UnixMilli(), column.OptionalMillis(&k.RetiresAt))
	return err
}

// RetireSigningKey says when a key is no longer needed.
func RetireSigningKey(ctx context.Context, tx *Tx, id string, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE signing_key SET retires_at = $1 WHERE kid = $2`, at.UnixMilli(), id)
	return err
}

// DeleteRetiredKeys removes the keys that nobody needs any more.
func DeleteRetiredKeys(ctx context.Context, tx *Tx, now time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM signing_key WHERE retires_at <= $1`, now.UnixMilli())
	return err
}
