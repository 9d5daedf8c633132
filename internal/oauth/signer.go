package oauth

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// tokenType is the header typ of access tokens (RFC 9068).
const tokenType = "at+jwt"

// signer writes access tokens. Their form never varies, so they are put
// together by hand: next to the signature itself the rest takes no time.
type signer struct {
	keys   *keyring
	issuer []byte // the claims that are the same in all tokens, as JSON
}

func newSigner(url string, keys *keyring) *signer {
	quoted, _ := json.Marshal(url) // a string always marshals
	return &signer{keys: keys, issuer: fmt.Appendf(nil, `{"iss":%s,"aud":%s,`, quoted, quoted)}
}

// sign returns a token for a client that is good for some seconds from now on.
// scope must be of scopes that exist.
func (s *signer) sign(c *client, scope string, now time.Time, seconds int64) (string, error) {
	key := s.keys.signing(now)
	if key == nil {
		return "", errors.New("there is no signing key")
	}
	var space [512]byte
	claims := s.claims(space[:0], c, scope, now.Unix(), seconds)

	encode := base64.RawURLEncoding
	token := make([]byte, 0, len(key.header)+encode.EncodedLen(len(claims))+1+encode.EncodedLen(64))
	token = append(token, key.header...)
	token = encode.AppendEncode(token, claims)
	sum := sha256.Sum256(token)
	r, sig, err := ecdsa.Sign(rand.Reader, key.private, sum[:])
	if err != nil {
		return "", fmt.Errorf("cannot sign with key %s: %w", key.id, err)
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	sig.FillBytes(signature[32:])
	token = append(token, '.')
	return string(encode.AppendEncode(token, signature[:])), nil
}

func (s *signer) claims(b []byte, c *client, scope string, now, seconds int64) []byte {
	b = append(b, s.issuer...)
	b = append(b, c.claims...)
	b = append(b, `,"iat":`...)
	b = strconv.AppendInt(b, now, 10)
	b = append(b, `,"exp":`...)
	b = strconv.AppendInt(b, now+seconds, 10)
	b = append(b, `,"jti":"`...)
	b = appendTokenID(b, c.Generation)
	b = append(b, `","scope":"`...)
	b = append(b, scope...)
	return append(b, `"}`...)
}

// appendTokenID writes the id of a token: the generation of the client's
// tokens it belongs to, a dot, and 128 random bits.
func appendTokenID(b []byte, generation int64) []byte {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	b = strconv.AppendInt(b, generation, 10)
	b = append(b, '.')
	return base64.RawURLEncoding.AppendEncode(b, random[:])
}
