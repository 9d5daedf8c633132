package admission

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
)

// connect makes a connection and asks once on it.
func connect(t *testing.T, address, path string) (conn net.Conn, status int) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if path == "/busy" {
		return conn, 0
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "1" {
		t.Errorf("%v", response.Header)
	}
	return conn, response.StatusCode
}

// A new connection takes the slot of an idle one, but not of one that is in use.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	busy, over := make(chan struct{}, 2), make(chan struct{})
	bound := NewConnections(2)
	server := &http.Server{ConnState: bound.State, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			busy <- struct{}{}
			<-over
		}
	})}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- server.Serve(bound.Listen(l)) }()
	address := l.Addr().String()
	idle, status := connect(t, address, "/")
	if status != 200 {
		t.Fatal(status)
	}
	connect(t, address, "/busy")
	<-busy
	for bound.idleNow() == 0 { // the answer comes before the connection is idle
	}
	connect(t, address, "/busy")
	<-busy
	if _, err := idle.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the idle connection: %v", err)
	}
	if _, status := connect(t, address, "/"); status != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", status)
	}
	close(over)
	for bound.idleNow() == 0 {
	}
	if _, status := connect(t, address, "/"); status != 200 {
		t.Errorf("afterwards: %d", status)
	}
	server.Close()
	<-done
	for bound.openNow() > 0 {
	}
}

func (c *Connections) idleNow() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.idle)
}

func (c *Connections) openNow() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}
