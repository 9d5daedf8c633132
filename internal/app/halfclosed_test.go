package app_test

import (
	"fmt"
	"testing"
)

// A client may close its side when it has asked. It is not gone: it reads.
func TestAHalfClosedConnectionIsAnswered(t *testing.T) {
	t.Parallel()
	besideServer(t, func(t *testing.T, s *server, _ env, _ []string) {
		token := s.firstToken(t)
		for i := range 10 {
			code := fmt.Sprintf("half-%d", i)
			w := dial(t, s)
			w.post(token, accountBody(code), "")
			w.write("%s", accountBody(code))
			if err := w.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			got := w.read()
			if found, err := got.find("data", "accountCreate", "account", "code"); err != nil || found != code {
				t.Fatalf("answered %d %s", got.status, got.body)
			}
			if !w.isOver() {
				t.Error("the server keeps a connection on which nothing more can come")
			}
		}
		for _, path := range []string{"/readyz", "/healthz", "/oauth/jwks"} {
			w := dial(t, s)
			w.write("GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
			if err := w.CloseWrite(); err != nil {
				t.Fatal(err)
			}
			if got := w.read(); got.status != 200 {
				t.Errorf("%s answered %d %s", path, got.status, got.body)
			}
		}
	})
}
