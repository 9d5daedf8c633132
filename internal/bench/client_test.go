package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestClientAcceptsOnlyWhatIsWanted(t *testing.T) {
	cases := map[string]struct {
		status  int
		body    string
		problem string
	}{
		"wanted":         {200, `{"data":{"n":1}}`, ""},
		"another status": {500, `{"data":{"n":1}}`, "500"},
		"another body":   {200, `{"else":1}`, "should begin with"},
		"GraphQL errors": {200, `{"data":{"n":null},"errors":[]}`, "should begin with"},
		"too short":      {200, `{`, "should begin with"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			defer server.Close()
			conn, err := dial(t.Context(), server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.close()
			body, err := conn.do(post("/", "text/plain", "", "hello"), `{"data":{`)
			switch {
			case c.problem == "" && (err != nil || string(body) != c.body):
				t.Errorf("got %q, %v", body, err)
			case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
				t.Errorf("got the error %v, want one with %q", err, c.problem)
			}
		})
	}
}

// An answer must not be taken for the next one's.
func TestClientKeepsItsConnection(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.RemoteAddr + r.URL.Path))
	}))
	defer server.Close()
	conn, err := dial(t.Context(), server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	want := conn.conn.LocalAddr().String()
	for _, path := range []string{"/a", "/much/longer", "/b"} {
		body, err := conn.do(post(path, "text/plain", "", ""), want)
		if err != nil || string(body) != want+path {
			t.Fatalf("got %q, %v", body, err)
		}
	}
}
