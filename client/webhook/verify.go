package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// DefaultTolerance is how old a request may be, and how far ahead of the
// receiver's clock.
const DefaultTolerance = 5 * time.Minute

const (
	secretPrefix    = "whsec_"
	signaturePrefix = "v1,"
	// Nobody needs more, and each costs work.
	maxSignatures = 32
)

// Verifier checks that requests come from Tenantry, as Standard Webhooks has it.
// NewHandler does that for you; a Verifier is for those who read the body in
// another way.
type Verifier struct {
	keys      [][]byte
	tolerance time.Duration
	now       func() time.Time
}

// NewVerifier makes a Verifier that accepts what is signed with any of the
// secrets. While a secret is rotated, give it both.
func NewVerifier(secrets ...string) (*Verifier, error) {
	if len(secrets) == 0 {
		return nil, errors.New("webhook: no secret is given; it is the webhookSigningSecret of the platform")
	}
	v := &Verifier{tolerance: DefaultTolerance, now: time.Now}
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil || len(key) == 0 {
			return nil, fmt.Errorf("webhook: secret %d is not %s and a key in base64", i+1, secretPrefix)
		}
		v.keys = append(v.keys, key)
	}
	return v, nil
}

// Errors of Verify.
var (
	ErrMissingHeader = errors.New("webhook: webhook-id, webhook-timestamp or webhook-signature is missing or not in order")
	ErrSignature     = errors.New("webhook: no signature fits; is the secret the one of this platform, and is the body unchanged?")
	ErrTimestamp     = errors.New("webhook: the timestamp is too far from the receiver's clock")
)

// Verify returns the id and the time of a request, or ErrMissingHeader,
// ErrSignature or ErrTimestamp. body is the raw body, not one byte changed.
func (v *Verifier) Verify(header http.Header, body []byte) (id string, at time.Time, err error) {
	id = header.Get("Webhook-Id")
	stamp := header.Get("Webhook-Timestamp")
	signatures := header.Get("Webhook-Signature")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" || signatures == "" {
		return "", time.Time{}, ErrMissingHeader
	}
	if !v.signed(id+"."+stamp+".", body, signatures) {
		return "", time.Time{}, ErrSignature
	}
	at = time.Unix(seconds, 0)
	if age := v.now().Sub(at); age > v.tolerance || age < -v.tolerance {
		return "", time.Time{}, ErrTimestamp
	}
	return id, at, nil
}

// signed compares every signature with that of every key. Versions that are not
// known are passed over.
func (v *Verifier) signed(head string, body []byte, signatures string) bool {
	var given [][]byte
	for _, text := range strings.Fields(signatures) {
		encoded, known := strings.CutPrefix(text, signaturePrefix)
		if !known {
			continue
		}
		if signature, err := base64.StdEncoding.DecodeString(encoded); err == nil && len(given) < maxSignatures {
			given = append(given, signature)
		}
	}
	for _, key := range v.keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(head))
		mac.Write(body)
		sum := mac.Sum(nil)
		for _, signature := range given {
			if hmac.Equal(sum, signature) {
				return true
			}
		}
	}
	return false
}
