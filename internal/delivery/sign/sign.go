// Package sign computes the signatures of webhooks: the one specified by Standard
// Webhooks, which every request carries, and the plain one that some receivers
// expect.
//
// It is pure. Storing secrets and deciding which of them are valid is done
// elsewhere.
package sign

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/secret"
)

const (
	prefix = "whsec_"
	// The specification wants a key of 24 to 64 bytes.
	minKey, newKey, maxKey = 24, 32, 64
)

// New makes a secret in the form that receivers are given.
func New() string {
	return prefix + base64.StdEncoding.EncodeToString(secret.RandomBytes(newKey))
}

// Parse returns the key in a secret. Its error never shows the secret.
func Parse(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return nil, fmt.Errorf("a webhook secret starts with %s", prefix)
	}
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || strings.ContainsAny(encoded, "\r\n") {
		return nil, fmt.Errorf("a webhook secret is %s and %d to %d bytes in base64", prefix, minKey, maxKey)
	}
	if len(key) < minKey || len(key) > maxKey {
		return nil, fmt.Errorf("the key in a webhook secret has %d to %d bytes, not %d", minKey, maxKey, len(key))
	}
	return key, nil
}

// Header is the value of webhook-signature: one signature for each key, in the
// order given. While a secret rotates there are two, the newest first, and a
// receiver accepts the request if it knows one of them.
func Header(id string, at time.Time, body []byte, keys ...[]byte) string {
	const version = "v1,"
	one := len(version) + base64.StdEncoding.EncodedLen(sha256.Size)
	text := make([]byte, 0, len(keys)*(one+1))
	head := make([]byte, 0, len(id)+22)
	head = append(append(head, id...), '.')
	head = append(strconv.AppendInt(head, at.Unix(), 10), '.')
	var sum [sha256.Size]byte
	for i, key := range keys {
		if i > 0 {
			text = append(text, ' ')
		}
		mac := hmac.New(sha256.New, key)
		mac.Write(head)
		mac.Write(body)
		text = base64.StdEncoding.AppendEncode(append(text, version...), mac.Sum(sum[:0]))
	}
	return string(text)
}

// Plain is the HMAC of the body in lower-case hex. algorithm is sha1 or sha256,
// in any case.
func Plain(algorithm string, key, body []byte) (string, error) {
	var function func() hash.Hash
	switch strings.ToLower(algorithm) {
	case "sha1":
		function = sha1.New
	case "sha256":
		function = sha256.New
	default:
		return "", fmt.Errorf("a plain signature is made with sha1 or sha256, not with %q", algorithm)
	}
	mac := hmac.New(function, key)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil)), nil
}
