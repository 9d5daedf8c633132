package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/tenantry/tenantry/internal/billing"
)

// verifier tells whether a token is one of ours, and what it says.
type verifier struct {
	keys       *keyring
	now        func() time.Time
	parser     *jwt.Parser
	remembered remembered
}

// grant is what a good token says. It is never changed.
type grant struct {
	clientID   string
	generation int64
	scopes     []string
	issued     time.Time
	expires    time.Time
}

// refusedAt returns why what was good once is not at a time, nil if it is.
func (g *grant) refusedAt(now time.Time) *refusal {
	switch {
	case !now.Before(g.expires):
		return tokenExpired
	case g.issued.After(now.Add(billing.MaxAhead)): // the clock was wrong then
		return tokenInvalid
	}
	return nil
}

type claims struct {
	jwt.RegisteredClaims
	ClientID string `json:"client_id"`
	Scope    string `json:"scope"`

	generation int64 // from the token's id
}

var (
	errUnknownKey = errors.New("the token is signed with a key that is not known")
	errForeign    = errors.New("the token is not an access token of this service")
)

func newVerifier(url string, now func() time.Time, keys *keyring) *verifier {
	return &verifier{keys: keys, now: now, parser: jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodES256.Alg()}),
		jwt.WithIssuer(url), jwt.WithAudience(url), jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(now), jwt.WithStrictDecoding(),
	)}
}

// verify returns what a token says. known says that it was verified before.
// It does not look at the client.
func (v *verifier) verify(ctx context.Context, token string) (g *grant, known bool, no *refusal) {
	// The hash, so that nobody finds tokens in memory.
	sum := sha256.Sum256([]byte(token))
	if g = v.remembered.find(sum); g != nil {
		if no := g.refusedAt(v.now()); no != nil {
			return nil, true, no
		}
		return g, true, nil
	}
	g, err := v.parse(token)
	if errors.Is(err, errUnknownKey) {
		looked, lookErr := v.keys.secondLook(ctx)
		if lookErr != nil {
			return nil, false, tokenUnavailable
		}
		if looked {
			g, err = v.parse(token)
		}
	}
	switch {
	case err == nil:
		if no := g.refusedAt(v.now()); no != nil {
			return nil, false, no
		}
		v.remembered.add(sum, g)
		return g, false, nil
	case isExpired(err):
		return nil, false, tokenExpired
	}
	return nil, false, tokenInvalid
}

// isExpired reports whether a token was good once: nothing is wrong with it
// but its age.
func isExpired(err error) bool {
	return errors.Is(err, jwt.ErrTokenExpired) &&
		!errors.Is(err, jwt.ErrTokenInvalidIssuer) && !errors.Is(err, jwt.ErrTokenInvalidAudience) &&
		!errors.Is(err, jwt.ErrTokenRequiredClaimMissing) && !errors.Is(err, errForeign)
}

func (v *verifier) parse(token string) (*grant, error) {
	var c claims
	if _, err := v.parser.ParseWithClaims(token, &c, v.key); err != nil {
		return nil, err
	}
	return &grant{
		clientID: c.ClientID, generation: c.generation,
		scopes: strings.Split(c.Scope, " "), issued: c.IssuedAt.Time, expires: c.ExpiresAt.Time,
	}, nil
}

// Validate adds to the checks of the parser; see jwt.ClaimsValidator.
func (c *claims) Validate() error {
	generation, rest, dot := strings.Cut(c.ID, ".") // as appendTokenID wrote it
	var err error
	c.generation, err = strconv.ParseInt(generation, 10, 64)
	if err != nil || !dot || rest == "" || c.ClientID == "" || c.IssuedAt == nil || c.Subject != c.ClientID || c.Scope == "" {
		return errForeign
	}
	return nil
}

// key returns the key that a token says it is signed with.
func (v *verifier) key(t *jwt.Token) (any, error) {
	if t.Header["typ"] != tokenType {
		return nil, errForeign
	}
	id, _ := t.Header["kid"].(string)
	if key := v.keys.find(id); key != nil {
		return &key.private.PublicKey, nil
	}
	return nil, errUnknownKey
}
