package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// wire is a connection on which a test writes what no HTTP client would.
type wire struct {
	t testing.TB
	*net.TCPConn
	in *bufio.Reader
}

func dial(t testing.TB, s *server) *wire {
	t.Helper()
	conn, err := net.DialTimeout("tcp", s.address, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return &wire{t, conn.(*net.TCPConn), bufio.NewReader(conn)}
}

func (w *wire) write(format string, args ...any) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.TCPConn, format, args...); err != nil {
		w.t.Fatal(err)
	}
}

// read reads one answer.
func (w *wire) read() answer {
	w.t.Helper()
	response, err := http.ReadResponse(w.in, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

// isOver reports whether the server closes the connection.
func (w *wire) isOver() bool {
	w.t.Helper()
	_, err := w.in.ReadByte()
	return err != nil
}

// post writes a GraphQL request up to its body, of which more is to follow.
func (w *wire) post(token, body string, more string) {
	w.t.Helper()
	w.write("POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n",
		token, len(body), more)
}

// accountBody is the body of a request that makes an account.
func accountBody(code string) string {
	return fmt.Sprintf(`{"query":"mutation { accountCreate(attributes: {name: \"Acme\", code: \"%s\"}) { account { code } errors } }"}`, code)
}

// underWay begins a request that makes an account and returns when the server
// waits for the second half of its body, which it returns.
func underWay(t testing.TB, s *server, token, code string) (w *wire, rest string) {
	t.Helper()
	w = dial(t, s)
	body := accountBody(code)
	w.post(token, body, "Expect: 100-continue\r\n")
	line, err := w.in.ReadString('\n')
	if err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		t.Fatalf("got %q, %v; want to be told to go on", line, err)
	}
	if _, err := w.in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	half := len(body) / 2
	w.write("%s", body[:half])
	return w, body[half:]
}
