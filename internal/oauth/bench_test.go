package oauth

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// benchServer is a replica with the real clock.
func benchServer(b *testing.B) (*replica, app) {
	w := sqliteWorld(b)
	start := time.Now()
	w.now, w.elapsed = time.Now, func() time.Duration { return time.Since(start) }
	r := w.replica()
	return r, r.createClient()
}

// BenchmarkToken asks for tokens over real connections, next to a handler that
// signs and writes and does nothing else.
func BenchmarkToken(b *testing.B) {
	r, a := benchServer(b)
	key := r.keys.signing(r.now())
	body := []byte(strings.Repeat("x", 600))
	bare := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		sum := sha256.Sum256(body)
		if _, _, err := ecdsa.Sign(rand.Reader, key.private, sum[:]); err != nil {
			b.Error(err)
		}
		_, _ = w.Write(body)
	})
	form := a.form().Encode()
	for _, side := range []struct {
		name    string
		handler http.Handler
	}{{"endpoint", r.Token()}, {"bare", bare}} {
		b.Run(side.name, func(b *testing.B) {
			server := httptest.NewServer(side.handler)
			defer server.Close()
			server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 64
			b.SetParallelism(8)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					answer, err := server.Client().Post(server.URL, "application/x-www-form-urlencoded", strings.NewReader(form))
					if err != nil || answer.StatusCode != http.StatusOK {
						b.Errorf("%v %v", answer, err)
						return
					}
					_, _ = io.Copy(io.Discard, answer.Body)
					answer.Body.Close()
				}
			})
		})
	}
}

// BenchmarkIssue is the token endpoint without the network.
func BenchmarkIssue(b *testing.B) {
	r, a := benchServer(b)
	form := a.form().Encode()
	handler := r.Token()
	b.ReportAllocs()
	for b.Loop() {
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, tokenRequest(form)); w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}

// BenchmarkVerifyRemembered is the bearer check of a token seen before.
func BenchmarkVerifyRemembered(b *testing.B) {
	r, a := benchServer(b)
	req := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	req.Header.Set("Authorization", "Bearer "+r.token(a))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, no := r.check(req); no != nil {
				b.Error(no.text)
				return
			}
		}
	})
}

// BenchmarkVerifyNew is the bearer check of a token that was never seen.
func BenchmarkVerifyNew(b *testing.B) {
	r, a := benchServer(b)
	req := httptest.NewRequest(http.MethodPost, "/graphql", nil)
	req.Header.Set("Authorization", "Bearer "+r.token(a))
	b.ReportAllocs()
	for b.Loop() {
		r.verifier.remembered = remembered{}
		if _, no := r.check(req); no != nil {
			b.Fatal(no.text)
		}
	}
}
