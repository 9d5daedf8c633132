package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/tenantry/tenantry/internal/secret"
	"github.com/tenantry/tenantry/internal/store"
)

// keyPurpose is bound to sealed signing keys.
const keyPurpose = "signing key"

// errWrongSecretKey is what an operator reads who started with another secret
// key than before.
var errWrongSecretKey = errors.New("the secret key is wrong: a signing key in the database was sealed with another one; " +
	"start with the secret key (TENANTRY_SECRET_KEY or the key file) that this database was used with before")

// signingKey is a key in use. It is never changed.
type signingKey struct {
	id         string
	private    *ecdsa.PrivateKey
	activeFrom time.Time
	header     []byte // the first part of every token it signs, with its dot
	public     publicKey
}

// publicKey is a key as it is published (RFC 7517).
type publicKey struct {
	Type  string `json:"kty"`
	Use   string `json:"use"`
	Alg   string `json:"alg"`
	ID    string `json:"kid"`
	Curve string `json:"crv"`
	X     string `json:"x"`
	Y     string `json:"y"`
}

// makeKey returns a new key for the database.
func makeKey(box *secret.Box, now, activeFrom time.Time) (store.SigningKey, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return store.SigningKey{}, err
	}
	public, err := publish(private)
	if err != nil {
		return store.SigningKey{}, err
	}
	scalar, err := private.Bytes()
	if err != nil {
		return store.SigningKey{}, err
	}
	return store.SigningKey{ID: public.ID, Sealed: box.Seal(keyPurpose, scalar), CreatedAt: now, ActiveFrom: activeFrom}, nil
}

// openKey returns a key of the database, ready for use.
func openKey(box *secret.Box, row store.SigningKey) (*signingKey, error) {
	scalar, err := box.Open(keyPurpose, row.Sealed)
	if err != nil {
		return nil, errWrongSecretKey
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), scalar)
	if err != nil {
		return nil, fmt.Errorf("signing key %s: %w", row.ID, err)
	}
	public, err := publish(private)
	if err != nil {
		return nil, err
	}
	public.ID = row.ID
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"` + tokenType + `","alg":"ES256","kid":"` + row.ID + `"}`))
	return &signingKey{
		id: row.ID, private: private, activeFrom: row.ActiveFrom,
		header: []byte(header + "."), public: public,
	}, nil
}

// CheckSigningKey reports why a key of the database cannot be used, nil if it
// can.
func CheckSigningKey(box *secret.Box, row store.SigningKey) error {
	_, err := openKey(box, row)
	return err
}

// publish returns the public part of a key. Its id is the key's thumbprint
// (RFC 7638).
func publish(private *ecdsa.PrivateKey) (publicKey, error) {
	point, err := private.PublicKey.Bytes() // 4, then x and y of 32 bytes each
	if err != nil {
		return publicKey{}, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	k := publicKey{Type: "EC", Use: "sig", Alg: "ES256", Curve: "P-256", X: encode(point[1:33]), Y: encode(point[33:65])}
	sum := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + k.X + `","y":"` + k.Y + `"}`))
	k.ID = encode(sum[:])
	return k, nil
}
