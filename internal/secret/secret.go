// Package secret generates secrets and protects those that are stored.
//
// A secret that is only compared (an API client's) is stored as a hash. One that
// must be read back (signing keys, webhook secrets) is encrypted with a key that is
// not in the database.
package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Random returns a new secret of 256 random bits in the alphabet [A-Za-z0-9_-].
func Random() string { return RandomText(32) }

// RandomText returns n random bytes in the alphabet [A-Za-z0-9_-].
func RandomText(n int) string {
	bytes := make([]byte, n)
	_, _ = rand.Read(bytes) // never fails
	return base64.RawURLEncoding.EncodeToString(bytes)
}

// RandomID returns 128 random bits in the alphabet [A-Za-z0-9_-], and does not
// begin with a hyphen: on a command line that would look like a flag.
func RandomID() string {
	for {
		if id := RandomText(16); id[0] != '-' {
			return id
		}
	}
}

// RandomBytes returns n random bytes.
func RandomBytes(n int) []byte {
	bytes := make([]byte, n)
	_, _ = rand.Read(bytes) // never fails
	return bytes
}

// Hash is what is kept of a secret with enough randomness: its SHA-256. A slow
// hash protects passwords; here it would only cost time.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Matches reports, in a time that tells nothing, whether secret has that hash.
func Matches(secret, hash string) bool {
	return hash != "" && subtle.ConstantTimeCompare([]byte(Hash(secret)), []byte(hash)) == 1
}

// Box seals and opens values under one key.
type Box struct {
	aead        cipher.AEAD
	signing     []byte
	fingerprint string
}

// MinKey is how many characters a key must have at least.
const MinKey = 16

// NewBox makes a box from the operator's key, a text of MinKey characters or
// more.
func NewBox(key string) (*Box, error) {
	key = strings.TrimSpace(key)
	if len(key) < MinKey {
		return nil, fmt.Errorf("the secret key is too short: use %d random characters or more", MinKey)
	}
	encryption, err := hkdf.Key(sha256.New, []byte(key), nil, "tenantry encryption v1", 32)
	if err != nil {
		return nil, err
	}
	fingerprint, err := hkdf.Key(sha256.New, []byte(key), nil, "tenantry fingerprint v1", 16)
	if err != nil {
		return nil, err
	}
	signing, err := hkdf.Key(sha256.New, []byte(key), nil, "tenantry signing v1", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(encryption)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Box{aead: aead, signing: signing, fingerprint: hex.EncodeToString(fingerprint)}, nil
}

// Fingerprint tells keys apart and gives nothing away.
func (b *Box) Fingerprint() string { return b.fingerprint }

// Sign returns a signature of a text for a purpose, which only who has the key can
// make.
func (b *Box) Sign(purpose, text string) string {
	mac := hmac.New(sha256.New, b.signing)
	fmt.Fprintf(mac, "%s\x00%s", purpose, text)
	return hex.EncodeToString(mac.Sum(nil))
}

// Signed reports, in a time that tells nothing, whether a signature is that of a
// text for a purpose.
func (b *Box) Signed(purpose, text, signature string) bool {
	return hmac.Equal([]byte(b.Sign(purpose, text)), []byte(signature))
}

const sealVersion = "v1."

// Seal encrypts a value. purpose is bound to it: a value sealed for one place
// does not open in another.
func (b *Box) Seal(purpose string, value []byte) string {
	sealed := b.aead.Seal(nil, nil, value, []byte(purpose))
	return sealVersion + base64.RawStdEncoding.EncodeToString(sealed)
}

// ErrSealed means that a value does not open: another key, another purpose, or
// it was changed.
var ErrSealed = errors.New("a sealed value does not open with this secret key")

// Open decrypts a value that was sealed for the same purpose.
func (b *Box) Open(purpose, sealed string) ([]byte, error) {
	text, ok := strings.CutPrefix(sealed, sealVersion)
	if !ok {
		return nil, ErrSealed
	}
	bytes, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil, ErrSealed
	}
	value, err := b.aead.Open(nil, nil, bytes, []byte(purpose))
	if err != nil {
		return nil, ErrSealed
	}
	return value, nil
}

// KeyFile returns the key in a file that only its owner can read, making one
// if there is none; made says so.
func KeyFile(path string) (key string, made bool, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		return string(text), false, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", false, fmt.Errorf("cannot read the key file: %w", err)
	}
	key = Random()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return KeyFile(path) // another process was first
	}
	if err != nil {
		return "", false, fmt.Errorf("cannot write the key file: %w", err)
	}
	if _, err = f.WriteString(key + "\n"); err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return key, true, err
}
