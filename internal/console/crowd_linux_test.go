package console_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// halfSent sends a part of a form from an address, and returns the connection once
// the server has begun to read it.
func (s *site) halfSent(address string, part int) (net.Conn, *bufio.Reader) {
	s.t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	conn, err := dialer.DialContext(s.t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n"+
		"Expect: 100-continue\r\n\r\n", part+1)
	if err != nil {
		s.t.Fatal(err)
	}
	answers := bufio.NewReader(conn)
	if line, err := answers.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
		s.t.Fatalf("%q, %v", line, err)
	}
	if _, err := answers.ReadString('\n'); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.WriteString(conn, strings.Repeat("x", part)); err != nil {
		s.t.Fatal(err)
	}
	return conn, answers
}

// TestHalfSentFormsKeepNobodyOut: strangers who send a part of a form and no more
// hold no place of the console, whether the form is short or long.
func TestHalfSentFormsKeepNobodyOut(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	addresses := []string{"127.0.0.2", "127.0.0.3"}
	for _, address := range addresses {
		for range 40 {
			s.halfSent(address, 10)
		}
	}
	s.visit().wants(s.visit().get("/sign-in"), 200, "Sign in")
	statuses := make(chan int, 80)
	for _, address := range addresses {
		for range 20 {
			_, answers := s.halfSent(address, 100<<10)
			go func() {
				response, err := http.ReadResponse(answers, nil)
				if err != nil {
					return // the test is over
				}
				response.Body.Close()
				statuses <- response.StatusCode
			}()
		}
	}
	for range 40 - 16 {
		if status := <-statuses; status != http.StatusServiceUnavailable {
			t.Errorf("a long form of a stranger answers %d", status)
		}
	}
	s.visit().wants(s.visit().get("/sign-in"), 200, "Sign in")
	v := s.as(billing.Admin)
	v.wants(v.submit(v.get("/accounts/new"), "name", strings.Repeat("x", 100<<10), "billingDay", "1"), 422, "Name may have up to 255 characters")
}
