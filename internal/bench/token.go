package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// measureToken compares the token endpoint with a handler that knows who is
// asking and only signs.
func measureToken(ctx context.Context, b *bench, e *engine) (_ []result, err error) {
	database, err := e.create(ctx, "token")
	if err != nil {
		return nil, err
	}
	tested, err := startServer(ctx, database)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, tested.stop()) }()
	handler, err := bareToken(tested.token, tested.address)
	if err != nil {
		return nil, err
	}
	bare, err := startBare(ctx, handler)
	if err != nil {
		return nil, err
	}
	defer bare.close()

	request := always(tokenRequest(usualScope))
	toTested, err := newLoad(ctx, tested.address, tokenAnswer, request)
	if err != nil {
		return nil, err
	}
	defer toTested.close()
	toBare, err := newLoad(ctx, bare.address, tokenAnswer, request)
	if err != nil {
		return nil, err
	}
	defer toBare.close()
	c, err := compare(ctx, b.duration(), toTested.run, toBare.run)
	if err != nil {
		return nil, err
	}
	return []result{rates("token", e.name, c).atLeast(0.5)}, nil
}

// bareToken signs tokens with the header and claims of a real one, but for the
// times and the id, which are new in each.
func bareToken(sample, address string) (http.HandlerFunc, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(sample, ".")
	if len(parts) != 3 {
		return nil, errors.New("the token has not three parts")
	}
	claims, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, err
	}
	header := parts[0] + "."
	if got := bareClaims(address, now().Unix()); len(got) != len(claims) {
		return nil, fmt.Errorf("the bare claims are not as long as the real ones:\n%s\n%s", got, claims)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		issued := now().Unix()
		token, err := sign(key, header, bareClaims(address, issued))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w, fmt.Appendf(nil, `{"access_token":"%s","token_type":"Bearer","expires_in":%d,"created_at":%d}`, token, tokenSeconds, issued))
	}, nil
}

const tokenSeconds = 3600

func bareClaims(address string, issued int64) string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return fmt.Sprintf(`{"iss":"http://%s","aud":"http://%s","sub":"%s","client_id":"%s","iat":%d,"exp":%d,"jti":"0.%s","scope":"standard:read standard:write"}`,
		address, address, clientID, clientID, issued, issued+tokenSeconds, base64.RawURLEncoding.EncodeToString(id[:]))
}

// sign is ES256 by the standard library alone, which is quicker than a JWT
// library around it.
func sign(key *ecdsa.PrivateKey, header, claims string) (string, error) {
	text := header + base64.RawURLEncoding.EncodeToString([]byte(claims))
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", err
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature[:]), nil
}
