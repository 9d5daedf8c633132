package main

import (
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
func measureToken(r *run) []result {
	tested := r.startServer(r.create("token"))
	bare := r.startBare(bareToken(tested.token, tested.address))
	request := always(tokenRequest(usualScope))
	return []result{r.compare("token",
		r.newLoad(tested.address).side(tokenAnswer, request),
		r.newLoad(bare).side(tokenAnswer, request)).atLeast(0.5)}
}

// bareToken signs tokens with the header and claims of a real one, but for the
// times and the id, which are new in each.
func bareToken(sample, address string) http.HandlerFunc {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	parts := strings.Split(sample, ".")
	if len(parts) != 3 {
		check(errors.New("the token has not three parts"))
	}
	claims := must(base64.RawURLEncoding.DecodeString(parts[1]))
	header := parts[0] + "."
	if got := bareClaims(address, now().Unix()); len(got) != len(claims) {
		check(fmt.Errorf("the bare claims are not as long as the real ones:\n%s\n%s", got, claims))
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		issued := now().Unix()
		token, err := sign(key, header, bareClaims(address, issued))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w, fmt.Appendf(nil, `{"access_token":"%s","token_type":"Bearer","expires_in":%d,"created_at":%d}`, token, tokenSeconds, issued))
	}
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
