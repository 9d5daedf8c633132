package oauth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// parts returns what a token says, without verifying it.
func parts(t testing.TB, token string) (header, claims map[string]any) {
	t.Helper()
	segments := strings.Split(token, ".")
	if len(segments) != 3 {
		t.Fatalf("the token has %d parts", len(segments))
	}
	for i, into := range []*map[string]any{&header, &claims} {
		text, err := base64.RawURLEncoding.DecodeString(segments[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatal(err)
		}
	}
	return header, claims
}

func TestTokenSaysWhatIsDecidedAndNothingElse(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	header, claims := parts(t, r.token(a))
	if !maps.Equal(header, map[string]any{"typ": "at+jwt", "alg": "ES256", "kid": r.keys.signing(r.now()).id}) {
		t.Errorf("header: %v", header)
	}
	now := float64(r.now().Unix())
	want := map[string]any{
		"iss": baseURL, "aud": baseURL, "sub": a.ClientID, "client_id": a.ClientID,
		"iat": now, "exp": now + 7200, "scope": "standard:read", "jti": claims["jti"],
	}
	if !maps.Equal(claims, want) {
		t.Errorf("claims: %v, want %v", claims, want)
	}
	if id, _ := claims["jti"].(string); !strings.HasPrefix(id, "1.") || len(id) < 20 {
		t.Errorf("jti: %q", id)
	}
	_, other := parts(t, r.token(a))
	if other["jti"] == claims["jti"] {
		t.Error("two tokens have one id")
	}
}

// publicKeys reads the key set as a stranger would.
func publicKeys(t testing.TB, r *replica) map[string]*ecdsa.PublicKey {
	t.Helper()
	w := httptest.NewRecorder()
	r.Keys().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/oauth/jwks", nil))
	var answer struct{ Keys []map[string]string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	keys := map[string]*ecdsa.PublicKey{}
	for _, k := range answer.Keys {
		if k["kty"] != "EC" || k["crv"] != "P-256" || k["alg"] != "ES256" || k["use"] != "sig" || len(k) != 7 {
			t.Errorf("key: %v", k)
		}
		point := slices.Concat([]byte{4}, coordinate(t, k["x"]), coordinate(t, k["y"]))
		key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
		if err != nil {
			t.Fatal(err)
		}
		keys[k["kid"]] = key
	}
	return keys
}

func coordinate(t testing.TB, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != 32 {
		t.Fatalf("%q is not 32 bytes: %v", text, err)
	}
	return b
}

// verifies reports whether a stranger can verify the token.
func verifies(t testing.TB, keys map[string]*ecdsa.PublicKey, token string) bool {
	t.Helper()
	header, _ := parts(t, token)
	key := keys[header["kid"].(string)]
	if key == nil {
		return false
	}
	dot := strings.LastIndex(token, ".")
	signature, err := base64.RawURLEncoding.DecodeString(token[dot+1:])
	if err != nil || len(signature) != 64 {
		t.Fatalf("the signature has %d bytes: %v", len(signature), err)
	}
	sum := sha256.Sum256([]byte(token[:dot]))
	return ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
}

func TestStrangersVerifyTokensWithThePublishedKeys(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	keys := publicKeys(t, r)
	if len(keys) != 1 {
		t.Fatalf("%d keys", len(keys))
	}
	// Often enough for numbers that are a byte shorter.
	for range 600 {
		if token := r.token(a); !verifies(t, keys, token) {
			t.Fatalf("does not verify: %s", token)
		}
	}
}

func TestPublishedDocuments(t *testing.T) {
	w := sqliteWorld(t)
	options := w.options(w.open())
	options.BaseURL += "/" // one slash more or less makes no difference
	s, err := New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	for name, handler := range map[string]http.Handler{"keys": s.Keys(), "metadata": s.Metadata()} {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
			if method == "POST" {
				wantFailure(t, w, http.StatusMethodNotAllowed, "invalid_request")
				if w.Header().Get("Allow") != "GET, HEAD" {
					t.Errorf("%s: Allow is %q", name, w.Header().Get("Allow"))
				}
				continue
			}
			if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json; charset=utf-8" ||
				w.Header().Get("Cache-Control") != "public, max-age=600" || (w.Body.Len() == 0) != (method == "HEAD") {
				t.Errorf("%s %s: %d %v %s", method, name, w.Code, w.Header(), w.Body)
			}
		}
	}
	got := httptest.NewRecorder()
	s.Metadata().ServeHTTP(got, httptest.NewRequest("GET", "/", nil))
	const want = `{"issuer":"https://billing.example.com","token_endpoint":"https://billing.example.com/oauth/token",` +
		`"jwks_uri":"https://billing.example.com/oauth/jwks",` +
		`"scopes_supported":["standard:read","standard:write","billing:read","billing:write","platform:write","admin:read","admin:write"],"response_types_supported":[],` +
		`"grant_types_supported":["client_credentials"],` +
		`"token_endpoint_auth_methods_supported":["client_secret_post","client_secret_basic"]}`
	if got.Body.String() != want {
		t.Errorf("metadata: %s", got.Body)
	}
}

func TestPrincipal(t *testing.T) {
	r := sqliteWorld(t).replica()
	a := r.createClient()
	var got Principal
	req := httptest.NewRequest("POST", "/graphql", nil)
	req.Header.Set("Authorization", "Bearer "+r.token(a))
	r.RequireToken(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		got, _ = PrincipalOf(req.Context())
	})).ServeHTTP(httptest.NewRecorder(), req)
	if got.ClientID != a.ClientID || got.Name != "Test" || !slices.Equal(got.Scopes, []string{"standard:read"}) ||
		!got.Has("standard:read") || got.Has("standard:write") {
		t.Errorf("principal: %+v", got)
	}
	if _, ok := PrincipalOf(t.Context()); ok {
		t.Error("there is a principal where nobody put one")
	}
}
