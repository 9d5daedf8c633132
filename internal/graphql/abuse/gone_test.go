package abuse

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// askAndHangUp sends a document and closes its side of the connection, as
// somebody does who is gone. Unlike those, it still hears the answer.
func (s *server) askAndHangUp(t *testing.T, document string) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": document})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", s.token, len(body), body)
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(all), "\r\n\r\n")
	if !found {
		t.Fatalf("answered %q", all)
	}
	return answer{http.StatusOK, []byte(text)}
}

// TestValidationEndsWithItsCaller: nobody goes on with a document that is much
// work when its caller is gone, but ordinary ones are answered.
func TestValidationEndsWithItsCaller(t *testing.T) {
	s := start(t)
	dear := hostile["fragments that nest"]
	if a := s.ask(t, dear, nil); strings.Contains(string(a.body), "was closed") {
		t.Fatalf("somebody who waits is told: %s", a.start())
	}
	if a := s.askAndHangUp(t, dear); !strings.Contains(string(a.body), "was closed while the document was validated") {
		t.Errorf("somebody who is gone is told: %s", a.start())
	}
	if a := s.askAndHangUp(t, harmless); strings.Contains(string(a.body), `"errors"`) {
		t.Errorf("the harmless document is answered: %s", a.start())
	}
}
